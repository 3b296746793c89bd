import { SIGNATURE } from '../resources/signature';
import type { ServiceClient } from '../service/client';
import { firstSpot } from '../service/pageWalk';
import { readPage, sizingFor } from '../service/pages';
import { idOf } from '../service/reading/recordId';

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
  const { path } = list.endpoint;
  const query = { client, path, filters: {}, timeoutMs: TIMEOUT_MS };
  const { answer } = await readPage(query, firstSpot(sizingFor(query, PAGE_SIZE)));
  if (answer.kind !== 'page') return new Map();
  return new Map(
    answer.records.flatMap((record) => {
      const { name } = record;
      const id = idOf(record, noun);
      return id && typeof name === 'string' && name.trim() !== '' ? [[id, name]] : [];
    }),
  );
}
