import type { IDataObject } from 'n8n-workflow';
import { isObject, readDigits } from './json';
import { hasCode, STATEMENT_FIELDS } from './statement';

/**
 * Reads a list in a shape of the specification: a page bare, under `data`, or in an array in an array. The
 * records may also be directly under `data`, and the numbers may be missing. Several pages make one list.
 *
 *     { "list": [{ … }], "page": 1, "page_size": 10, "total": 1 }
 *     { "code": 0, "msg": "…", "data": { "list": [{ … }], … }, "tp": 1767225600, "request_id": "…" }
 *     [[{ "list": [{ … }], "page": 1, "page_size": 10, "total": 1 }]]
 *
 * @returns undefined for any other answer. So are the numbers of the whole list and of a page that the service does
 * not state
 */
export function findList(answer: unknown) {
  const isNested = Array.isArray(answer) && answer.every(Array.isArray);
  const pages = (isNested ? answer.flat() : [answer]).map(pageIn);
  if (!pages.every((page) => page !== undefined)) return undefined;
  // The numbers of one of several pages are not about the whole list.
  const only = pages.length === 1 ? pages[0] : undefined;
  const records = pages.flatMap(({ list }) => list);
  return { records, total: readDigits(only?.total), pageSize: readDigits(only?.page_size) };
}

/** The page in an answer. Undefined if it has none, and does not say that there is nothing. */
function pageIn(answer: unknown) {
  if (!isObject(answer)) return undefined;
  const { data } = answer;
  if (Array.isArray(data)) return pageWith(data, answer);
  const page = isObject(data) && hasList(data) ? data : answer;
  if (hasList(page)) return pageWith((page.list ?? []) as unknown[], page);
  return hasNoRecords(answer) ? pageWith([], answer) : undefined;
}

function pageWith(list: unknown[], { total, page_size }: IDataObject) {
  return list.every(isObject) ? { list, total, page_size } : undefined;
}

/** Whether an object is a page. Some services write null for an empty list. */
function hasList({ list }: IDataObject): boolean {
  return Array.isArray(list) || list === null;
}

/** Fields that are about the request or the list, and hold no records. */
const NUMBERS = new Set([...STATEMENT_FIELDS, 'tp', 'page', 'page_size', 'total']);

/** Whether a success has nothing but its code, such as `{ code: 0, msg, data: null }`. */
function hasNoRecords(answer: IDataObject): boolean {
  const others = Object.keys(answer).filter((name) => !NUMBERS.has(name));
  return hasCode(answer) && others.every((name) => isVoid(answer[name]));
}

function isVoid(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}
