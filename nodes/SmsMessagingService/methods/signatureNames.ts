import { SIGNATURE } from '../resources/signature';
import type { ServiceClient } from '../service/client';
import { readList } from '../service/pages';
import { idOf } from '../service/recordId';

/** Short, because the names only help: no list waits long for them. */
const TIMEOUT_MS = 3_000;

/** An account with more signatures gets the names of the first ones. */
const MAX_NAMES = 100;

/**
 * The names of the account's signatures, by ID.
 *
 * Never throws. The path of the list is inferred, so the service may not have it. Then there are no names.
 */
export async function readSignatureNames(client: ServiceClient): Promise<Map<string, string>> {
  const query = { client, path: SIGNATURE.list.endpoint.path, timeoutMs: TIMEOUT_MS };
  const names = new Map<string, string>();
  try {
    for await (const records of readList(query)) {
      for (const record of records) {
        const { name } = record;
        const id = idOf(record);
        if (id && typeof name === 'string' && name.trim() !== '') names.set(id, name);
      }
      if (names.size >= MAX_NAMES) break;
    }
  } catch {
    // What came before the failure is enough.
  }
  return names;
}
