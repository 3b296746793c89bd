import { NodeApiError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject, refusesContent } from './answer';
import type { ServiceStatement } from './answer';
import type { RequestOptions, ServiceClient } from './client';
import { unexpectedShape } from './shapes';

/** One page of a list (§2.8). */
export interface Page {
  records: IDataObject[];
  /** Records in the whole list, where the service tells. */
  total?: number;
  /** Records that were asked for: fewer than wanted, where the service refuses more. */
  pageSize: number;
  /** The number of the page after this one; left out where this is certainly the last. */
  nextPage?: number;
}

export interface PageOptions extends RequestOptions {
  /** From 1. */
  page?: number;
  /** Records that are wanted in one page; never more than 100 are asked for, and fewer may come. */
  pageSize?: number;
}

/** The limit of `page_size` is not shown (§8): one that is refused is halved, down to the smallest. */
const MAX_PAGE_SIZE = 100;
const MIN_PAGE_SIZE = 5;

/** So many pages in a row that bring nothing new end a list, whatever its `total` says. */
const MAX_IDLE_PAGES = 3;

/** By client, and so for one run: the page size that a list takes. */
const takenSizes = new WeakMap<ServiceClient, Map<string, number>>();

/**
 * Asks for one page of a list operation.
 *
 * @param filters the request fields of the operation, without `page` and `page_size`
 * @throws NodeApiError when the service refuses or cannot be reached
 * @throws UserError when the answer is not a list in a shape of the specification
 */
export async function queryPage(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  { page = 1, pageSize: wanted = MAX_PAGE_SIZE, ...options }: PageOptions = {},
): Promise<Page> {
  const taken = takenSizes.get(client) ?? new Map<string, number>();
  takenSizes.set(client, taken);
  let refusal: unknown;
  let pageSize = Math.min(wanted, taken.get(path) ?? MAX_PAGE_SIZE);
  for (;;) {
    try {
      const body = { ...filters, page, page_size: pageSize };
      const { records, total } = readPage(await client.request(path, body, options));
      if (refusal) taken.set(path, pageSize);
      const isFull = records.length >= pageSize;
      const saysMore = total === undefined || page * records.length < total;
      const isLast = records.length === 0 || !(isFull || saysMore);
      return { records, total, pageSize, ...(isLast ? {} : { nextPage: page + 1 }) };
    } catch (error) {
      refusal ??= error;
      // Only the first page can be refused for its size: the others have the size that was taken.
      if (page > 1 || !isRefusal(error) || pageSize < 2 * MIN_PAGE_SIZE) throw refusal;
      pageSize = Math.floor(pageSize / 2);
    }
  }
}

/** Whether the service refused a request for what was in it. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof NodeApiError)) return false;
  const { code, http_status: status } = (error.context.service ?? {}) as IDataObject;
  return refusesContent({ code, httpStatus: status } as ServiceStatement);
}

/**
 * Walks all pages and yields the records of each that did not come before. `total` is a hint: one that
 * is too low does not end a list whose pages are full, and one that is too high, or a page that is
 * empty or repeated, is gone beyond for a few pages.
 *
 * Records that are deleted meanwhile move later ones to a page that was read already. A `total` that
 * shrinks tells, and then the list is read once more for what was missed.
 *
 * @throws what `queryPage` throws
 */
export async function* queryAll(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  options: Omit<PageOptions, 'page'> = {},
): AsyncGenerator<IDataObject[], void> {
  const known = new KnownRecords();
  for (let isIncomplete = true; isIncomplete;) {
    const knownBefore = known.size;
    const inThisReading = new KnownRecords();
    let lastTotal = 0;
    let longest = Infinity;
    let idlePages = 0;
    let shrank = false;
    for (let page = 1; ; page++) {
      const { records, total, pageSize } = await queryPage(client, path, filters, {
        ...options,
        page,
      });
      const fresh = known.takeNew(records);
      if (fresh.length > 0) yield fresh;
      shrank ||= total !== undefined && total < lastTotal;
      lastTotal = total ?? lastTotal;
      idlePages = inThisReading.takeNew(records).length === 0 ? idlePages + 1 : 0;
      // What a full page holds is seen, not believed: a service may give fewer than it is asked for.
      const isFull = records.length >= Math.min(pageSize, longest);
      longest = page === 1 ? records.length : Math.max(longest, records.length);
      // A total below what has come is none.
      const mayHaveMore = total === undefined || total < inThisReading.size;
      const saysMore = total !== undefined && total > inThisReading.size;
      const goesOn =
        idlePages === 0
          ? isFull || mayHaveMore || saysMore
          : saysMore && idlePages < MAX_IDLE_PAGES;
      if (!goesOn) break;
    }
    isIncomplete = shrank && known.size > knownBefore;
  }
}

/** Which records came before, by id, or by content where there is none. */
class KnownRecords {
  size = 0;

  private readonly counts = new Map<string, number>();

  /** The records that are new. Equal ones inside one page are all kept: nothing says they are one. */
  takeNew(records: IDataObject[]): IDataObject[] {
    const inPage = new Map<string, number>();
    const fresh = records.filter((record) => {
      const key = JSON.stringify(record.id ?? record);
      const count = (inPage.get(key) ?? 0) + 1;
      inPage.set(key, count);
      return count > (this.counts.get(key) ?? 0);
    });
    for (const [key, count] of inPage) {
      this.counts.set(key, Math.max(count, this.counts.get(key) ?? 0));
    }
    this.size += fresh.length;
    return fresh;
  }
}

/**
 * Reads a list in any shape that the specification shows: the envelope of §2.8 bare (§4.13), under
 * `data` (§4.7), or in an array in an array, possibly several (§4.9, §4.11).
 *
 * @throws UserError that names the answer's keys, never its data, for any other shape
 */
export function readPage(answer: unknown): Pick<Page, 'records' | 'total'> {
  const envelopes = envelopesIn(answer, MAX_NESTING);
  if (envelopes === undefined) throw unexpectedShape(answer, "a page with a 'list' of records");
  const [first] = envelopes;
  return {
    // Some services write null for an empty list.
    records: envelopes.flatMap(({ list }) => (list ?? []).map(toRecord)),
    // Of several pages in one answer, none speaks for all.
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

/** A record as it came; one that is not an object is kept under `value`. */
function toRecord(record: unknown): IDataObject {
  return isObject(record) ? record : { value: record as IDataObject[string] };
}

function readTotal(total: unknown): number | undefined {
  const number = typeof total === 'string' && total.trim() !== '' ? Number(total) : total;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}
