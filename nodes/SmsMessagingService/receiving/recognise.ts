import type { IDataObject } from 'n8n-workflow';
import { isObject, parseJson } from '../service/json';
import { hasCode, isDoubtful, STATEMENT_FIELDS } from '../service/statement';
import type { EventDescription } from './events';

/** Deep enough for `data` as JSON text with lists in a map. */
const MAX_NESTING = 4;

/**
 * The records in the answer to a pull: under `data`, as the specification shows, or wherever objects
 * with the fields of a record are. A pull consumes its records, so none is thrown away for the shape of
 * the answer.
 *
 * @returns undefined where the answer holds something that cannot be recognised
 */
export function recordsIn(answer: unknown, event: EventDescription): unknown[] | undefined {
  // What has a code or data is an answer, not a record.
  const isRecord = (value: unknown) =>
    isObject(value) && !('code' in value) && !('data' in value) && hasFieldsOf(value, event);
  if (isObject(answer) && Array.isArray(answer.data) && answer.data.every(isEntry)) {
    const { data, ...others } = answer;
    return [...data, ...(search(others, isRecord, MAX_NESTING) ?? [])];
  }
  const found = search(withoutRemarks(answer), isRecord, MAX_NESTING);
  return found?.length === 0 && isDoubtful(answer) ? undefined : found;
}

/** An answer with a code, without the short texts beside its `data`. */
function withoutRemarks(answer: unknown): unknown {
  if (!isObject(answer) || !('data' in answer) || !hasCode(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer).filter(
      ([name, value]) => name === 'data' || typeof value !== 'string' || !REMARK.test(value),
    ),
  );
}

/** Whether an answer has words, numbers and empty lists only, and so no record. */
export function holdsNothing(answer: unknown): boolean {
  // Every record has a phone number.
  if (typeof answer === 'string') return REMARK.test(answer) || !/\d{7}/.test(answer);
  if (typeof answer !== 'object' || answer === null) return true;
  return Object.values(answer).every(holdsNothing);
}

/** Too short for records, and without anything that could divide their fields. */
const REMARK = /^[^,;|\t\n]{0,100}$/;

/** Whether an entry under `data` is taken as a record, whatever it has. The others hold records. */
function isEntry(value: unknown): boolean {
  if (isObject(value)) return !Array.isArray(value.list);
  return !Array.isArray(value) && !(typeof value === 'string' && parseJson(value) !== undefined);
}

function search(
  value: unknown,
  isRecord: (value: unknown) => boolean,
  nesting: number,
): unknown[] | undefined {
  if (isRecord(value)) return [value];
  if (value === '' || value === 'null') return [];
  if (typeof value === 'string') {
    const parsed = parseJson(value);
    return parsed === undefined ? undefined : search(parsed, isRecord, nesting - 1);
  }
  if (typeof value !== 'object' || value === null) return [];
  if (nesting <= 0) return undefined;
  if (Array.isArray(value)) {
    if (value.some(isRecord)) return value as unknown[];
    if (value.some(isFlat)) return undefined;
  }
  const parts = Object.entries(value as IDataObject).flatMap(([name, part]): unknown[] =>
    STATEMENT_FIELDS.includes(name) && typeof part !== 'object' ? [] : [part],
  );
  const found = parts.map((part) => search(part, isRecord, nesting - 1));
  const records = found.flatMap((part) => part ?? []);
  // Beside a list or a record, a text is a remark. Otherwise it may hold the records.
  const isExplained = records.length > 0 || parts.some((part) => Array.isArray(part));
  const unknown = parts.filter(
    (part, index) => found[index] === undefined && (typeof part === 'object' || !isExplained),
  );
  if (records.length > 0) return [...records, ...unknown.map(unreadable)];
  return unknown.length > 0 ? undefined : [];
}

/** An object without lists or objects in it. In a list, it is a record with unknown fields. */
function isFlat(value: unknown): boolean {
  if (!isObject(value)) return false;
  const parts = Object.values(value);
  return parts.length > 0 && parts.every((part) => typeof part !== 'object');
}

/** Two known fields are enough: which fields a service may leave out is not shown. */
function hasFieldsOf(value: IDataObject, { samples: [sample] }: EventDescription): boolean {
  return Object.keys(sample ?? {}).filter((name) => name in value).length >= 2;
}

/** An answer in which no records were recognised, as a record, for a person to read. */
export function unreadable(answer: unknown): IDataObject {
  return { event: 'unreadable', answer: answer as IDataObject };
}

export function isUnreadable(record: unknown): record is IDataObject {
  return isObject(record) && record.event === 'unreadable' && 'answer' in record;
}
