import type { IDataObject } from 'n8n-workflow';
import { canonicalJson, textOf } from './json';

/** The ID of a record as text, because IDs may come as text. Undefined if it has none, or one that means no record. */
export function idOf(record: IDataObject): string | undefined {
  const id = Object.hasOwn(record, 'id') && typeof record.id !== 'boolean' ? textOf(record.id) : '';
  return /^(?:0*|-\d+)$/.test(id) ? undefined : id;
}

/** The same for equal records of a list: the ID, or the content if there is none. */
export function keyOf(record: IDataObject): string {
  const id = idOf(record);
  return id === undefined ? canonicalJson(record) : `#${id}`;
}
