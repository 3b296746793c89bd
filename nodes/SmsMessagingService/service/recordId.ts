import type { IDataObject } from 'n8n-workflow';
import { canonicalJson, textOf } from './json';

/** Names that the ID of a record may have beside `id`, by kind of record. */
const OTHER_NAMES: Record<string, string[]> = {
  qualification: ['cert_id', 'certification_id', 'qualification_id'],
  signature: ['sign_id', 'signature_id'],
  template: ['template_id'],
  'reported link': ['lead_id'],
};

/** The names that the ID of a record may have. Its other IDs are those of other records. */
export function idNamesOf(noun: string): string[] {
  return ['id', ...(OTHER_NAMES[noun] ?? [])];
}

/** Whether a value is an ID: text or a number, but not one that means no record. */
export function isId(value: unknown): boolean {
  return typeof value !== 'boolean' && !/^(?:0*|-\d+)$/.test(textOf(value));
}

/**
 * The ID of a record as text, because IDs may come as text. Undefined if it has none.
 *
 * @param noun what the record is, such as "template". Left out: only a field `id` is its ID
 */
export function idOf(record: IDataObject, noun = ''): string | undefined {
  const name = idNamesOf(noun).find((one) => Object.hasOwn(record, one) && isId(record[one]));
  return name && textOf(record[name]);
}

/** The same for equal records of a list: the ID, or the content if there is none. */
export function keyOf(record: IDataObject, noun?: string): string {
  const id = idOf(record, noun);
  return id === undefined ? canonicalJson(record) : `#${id}`;
}
