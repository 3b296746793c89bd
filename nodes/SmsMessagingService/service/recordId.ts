import type { IDataObject } from 'n8n-workflow';
import { canonicalJson, textOf } from './json';

/** Whether a value is an ID: text or a number, but not one that means no record. */
export function isId(value: unknown): boolean {
  return typeof value !== 'boolean' && !/^(?:0*|-\d+)$/.test(textOf(value));
}

/** The ID of a record as text, because IDs may come as text. Undefined if it has none. */
export function idOf(record: IDataObject): string | undefined {
  return Object.hasOwn(record, 'id') && isId(record.id) ? textOf(record.id) : undefined;
}

/** The same for equal records of a list: the ID, or the content if there is none. */
export function keyOf(record: IDataObject): string {
  const id = idOf(record);
  return id === undefined ? canonicalJson(record) : `#${id}`;
}
