import type { IDataObject } from 'n8n-workflow';
import { isObject, readCount } from './json';
import { isIdName } from './recordId';
import { shapeError } from './shapes';
import { hasCode, STATEMENT_FIELDS } from './statement';
import { visit } from './visit';
import type { Inside, Visitor } from './visit';
import { isExactly, PAGE, PAGE_ANSWER } from './wire';

/** What one answer of a list holds. */
interface RecordList {
  records: IDataObject[];
  /** Number of records in the whole list. Undefined if the service does not state it. */
  total?: number;
  /** Maximum number of records on a page. Undefined if the service does not state it. */
  pageSize?: number;
}

/**
 * Like `findList`, for operations that need the list.
 *
 * @throws UserError for any other shape. It names the answer's keys, never its data.
 */
export function requireList(answer: unknown): RecordList {
  const found = findList(answer);
  if (found === undefined) throw shapeError(answer, "a page with a 'list' of records");
  return found;
}

/** Reads a list in a shape of the specification, or else in another one that leaves no doubt. */
export function findList(answer: unknown): RecordList | undefined {
  return strictList(answer) ?? tolerantList(answer);
}

/**
 * Reads a list in the shapes that the specification shows: a page bare, under `data`, or in an array in
 * an array. Several pages in one answer make one list.
 *
 *     { "list": [{ … }], "page": 1, "page_size": 10, "total": 1 }
 *     { "code": 0, "msg": "…", "data": { "list": [{ … }], … }, "tp": 1767225600, "request_id": "…" }
 *     [[{ "list": [{ … }], "page": 1, "page_size": 10, "total": 1 }]]
 */
export function strictList(answer: unknown): RecordList | undefined {
  const page = isExactly(answer, PAGE_ANSWER) ? answer.data : answer;
  const isNested = Array.isArray(answer) && answer.length > 0 && answer.every(Array.isArray);
  const pages: unknown[] = isNested ? answer.flat() : [page];
  const areExact = pages.every((one) => isExactly(one, PAGE) && one.list.every(isObject));
  return areExact && pages.length > 0 ? listOf(pages as Page[]) : undefined;
}

/**
 * Reads a list in another shape, if its keys leave no doubt: pages with fewer or more fields or other
 * things around them, records with an ID directly under `data` or under another name than `list`, or
 * nothing at all in a success.
 */
function tolerantList(answer: unknown): RecordList | undefined {
  const pages = isSuccessAlone(answer) ? [] : visit(answer, PAGES, {});
  return pages && listOf(pages);
}

/** What a page states about the list. */
interface Numbers {
  total?: unknown;
  page_size?: unknown;
}

interface Page extends Numbers {
  list: unknown[];
}

/** Undefined for a value that has no pages. */
type Pages = Page[] | undefined;

const PAGES: Visitor<Pages, Numbers> = {
  object: pagesInObject,
  list: pagesInArray,
  leaf: () => undefined,
};

/** The list that some pages make. The numbers of one of several pages are not about the whole list. */
function listOf(pages: Page[]): RecordList {
  const [only, ...others] = pages;
  const count = (number: unknown) => (others.length > 0 ? undefined : readCount(number));
  const records = pages.flatMap(({ list }) => list.flatMap(toRecords));
  return { records, total: count(only?.total), pageSize: count(only?.page_size) };
}

/** Fields that are about the request, and the time of the answer. */
const STATEMENT = new Set([...STATEMENT_FIELDS, 'tp']);

/** Fields of a page beside its records. */
const PAGING = new Set(['total', 'page', 'page_size']);

/** The pages in an object. The numbers of a page may be beside it, or further out. */
function pagesInObject(value: IDataObject, inside: Inside<Pages, Numbers>, around: Numbers): Pages {
  if ('id' in value) return undefined;
  const { list, data } = value;
  const numbers = numbersOf(value, around);
  if (Array.isArray(list) && list.length > 0) return [{ list, ...numbers }];
  const empty = [{ list: [], ...numbers }];
  // The records may be under `data` beside an empty list.
  if (hasList(value)) return (isObject(data) ? inside(data, numbers) : undefined) ?? empty;
  const parts = Object.keys(value).filter((key) => isPart(key, value[key]));
  const [name, ...others] = filledParts(value, parts);
  if (name === undefined) return isEmptyList(value, parts) ? empty : undefined;
  return others.length === 0 ? inside(value[name], numbers) : undefined;
}

function numbersOf({ total, page_size }: IDataObject, around: Numbers): Numbers {
  return { total: total ?? around.total, page_size: page_size ?? around.page_size };
}

/** The pages in an array: it has pages, arrays of them, or the records of a page. */
function pagesInArray(values: unknown[], inside: Inside<Pages, Numbers>, around: Numbers): Pages {
  const isOuter = (value: unknown) => Array.isArray(value) || (isObject(value) && isPage(value));
  if (values.every(isOuter)) {
    const found = values.map((value) => inside(value, around));
    return found.every((pages) => pages !== undefined) ? found.flat() : undefined;
  }
  return values.every(isRecord) ? [{ list: values, ...around }] : undefined;
}

/** Whether an object is a page. Some services write null for an empty list. */
export function hasList({ list }: IDataObject): boolean {
  return Array.isArray(list) || list === null;
}

/** The parts that are not empty. If there is `data`, only lists beside it may hold records. */
function filledParts(value: IDataObject, parts: string[]): string[] {
  const hasData = parts.includes('data');
  return parts.filter(
    (key) => !isEmpty(value[key]) && (key === 'data' || !hasData || Array.isArray(value[key])),
  );
}

/** Whether an object without records says that the list is empty. */
function isEmptyList(value: IDataObject, parts: string[]): boolean {
  if (parts.includes('data') || (isPage(value) && value.list === undefined)) return true;
  const isAlone = Object.keys(value).every((key) => parts.includes(key) || STATEMENT.has(key));
  return isAlone && hasCode(value);
}

/** Whether a value is a record, and not, for example, a description of what went wrong. */
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

/** Whether an answer is `{ code: 0, msg }` and nothing else: the service has no records. */
function isSuccessAlone(answer: unknown): boolean {
  return (
    isObject(answer) && hasCode(answer) && Object.keys(answer).every((name) => STATEMENT.has(name))
  );
}

/** An entry of a list: a record, or several. One that is not an object is kept under `value`. */
function toRecords(entry: unknown): IDataObject[] {
  if (isObject(entry)) return [entry];
  if (Array.isArray(entry) && entry.length > 0 && entry.every(isObject)) return entry;
  return [{ value: entry as IDataObject[string] }];
}
