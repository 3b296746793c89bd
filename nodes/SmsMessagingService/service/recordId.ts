import type { IDataObject } from 'n8n-workflow';
import { canonicalJson, textOf } from './json';

/** Whether a value is an ID: text or a number, but not one that means no record. */
export function isId(value: unknown): boolean {
  return typeof value !== 'boolean' && !/^(?:0*|-\d+)$/.test(textOf(value));
}

/**
 * The ID of a record as text, because IDs may come as text. Undefined if it has none.
 *
 * @param idNames the names that its ID may have, the first of which counts
 */
export function idOf(record: IDataObject, idNames: readonly string[]): string | undefined {
  const name = idNames.find((one) => Object.hasOwn(record, one) && isId(record[one]));
  return name && textOf(record[name]);
}

/** The same for equal records of a list: the ID, or the content if there is none. */
export function keyOf(record: IDataObject, idNames: readonly string[]): string {
  const id = idOf(record, idNames);
  return id === undefined ? canonicalJson(record) : `#${id}`;
}
