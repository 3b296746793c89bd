import type { IDataObject } from 'n8n-workflow';
import { readList } from './pages';
import type { ListOptions, ListQuery } from './pages';
import { idOf } from './recordId';

/**
 * Looks for the records with an ID. Reads page after page, because a service may not filter by ID.
 *
 * @returns those on the first page that has one, or whether there were only other records
 * @throws what `readList` throws, whatever page fails
 */
export async function lookUp(
  query: ListQuery,
  id: unknown,
  options?: Omit<ListOptions, 'onHint'>,
): Promise<{ found: IDataObject[]; hasOthers: boolean }> {
  let hasOthers = false;
  for await (const records of readList(query, options)) {
    const found = recordsWithId(records, id);
    if (found.length > 0) return { found, hasOthers: false };
    hasOthers = true;
  }
  return { found: [], hasOthers };
}

function recordsWithId(records: IDataObject[], id: unknown): IDataObject[] {
  // The specification does not show the fields of a signature in a list, so it may have no ID.
  if (records.length === 1 && !records.some((record) => Object.hasOwn(record, 'id')))
    return records;
  return records.filter((record) => idOf(record) === String(id));
}
