import type { IDataObject } from 'n8n-workflow';
import type { Exchange } from './answer';
import { isObject } from './json';
import { hasCode, outerObject } from './statement';

/**
 * What the answer to a pull holds: `records`, or `nothing`, as it says; something `unreadable`, which is one of
 * its records, whole, for a person to read; or no field, so that it is `silent`.
 */
export interface PullContent {
  kind: 'records' | 'nothing' | 'unreadable' | 'silent';
  records: unknown[];
}

/** What stands beside `data`, and is about the answer. */
const ABOUT = ['code', 'msg', 'tp', 'request_id'];

/**
 * Reads the answer to a pull. A pull consumes its records, so nothing that arrived is thrown away,
 * whatever code stands beside it:
 *
 * - an array of objects under `data` is records, and lists or objects beside it are kept, too;
 * - nothing is there if `data` is missing or empty all the way down, and nothing beside it is a list, an
 *   object or a field of a record. An answer with neither a code nor `data` does not say so: a proxy or a wrong
 *   address answers like that;
 * - anything else is one record, the whole answer.
 *
 * @param fields a record with all its fields
 */
export function readPull(exchange: Exchange, fields: IDataObject): PullContent {
  const content = readBody(exchange, fields);
  if (exchange.bytes === undefined || content.records.length === 0) return content;
  content.records.push(unreadable(exchange.bytes, exchange));
  return { ...content, kind: 'unreadable' };
}

function readBody(exchange: Exchange, fields: IDataObject): PullContent {
  const { body } = exchange;
  const whole: PullContent = { kind: 'unreadable', records: [unreadable(body, exchange)] };
  const nothing: PullContent = { kind: 'nothing', records: [] };
  const outer = outerObject(body);
  if (outer === undefined) return isBlank(body) ? nothing : whole;
  const { data, ...beside } = outer;
  const records = recordsIn(data);
  if (records.length > 0) {
    if (holdsMore(beside, () => false)) records.push(unreadable(beside, exchange));
    return { kind: 'records', records };
  }
  const isSilent = saysNothing(outer);
  // Beside data, other services write these two about the answer.
  const isAbout = (name: string) => data !== undefined && ['status', 'time'].includes(name);
  // In an array, and without data, the answer looks like a record.
  const isOfRecord = (name: string) =>
    !isSilent &&
    ((data === undefined && body !== outer) || (Object.hasOwn(fields, name) && !isAbout(name)));
  if (!isNothing(data, isOfRecord) || holdsMore(beside, isOfRecord)) return whole;
  if (exchange.kind !== 'answered' || !isSilent) return nothing;
  if (!isBlank(outer)) return whole;
  return exchange.isNothingEmpty ? nothing : { kind: 'silent', records: [] };
}

/** Whether an answer did not come, or has nothing in it. */
function isBlank(answer: unknown): boolean {
  return Object.keys(Object(answer) as object).length === 0;
}

/** Whether an answer says nothing of a queue. */
const saysNothing = (outer: IDataObject) => !hasCode(outer) && !Object.hasOwn(outer, 'data');

/** Names of a list that has become an object, such as in PHP. A longer one may be a phone number. */
const INDEX = /^\d{1,6}$/;

/** The records under `data`: the objects of a list, or of an object whose names are digits. Empty for anything else. */
function recordsIn(data: unknown): IDataObject[] {
  const isList = isObject(data) && Object.keys(data).every((name) => INDEX.test(name));
  const list = Array.isArray(data) || isList ? Object.values<unknown>(data) : [];
  const records = list.filter((record) => typeof record !== 'object' || !isBlank(record));
  return records.every(isObject) && !isEmpty(records) ? records : [];
}

/** Whether an object has more than what is about the answer: a list, an object, or a field of a record. */
function holdsMore(beside: IDataObject, isOfRecord: (name: string) => boolean): boolean {
  return Object.entries(beside).some(([name, part]) => {
    const isThere = isOfRecord(name) ? !isEmpty(part) : typeof part === 'object' && !isBlank(part);
    return isThere && !ABOUT.includes(name);
  });
}

/** An empty list or object as text, and no text. */
const EMPTY_TEXT = /^\s*(?:null|\[\s*\]|\{\s*\})?\s*$/;

/** Whether `data` is empty, or a page without records: its numbers say nothing, and no field is a record's. */
function isNothing(data: unknown, isOfRecord: (name: string) => boolean): boolean {
  if (!isObject(data) || data.list === undefined) return isEmpty(data);
  return Object.entries(data).every(
    ([name, part]) =>
      isEmpty(part) || !(name === 'list' || typeof part === 'object' || isOfRecord(name)),
  );
}

/**
 * Whether a value is missing, empty or 0, and so is everything in it. A name with `false` is not empty: it may be a
 * phone number that got no message.
 */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isEmpty);
  if (isObject(value)) return Object.values(value).every((part) => part !== false && isEmpty(part));
  if (typeof value === 'string') return EMPTY_TEXT.test(value);
  return value === undefined || value === null || value === 0 || value === false;
}

/** Wraps what was not understood, for a person to read. */
function unreadable(answer: unknown, { hide = (value) => value }: Exchange): IDataObject {
  return { event: 'unreadable', answer: hide(answer) as IDataObject };
}

/** Whether a record is what `readPull` makes of what it does not understand. */
export function isUnreadable(record: unknown): record is IDataObject {
  return isObject(record) && record.event === 'unreadable' && 'answer' in record;
}
