import { SIGNATURE } from '../resources/signature';
import type { ServiceClient } from '../service/client';
import { queryFirst } from '../service/pages';
import { idOf } from '../service/recordId';

/** Short, because the names only help: no list waits long for them. */
const TIMEOUT_MS = 3_000;
const PAGE_SIZE = 50;

/**
 * The names of the account's signatures, by ID: of those on the first page of their list.
 *
 * Never throws. The path of the list is inferred, so the service may not have it. Then there are no names.
 */
export async function readSignatureNames(client: ServiceClient): Promise<Map<string, string>> {
  const { noun, list } = SIGNATURE;
  const options = { timeoutMs: TIMEOUT_MS, pageSize: PAGE_SIZE };
  const records = await queryFirst(client, list.endpoint.path, options).catch(() => []);
  return new Map(
    records.flatMap((record) => {
      const { name } = record;
      const id = idOf(record, noun);
      return id && typeof name === 'string' && name.trim() !== '' ? [[id, name]] : [];
    }),
  );
}
