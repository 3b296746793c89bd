import type { IDataObject } from 'n8n-workflow';
import type { ServiceClient } from '../../service/client';
import { queryAll } from '../../service/pages';
import { recordsWithId } from '../../service/reading/changes';
import type { RecordKind } from './kind';

/**
 * The record with an ID. All pages are looked through, because a service may not search by ID.
 *
 * @throws what `queryAll` throws
 */
export async function findRecord(
  client: ServiceClient,
  kind: RecordKind,
  id: unknown,
): Promise<IDataObject | undefined> {
  const { endpoint, idField = 'id' } = kind.list;
  const filter = { [idField]: id } as IDataObject;
  for await (const records of queryAll(client, endpoint.path, filter, { noun: kind.noun })) {
    const [record] = recordsWithId(records, id, kind.noun);
    if (record) return record;
  }
  return undefined;
}
