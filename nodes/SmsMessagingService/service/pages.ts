import type { IDataObject } from 'n8n-workflow';
import { withExtraFields } from './client';
import type { ErrorOptions, ServiceClient } from './client';
import { findList } from './list';
import { seePage } from './newRecords';
import type { SeenRecords } from './newRecords';
import { idOf, keyOf } from './recordId';
import { shapeError } from './shapes';

/** `page_size` of lists that the user sets nothing for: pickers, and a search for one record. */
export const SMALL_PAGE_SIZE = 20;

/** A list with new records on every page ends here. */
export const MAX_PAGES = 1_000;

export interface ListQuery {
  client: ServiceClient;
  path: string;
  /** Whether the specification does not show the fields of a record, so that it may have no ID. */
  isGuess?: boolean;
  /** The request fields of the operation, without `page` and `page_size`. */
  filters?: IDataObject;
  pageSize?: number;
  timeoutMs?: number;
  /** Fields of the user that are merged into each request last. Null leaves a field out. */
  extra?: IDataObject;
}

export interface ListOptions extends ErrorOptions {
  /**
   * Called at the end with a sentence for the user, if the list may have more records than came. If left out,
   * a page that fails is an error, whatever came before.
   */
  onHint?: (hint: string) => void;
}

export interface Page {
  records: IDataObject[];
  /** Number of records in the whole list, if the service states it. */
  total?: number;
  /** Whether the page has as many records as were asked for, or as it states as its size. */
  isFull: boolean;
}

/**
 * Makes the request for one page.
 *
 * @throws NodeApiError if the service refuses or cannot be reached, and UserError if its answer is not
 * a list in a shape of the specification
 */
export async function askPage(
  query: ListQuery,
  page: number,
  options: ListOptions = {},
): Promise<Page> {
  const { client, path, filters, pageSize = SMALL_PAGE_SIZE, extra = {}, timeoutMs } = query;
  const body = withExtraFields({ ...filters, page, page_size: pageSize }, extra);
  const exchange = await client.exchange(path, body, { timeoutMs });
  if (exchange.kind !== 'answered') throw client.errorFor(exchange, options);
  const list = findList(exchange.body);
  if (!list) throw shapeError(exchange.body, 'list', "a page with a 'list' of records");
  const { records, total, pageSize: stated = Infinity } = list;
  // A service that gives fewer records than it is asked for may say so.
  const isFull = records.length >= Math.min(Number(body.page_size ?? Infinity), stated);
  return { records, total, isFull };
}

/** How far a list has been read. A value: each page gives a new one. */
export interface Position {
  readonly hasMore: boolean;
  readonly page: number;
  /** Number of different records on the pages before it. */
  readonly read: number;
  /** Of the whole list, if the service has stated it. */
  readonly total?: number;
}

export const START: Position = { hasMore: true, page: 1, read: 0 };

/**
 * Whether there is more, and which page is next. A full page is always followed, and a short one if records
 * are missing from the total. A page without a new record is the end.
 *
 * @param fresh number of its records that did not come before
 */
export function afterPage(before: Position, page: Page, fresh: number): Position {
  const read = before.read + fresh;
  const total = page.total ?? before.total;
  const hasMore = fresh > 0 && (page.isFull || (total ?? 0) > read);
  return { hasMore, page: before.page + 1, read, total };
}

/**
 * Reads a list and yields the new records of each page. If the user has fixed the page, it reads that page
 * only.
 *
 * @throws what `askPage` throws
 */
export async function* readList(
  query: ListQuery,
  { onHint, ...options }: ListOptions = {},
): AsyncGenerator<IDataObject[], void> {
  const seen: SeenRecords = new Map();
  let at = START;
  while (at.hasMore && at.page <= MAX_PAGES) {
    const page = await askPage(query, at.page, options).catch((error: Error) => {
      if (at.page === 1 || !onHint) throw error;
      onHint(
        `The service gave ${at.read} records. Page ${at.page} could not be read, so there may be more. ${error.message}.`,
      );
    });
    if (!page) return;
    const { fresh } = seePage(seen, page.records, keyOf);
    if (fresh.length > 0) yield fresh;
    if (query.extra && Object.hasOwn(query.extra, 'page')) return;
    at = afterPage(at, page, fresh.length);
  }
  hintAtEnd(at, onHint);
}

function hintAtEnd({ hasMore, read, total = 0 }: Position, onHint?: ListOptions['onHint']): void {
  if (hasMore) {
    onHint?.(
      `${read} records were read. The list goes on after ${MAX_PAGES} pages, and was not read further.`,
    );
  } else if (total > read) {
    onHint?.(`The service says that it has ${total} records, but gave ${read}.`);
  }
}

/**
 * Looks for the records with an ID. Reads page after page, because a service may not filter by ID.
 *
 * @returns those on the first page that has one; empty if there are none
 * @throws what `readList` throws, whatever page fails
 */
export async function lookUp(
  query: ListQuery,
  id: unknown,
  options?: Omit<ListOptions, 'onHint'>,
): Promise<IDataObject[]> {
  for await (const records of readList(query, options)) {
    const isOnly = query.isGuess && records.length === 1 && !Object.hasOwn(records[0] ?? {}, 'id');
    const found = records.filter((record) => isOnly || idOf(record) === String(id));
    if (found.length > 0) return found;
  }
  return [];
}
