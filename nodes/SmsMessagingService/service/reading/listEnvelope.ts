import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../json';
import { isIdName } from './recordId';
import { shapeError } from './shapes';
import { endingOf, hasCode, isDoubtful, STATEMENT_FIELDS } from './statement';

/** What one answer of a list holds. */
export interface ListEnvelope {
  records: IDataObject[];
  /** Number of records in the whole list, where the service tells. */
  total?: number;
  /** Most records in one page, where the service tells. */
  pageSize?: number;
}

/**
 * Like `findListEnvelope`, for operations that need the list.
 *
 * @throws UserError for any other shape. It names the answer's keys, never its data.
 */
export function readListEnvelope(answer: unknown): ListEnvelope {
  const found = findListEnvelope(answer);
  if (found === undefined) throw shapeError(answer, "a page with a 'list' of records");
  return found;
}

/**
 * Reads a list in any shape that the specification shows: the envelope (`total`, `page`, `page_size`,
 * `list`) bare, under `data`, or in an array in an array. Several envelopes in one answer make one list.
 *
 * Other shapes are read where their keys leave no doubt: records with an ID directly under `data` or
 * under another name than `list`, or nothing at all in a success. Undefined for any other shape.
 */
export function findListEnvelope(answer: unknown): ListEnvelope | undefined {
  const envelopes = isSuccessAlone(answer) ? [] : envelopesIn(answer, MAX_NESTING);
  if (envelopes === undefined) return undefined;
  const records = envelopes.flatMap(({ list }) => list.flatMap(toRecords));
  if (records.length === 0 && isDoubtful(answer)) return undefined;
  // With several envelopes, no single number is about the whole list.
  const [only, ...others] = envelopes;
  const count = (number: unknown) => (others.length > 0 ? undefined : readCount(number));
  return { records, total: count(only?.total), pageSize: count(only?.page_size) };
}

interface Envelope {
  list: unknown[];
  total?: unknown;
  page_size?: unknown;
}

/** No known shape is deeper. */
const MAX_NESTING = 6;

/** Fields in which the service speaks of the request, and the time of the answer. */
const STATEMENT = new Set([...STATEMENT_FIELDS, 'tp']);

/** Fields of a page beside its records. */
const PAGING = new Set(['total', 'page', 'page_size']);

function envelopesIn(value: unknown, nesting: number): Envelope[] | undefined {
  if (nesting === 0) return undefined;
  if (Array.isArray(value)) return envelopesInArray(value, nesting);
  if (!isObject(value) || 'id' in value) return undefined;
  const { list, total, page_size } = value;
  if (Array.isArray(list) && list.length > 0) return [{ list, total, page_size }];
  // Some services write null for an empty list.
  if (Array.isArray(list) || list === null) return besideEmptyList(value, nesting);
  const parts = Object.keys(value).filter((key) => isPart(key, value[key]));
  const [name, ...others] = filledParts(value, parts);
  if (name === undefined) {
    return isEmptyList(value, parts) ? [{ list: [], total, page_size }] : undefined;
  }
  return others.length === 0 ? envelopesUnder(value, name, nesting) : undefined;
}

/** The records of an object with an empty list may still be under `data`. */
function besideEmptyList(value: IDataObject, nesting: number): Envelope[] {
  const { data, total, page_size } = value;
  const under = isObject(data) ? envelopesUnder(value, 'data', nesting) : undefined;
  return under ?? [{ list: [], total, page_size }];
}

/** The envelopes in a field. Their numbers may stand beside it. */
function envelopesUnder(value: IDataObject, name: string, nesting: number): Envelope[] | undefined {
  const { total, page_size } = value;
  return envelopesIn(value[name], nesting - 1)?.map((envelope) => ({
    list: envelope.list,
    total: envelope.total ?? total,
    page_size: envelope.page_size ?? page_size,
  }));
}

/** The parts with something in them. What stands beside `data` and is no list is not about the records. */
function filledParts(value: IDataObject, parts: string[]): string[] {
  const hasData = parts.includes('data');
  return parts.filter(
    (key) => !isEmpty(value[key]) && (key === 'data' || !hasData || Array.isArray(value[key])),
  );
}

/** Whether an object without records says that there are none. */
function isEmptyList(value: IDataObject, parts: string[]): boolean {
  if (parts.includes('data') || (isPage(value) && value.list === undefined)) return true;
  const isAlone = Object.keys(value).every((key) => parts.includes(key) || STATEMENT.has(key));
  return isAlone && endingOf(value) === 'done';
}

/** An array holds envelopes, arrays of them, or records. */
function envelopesInArray(values: unknown[], nesting: number): Envelope[] | undefined {
  const isOuter = (value: unknown) => Array.isArray(value) || (isObject(value) && isPage(value));
  if (values.every(isOuter)) {
    const found = values.map((value) => envelopesIn(value, nesting - 1));
    return found.every((entry) => entry !== undefined) ? found.flat() : undefined;
  }
  return values.every(isRecord) ? [{ list: values }] : undefined;
}

/** Whether a value is a record, and not, say, a description of what went wrong. */
function isRecord(value: unknown): boolean {
  return isObject(value) && Object.keys(value).some(isIdName);
}

/** Whether a field may hold the records: it is not a single value. */
function isPart(name: string, value: unknown): boolean {
  if (STATEMENT.has(name) || PAGING.has(name)) return false;
  return typeof value === 'object' || (name === 'data' && value === '');
}

/** Whether an object can only be a page: a record has no such fields. */
function isPage(value: IDataObject): boolean {
  return 'list' in value || Object.keys(value).some((name) => PAGING.has(name));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || Object.keys(value as object).length === 0;
}

/** `{ code: 0, msg }` and nothing else: the service has no records. */
function isSuccessAlone(answer: unknown): boolean {
  if (!isObject(answer) || !hasCode(answer)) return false;
  return Object.keys(answer).every((name) => STATEMENT.has(name));
}

/** An entry of a list as it came: a record, or several. One that is not an object is kept under `value`. */
function toRecords(entry: unknown): IDataObject[] {
  if (isObject(entry)) return [entry];
  if (Array.isArray(entry) && entry.length > 0 && entry.every(isObject)) return entry;
  return [{ value: entry as IDataObject[string] }];
}

function readCount(count: unknown): number | undefined {
  const number = typeof count === 'string' && count.trim() !== '' ? Number(count) : count;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}
