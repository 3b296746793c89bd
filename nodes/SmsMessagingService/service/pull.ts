import type { IDataObject } from 'n8n-workflow';
import { isObject } from './json';
import { outerObject } from './statement';

/** What the answer to a pull holds. */
export interface PullContent {
  /** Its records. An answer that is not understood is one of them, whole, for a person to read. */
  records: unknown[];
  /** Whether the answer has a shape of the specification, or holds nothing. */
  isUnderstood: boolean;
}

const NOTHING: PullContent = { records: [], isUnderstood: true };

/** What stands beside `data`, and is about the answer. */
const ABOUT = ['code', 'msg', 'tp', 'request_id'];

/**
 * Reads the answer to a pull. A pull consumes its records, so nothing that arrived is thrown away,
 * whatever code stands beside it:
 *
 * - an array of objects under `data` is records, and lists or objects beside it are kept, too;
 * - nothing is there if `data` is missing or empty all the way down, and no list or object beside it
 *   holds anything;
 * - anything else is one record, the whole answer.
 *
 * @param answer undefined if none came; a text if it is not JSON, or was cut off
 */
export function readPull(answer: unknown): PullContent {
  const whole = { records: [unreadable(answer)], isUnderstood: false };
  const outer = outerObject(answer);
  if (outer === undefined) return isEmpty(answer) ? NOTHING : whole;
  const { data, ...beside } = outer;
  const holdsMore = Object.entries(beside).some(
    ([name, part]) => !ABOUT.includes(name) && holdsSomething(part),
  );
  if (isEmpty(data) && !holdsMore) return NOTHING;
  if (isListOfObjects(data)) {
    return { records: holdsMore ? [...data, unreadable(beside)] : data, isUnderstood: true };
  }
  return whole;
}

function isListOfObjects(data: unknown): data is IDataObject[] {
  return Array.isArray(data) && data.length > 0 && data.every(isObject);
}

function holdsSomething(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Object.keys(part).length > 0;
}

/** Whether a value is missing, empty or 0, and so is everything in it. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === '' || value === 0;
}

/** Wraps what was not understood, for a person to read. */
function unreadable(answer: unknown): IDataObject {
  return { event: 'unreadable', answer: answer as IDataObject };
}

/** Whether a record is what `readPull` makes of what it does not understand. */
export function isUnreadable(record: unknown): record is IDataObject {
  return isObject(record) && record.event === 'unreadable' && 'answer' in record;
}
