import type { IDataObject } from 'n8n-workflow';
import { refusesContent } from './answer';
import type { Unanswered } from './answer';
import type { RequestOptions, ServiceClient } from './client';
import { withExtraFields } from './extraFields';
import { findListEnvelope, readListEnvelope } from './listEnvelope';
import type { ListEnvelope } from './listEnvelope';
import { findNew, markSeen } from './newRecords';
import type { SeenRecords } from './newRecords';

/** One page of a list. */
export interface Page extends ListEnvelope {
  kind: 'page';
  /** Number of records that were asked for: fewer than wanted, where the service refuses more. */
  pageSize: number;
  /** Whether it has as many records as a page can have. */
  isFull: boolean;
  /** The number of the page after this one. Left out where this is certainly the last. */
  nextPage?: number;
}

export interface PageOptions extends RequestOptions {
  /** From 1. */
  page?: number;
  /** Number of records wanted in one page. At most 100 are asked for, and fewer may come. */
  pageSize?: number;
  /** Fields of the user that are merged into each request last. Null leaves a field out. */
  extra?: IDataObject;
}

/** The limit of `page_size` is not shown. A refused size is halved, down to the smallest. */
const MAX_PAGE_SIZE = 100;
const MIN_PAGE_SIZE = 5;

/** After this many consecutive pages without a new record a list ends, whatever its `total` says. */
const MAX_IDLE_PAGES = 3;

/** A list that grows all the time would never be complete. */
const MAX_READINGS = 5;

/** By client, and so for one run: the page size that the service accepted for each list. */
const acceptedSizes = new WeakMap<ServiceClient, Map<string, number>>();

/**
 * Asks for one page of a list. A page size that the service refuses is halved. Pages count from 1; where
 * the first is empty and nothing says that the list is, they count from 0.
 *
 * @param filters the request fields of the operation, without `page` and `page_size`
 * @returns the page, or why there is none
 * @throws UserError when the answer is not a list in a shape of the specification
 */
export async function tryPage(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  { page = 1, pageSize: wanted = MAX_PAGE_SIZE, timeoutMs, extra = {} }: PageOptions = {},
): Promise<Page | Unanswered> {
  const accepted = acceptedSizes.get(client) ?? new Map<string, number>();
  acceptedSizes.set(client, accepted);
  let refusal: Unanswered | undefined;
  let pageSize = Math.min(wanted, accepted.get(path) ?? MAX_PAGE_SIZE);
  for (;;) {
    const exchange = await client.exchange(
      path,
      withExtraFields({ ...filters, page, page_size: pageSize }, extra),
      timeoutMs,
    );
    if (exchange.kind === 'answered') {
      // A refusal says more than a later answer that is not a list.
      if (refusal && !findListEnvelope(exchange.body)) return refusal;
      const { records, total, pageSize: stated } = readListEnvelope(exchange.body);
      if (refusal) accepted.set(path, pageSize);
      if (page === 1 && records.length === 0 && total !== 0) {
        const before = await tryPage(client, path, filters, {
          page: 0,
          pageSize,
          timeoutMs,
          extra,
        });
        if (before.kind === 'page') return before;
      }
      // A service may give fewer records than it is asked for, and say so.
      const isFull = records.length >= Math.min(pageSize, stated ?? pageSize);
      const saysMore = total === undefined || page * records.length < total;
      const isLast = records.length === 0 || !(isFull || saysMore);
      const nextPage = isLast || page === 0 ? undefined : page + 1;
      return { kind: 'page', records, total, pageSize, isFull, nextPage };
    }
    refusal ??= exchange;
    // Only the first page can be refused for its size: the others have the size that was accepted.
    const mayBeTooLarge = page === 1 && refusesContent(exchange) && pageSize >= 2 * MIN_PAGE_SIZE;
    if (!mayBeTooLarge) return refusal;
    pageSize = Math.floor(pageSize / 2);
  }
}

/**
 * Like `tryPage`, for operations that need the page.
 *
 * @throws NodeApiError when the service refuses or cannot be reached
 */
export async function queryPage(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  options: PageOptions = {},
): Promise<Page> {
  const page = await tryPage(client, path, filters, options);
  if (page.kind === 'page') return page;
  throw client.errorFor(page, options);
}

/** How a list is walked. */
export interface WalkOptions extends Omit<PageOptions, 'page'> {
  /** Told in the end, where fewer records came than the service says that there are. */
  onMissing?: (total: number, found: number) => void;
}

/**
 * Walks all pages and yields the new records of each. `total` is a hint: one that is too low does not
 * end a list whose pages are full; one that is too high, or a page that is empty or repeated, costs a
 * few more pages.
 *
 * A record that is deleted meanwhile moves a later one to a page that was read already, and so does a
 * service that has no fixed order. So where records are missing in the end, page 0 is read, in case that
 * pages count from there, and then the list again, as long as that brings new ones.
 *
 * @throws what `queryPage` throws
 */
export async function* queryAll(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  { onMissing, ...options }: WalkOptions = {},
): AsyncGenerator<IDataObject[], void> {
  const known = new KnownRecords();
  let isIncomplete = true;
  for (let reading = 1; isIncomplete; reading++) {
    const knownBefore = known.size;
    const inThisReading = new KnownRecords();
    let lastTotal: number | undefined;
    let longest = Infinity;
    let idlePages = 0;
    let shrank = false;
    for (let page = 1; ; page++) {
      const read = await tryPage(client, path, filters, { ...options, page });
      if (read.kind !== 'page') {
        // A service may refuse a page after the last one.
        if (page > 1 && lastTotal !== undefined && inThisReading.size >= lastTotal) break;
        throw client.errorFor(read, options);
      }
      const { records, total } = read;
      const fresh = known.takeNew(records);
      if (fresh.length > 0) yield fresh;
      shrank ||= total !== undefined && total < (lastTotal ?? 0);
      lastTotal = total ?? lastTotal;
      idlePages = inThisReading.takeNew(records).length === 0 ? idlePages + 1 : 0;
      // The longest page so far is a full one too.
      const isFull = read.isFull || records.length >= longest;
      longest = page === 1 ? records.length : Math.max(longest, records.length);
      // A total below the number of records that came is wrong.
      const mayHaveMore = total === undefined || total < inThisReading.size;
      const saysMore = total !== undefined && total > inThisReading.size;
      const goesOn =
        idlePages === 0
          ? isFull || mayHaveMore || saysMore
          : saysMore && idlePages < MAX_IDLE_PAGES;
      if (!goesOn) break;
    }
    if ((lastTotal ?? Infinity) > inThisReading.size && inThisReading.size > 0) {
      const before = await tryPage(client, path, filters, { ...options, page: 0 });
      const fresh = before.kind === 'page' ? known.takeNew(before.records) : [];
      if (fresh.length > 0) yield fresh;
    }
    const stated = lastTotal ?? 0;
    const isShort = stated > known.size;
    isIncomplete = (shrank || isShort) && known.size > knownBefore && reading < MAX_READINGS;
    if (isShort && !isIncomplete) onMissing?.(stated, known.size);
  }
}

/** Which records came before, by id, or by content where there is none. */
class KnownRecords {
  size = 0;

  private readonly seen: SeenRecords = new Map();

  takeNew(page: IDataObject[]): IDataObject[] {
    const sighting = findNew(this.seen, page, (record) => JSON.stringify(record.id ?? record));
    markSeen(this.seen, sighting);
    this.size += sighting.fresh.length;
    return sighting.fresh;
  }
}
