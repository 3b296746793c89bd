import type { IDataObject } from 'n8n-workflow';
import { isObject, parseJson } from './json';
import { hasList } from './list';
import { hasCode, STATEMENT_FIELDS } from './statement';
import { visit } from './visit';
import type { Inside, Visitor } from './visit';
import { isExactly, PULL_ANSWER } from './wire';
import type { WireFields } from './wire';

/**
 * The records in the answer to a pull. A pull consumes its records, so none is thrown away because of the
 * shape of the answer.
 *
 * @param fields of a record, as the specification shows it
 * @returns undefined if the answer holds something that cannot be recognised
 */
export function recordsIn(answer: unknown, fields: WireFields): unknown[] | undefined {
  return strictRecords(answer, fields) ?? tolerantRecords(answer, fields);
}

/**
 * The records in the shape that the specification shows: under `data`, each with all of its fields.
 *
 *     { "code": 0, "msg": "…", "data": [{ "batch_id": "…", … }] }
 */
export function strictRecords(answer: unknown, fields: WireFields): IDataObject[] | undefined {
  if (!isExactly(answer, PULL_ANSWER)) return undefined;
  const { data } = answer;
  return data.every((record) => isExactly(record, fields)) ? (data as IDataObject[]) : undefined;
}

/** The entries under `data`, whatever they have, and the records that are anywhere else. */
function tolerantRecords(answer: unknown, fields: WireFields): unknown[] | undefined {
  const isPlain = isObject(answer) && Array.isArray(answer.data) && answer.data.every(isEntry);
  const { records, unknown } = search(isPlain ? { ...answer, data: [] } : answer, fields);
  const all = isPlain ? [...(answer.data as unknown[]), ...records] : records;
  if (all.length === 0 && unknown.length > 0) return undefined;
  return [...all, ...unknown.map(unreadable)];
}

/**
 * What is in an answer that was refused or not understood: the records that are recognised by their
 * fields, or else the answer itself, for a person to read. Empty if it has words only.
 *
 * @param answer undefined if none came; a text if a part of it came
 */
export function heldIn(answer: unknown, fields: WireFields): unknown[] {
  if (typeof answer === 'string') return [unreadable(answer)];
  const { records, unknown } = search(answer, fields);
  if (records.length > 0) return [...records, ...unknown.map(unreadable)];
  return holdsNothing(answer) ? [] : [unreadable(answer)];
}

/** Whether an entry under `data` is taken as a record, whatever it has. The others hold records. */
function isEntry(value: unknown): boolean {
  if (isObject(value)) return !hasList(value);
  return !Array.isArray(value) && !(typeof value === 'string' && parseJson(value) !== undefined);
}

/** What is in an answer, or in a part of it. */
interface Found {
  records: unknown[];
  /** Parts that may be records with fields that are not known. */
  unknown: unknown[];
}

const NONE: Found = { records: [], unknown: [] };

function unknownIs(...unknown: unknown[]): Found {
  return { records: [], unknown };
}

function search(answer: unknown, fields: WireFields): Found {
  return visit(answer, new Search(fields), 'answer');
}

/**
 * What explains single values in an object, so that they are not fields of an unknown record:
 *
 * - `list`: a list or a record beside them. They are about it;
 * - `empty`: an empty `data`. They are about the answer, unless one is long enough to be the records;
 * - `answer`: the object is the answer itself, so numbers are about it;
 * - `none`: nothing, so they are fields of a record.
 */
type Beside = 'list' | 'empty' | 'answer' | 'none';

/** Looks through an answer for records with these fields. */
class Search implements Visitor<Found, Beside> {
  constructor(private readonly known: WireFields) {}

  object(value: IDataObject, inside: Inside<Found, Beside>, around: Beside): Found {
    if (this.isRecord(value)) return { records: [value], unknown: [] };
    const fields = Object.entries(value).filter(([name, part]) => !isStatement(name, part));
    const isListed = fields.some(([, part]) => Array.isArray(part)) || hasList(value);
    const beside = besideIn(value, isListed, around);
    const found = fields.map(([, part]) => inside(part, passedOn(beside)));
    const records = found.flatMap((part) => part.records);
    const explained = records.length > 0 ? 'list' : beside;
    const isTop = around === 'answer';
    const single = fields.filter(
      ([name, part]) => (isSingle(part) || isBare(part)) && !isRemark(name, part, explained, isTop),
    );
    if (records.length === 0 && single.length > 0) return unknownIs(value);
    const parts = found.filter((_, index) => !isSingle(fields[index]?.[1]));
    const unknown = [...parts.flatMap((part) => part.unknown), ...single.map(([, part]) => part)];
    return { records, unknown };
  }

  /** An entry that is not a record and holds none is a record with fields that are not known. */
  list(values: unknown[], inside: Inside<Found, Beside>): Found {
    if (values.some((value) => this.isRecord(value))) return { records: values, unknown: [] };
    const found = values.map((value) => inside(value, 'none'));
    const records = found.flatMap((part) => part.records);
    if (records.length === 0) return values.every(isBare) ? NONE : unknownIs(values);
    const beside = found.flatMap((part) => (part.records.length > 0 ? part.unknown : []));
    const others = values.filter((value, index) => !found[index]?.records.length && !isBare(value));
    return { records, unknown: [...beside, ...others] };
  }

  leaf(value: unknown, inside: Inside<Found, Beside>): Found {
    if (this.isRecord(value)) return { records: [value], unknown: [] };
    if (typeof value === 'number' || typeof value === 'boolean' || isBare(value)) return NONE;
    const parsed = typeof value === 'string' ? parseJson(value) : undefined;
    return parsed === undefined ? unknownIs(value) : inside(parsed, 'none');
  }

  /**
   * What has a code or data is an answer, not a record. Two known fields are enough: which fields a service
   * may leave out is not shown.
   */
  private isRecord(value: unknown): boolean {
    if (!isObject(value) || 'code' in value || 'data' in value) return false;
    return Object.keys(this.known).filter((name) => name in value).length >= 2;
  }
}

function isStatement(name: string, part: unknown): boolean {
  return STATEMENT_FIELDS.includes(name) && typeof part !== 'object';
}

/** What explains the single values in an object. */
function besideIn(value: IDataObject, isListed: boolean, otherwise: Beside): Beside {
  if (isListed) return 'list';
  return 'data' in value && hasCode(value) && isBare(value.data) ? 'empty' : otherwise;
}

/** What explains the single values in the objects inside. */
function passedOn(beside: Beside): Beside {
  return beside === 'list' || beside === 'empty' ? 'list' : 'none';
}

/** Whether a value is not an object or a list, and not the JSON of one. */
function isSingle(value: unknown): boolean {
  if (typeof value === 'string') return parseJson(value) === undefined;
  return typeof value !== 'object';
}

/** Whether a single value is about the answer or the page, so not a part of a record. */
function isRemark(name: string, part: unknown, beside: Beside, isTop: boolean): boolean {
  // In a map from phone numbers to statuses, a status may be 0, or missing.
  if (PHONE_NUMBER.test(name)) return false;
  if (isBare(part) || part === 0 || part === false) return true;
  // The answer itself may have the phone number of the account.
  const isData = !FIELD_NAME.test(name) || (!isTop && PHONE_NUMBER.test(String(part)));
  return !isData && isExplained(name, part, beside);
}

function isExplained(name: string, part: unknown, beside: Beside): boolean {
  const text = String(part);
  if (beside === 'list' || STATEMENT_FIELDS.includes(name)) return isWords(text);
  if (beside === 'answer') return typeof part !== 'string';
  return (beside === 'empty' || SAYING.test(name)) && REMARK.test(text);
}

const BARE = new Set<unknown>([undefined, null, '', 'null']);

/** Whether a value has no content, or only content about a page. */
function isBare(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBare);
  if (!isObject(value)) return BARE.has(value);
  return Object.entries(value).every(([name, part]) =>
    typeof part === 'object' && !PHONE_NUMBER.test(name)
      ? isBare(part)
      : isRemark(name, part, 'none', false),
  );
}

/** Whether a refusal has only words and numbers about itself, so no record. */
export function holdsNothing(answer: unknown): boolean {
  if (!isObject(answer)) return isBare(answer);
  return Object.entries(answer).every(([name, part]) => saysOnly(name, part, true));
}

/** A refusal may say in an object what it is about. Deeper, and in lists, only bare values are not records. */
function saysOnly(name: string, part: unknown, isTop: boolean): boolean {
  if (FAILURE.test(name)) return hasWordsOnly(part);
  const value = typeof part === 'string' ? (parseJson(part) ?? part) : part;
  if (typeof value !== 'object') return isRemark(name, value, 'list', isTop);
  if (!isTop || !isObject(value)) return isBare(value) || isListOfWords(value);
  return Object.entries(value).every(([inner, each]) => saysOnly(inner, each, false));
}

function isListOfWords(value: unknown): boolean {
  const isWord = (entry: unknown) =>
    typeof entry === 'string' && isSingle(entry) && isRemark('', entry, 'list', false);
  return Array.isArray(value) && value.every(isWord);
}

function hasWordsOnly(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isWords(String(value));
  return Object.values(value).every(hasWordsOnly);
}

/** Whether a text is too short for records, or has no phone number, which every record has. */
function isWords(text: string): boolean {
  return REMARK.test(text) || !/\d{7}/.test(text);
}

/** The name of a field. Any other name is data, such as a batch ID or phone number. */
const FIELD_NAME = /^(?!.*\d{4})\w*$/;

/** Too short for records, and without anything that could divide their fields. */
const REMARK = /^[^,;|\t\n]{0,100}$/;

/** Of mainland China. */
const PHONE_NUMBER = /(?<!\d)(?:86)?1[3-9]\d{9}(?!\d)/;

/** Fields that are about the request or the page. */
const SAYING =
  /^(?:desc|description|info|tips?|reason|remark|note|detail|status|state|result|success|ok|requestid|trace_?id|tp|(?:server_?)?time|timestamp|ts|version|total|count|num|size|limit|offset|(?:total|page|per|cur|current)_?(?:pages?|size|no|num|number|count|index)?|pages?|has_?(?:more|next)|next|more|cursor)$/i;

/** Fields that tell what went wrong. */
const FAILURE = /err|exception|cause|fault|violation|trace|debug/i;

/** Wraps an answer in which no record was recognised, for a person to read. */
export function unreadable(answer: unknown): IDataObject {
  return { event: 'unreadable', answer: answer as IDataObject };
}

/** Whether a record is what `unreadable` returns. */
export function isUnreadable(record: unknown): record is IDataObject {
  return isObject(record) && record.event === 'unreadable' && 'answer' in record;
}
