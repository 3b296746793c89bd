import { SIGNATURE } from '../resources/signature/record';
import type { ServiceClient } from '../service/client';
import { textOf } from '../service/json';
import { tryPage } from '../service/pages';

/** Short, because the names only help: no list waits long for them. */
const TIMEOUT_MS = 3_000;
const PAGE_SIZE = 50;

/**
 * The names of the account's signatures, by ID: of those on the first page of their list.
 *
 * Never throws. The path of the list is inferred, so the service may not have it. Then there are no names.
 */
export async function readSignatureNames(client: ServiceClient): Promise<Map<string, string>> {
  const { path } = SIGNATURE.list.endpoint;
  try {
    const page = await tryPage(client, path, {}, { pageSize: PAGE_SIZE, timeoutMs: TIMEOUT_MS });
    if (page.kind !== 'page') return new Map();
    return new Map(
      page.records.flatMap(({ id, name }) =>
        typeof name === 'string' && name.trim() !== '' ? [[textOf(id), name]] : [],
      ),
    );
  } catch {
    return new Map();
  }
}
