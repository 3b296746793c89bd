import type { IDataObject } from 'n8n-workflow';
import { isObject } from './json';
import { unexpectedShape } from './shapes';

/** What one answer of a list holds. */
export interface ListEnvelope {
  records: IDataObject[];
  /** Number of records in the whole list, where the service tells. */
  total?: number;
}

/**
 * Like `findListEnvelope`, for operations that need the list.
 *
 * @throws UserError for any other shape. It names the answer's keys, never its data.
 */
export function readListEnvelope(answer: unknown): ListEnvelope {
  const found = findListEnvelope(answer);
  if (found === undefined) throw unexpectedShape(answer, "a page with a 'list' of records");
  return found;
}

/**
 * Reads a list in any shape that the specification shows: the envelope (`total`, `page`, `page_size`,
 * `list`) bare, under `data`, or in an array in an array. Several envelopes in one answer make one list.
 * Undefined for any other shape.
 */
export function findListEnvelope(answer: unknown): ListEnvelope | undefined {
  const envelopes = envelopesIn(answer, MAX_NESTING);
  if (envelopes === undefined) return undefined;
  const [first] = envelopes;
  return {
    // Some services write null for an empty list.
    records: envelopes.flatMap(({ list }) => (list ?? []).map(toRecord)),
    // With several envelopes, no single total counts the whole list.
    total: envelopes.length === 1 && first ? readTotal(first.total) : undefined,
  };
}

interface Envelope extends IDataObject {
  list: IDataObject[] | null;
}

/** `data`, an array, and an array: no shape of the specification is deeper. */
const MAX_NESTING = 3;

function envelopesIn(value: unknown, nesting: number): Envelope[] | undefined {
  if (isEnvelope(value)) return [value];
  if (nesting === 0) return undefined;
  if (Array.isArray(value)) {
    const found = value.map((entry) => envelopesIn(entry, nesting - 1));
    return found.every((entry) => entry !== undefined) ? found.flat() : undefined;
  }
  if (!isObject(value) || !('data' in value)) return undefined;
  return value.data === null ? [] : envelopesIn(value.data, nesting - 1);
}

function isEnvelope(value: unknown): value is Envelope {
  return isObject(value) && (Array.isArray(value.list) || value.list === null);
}

/** A record as it came. One that is not an object is kept under `value`. */
function toRecord(record: unknown): IDataObject {
  return isObject(record) ? record : { value: record as IDataObject[string] };
}

function readTotal(total: unknown): number | undefined {
  const number = typeof total === 'string' && total.trim() !== '' ? Number(total) : total;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}
