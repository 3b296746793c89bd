import type { IDataObject, NodeApiError, UserError } from 'n8n-workflow';
import { refusesContent } from './answer';
import type { Exchange, Unanswered } from './answer';
import { withExtraFields } from './client';
import type { RequestOptions, ServiceClient } from './client';
import { isUnauthorised } from './errors';
import { findNew, markSeen } from './newRecords';
import type { SeenRecords } from './newRecords';
import { nextPage, pageNumberOf, startWalk } from './pageWalk';
import type { News, PageFailure, PageRead, Scope, Walk } from './pageWalk';
import { findList } from './list';
import { keyOf } from './recordId';
import { shapeError } from './shapes';
import { startWith } from './sizing';

/** One page of a list. */
export interface Page extends PageRead {
  records: IDataObject[];
}

/** A list, and how to request it. */
export interface ListQuery {
  client: ServiceClient;
  path: string;
  /** The request fields of the operation, without `page` and `page_size`. */
  filters: IDataObject;
  timeoutMs?: number;
  /** Fields of the user that are merged into each request last. Null leaves a field out. */
  extra?: IDataObject;
}

/** How a list is read. */
export interface ListOptions extends RequestOptions, Pick<ListQuery, 'extra'> {
  /** Number of records wanted in one page. At most 100 are asked for, and fewer may come. */
  pageSize?: number;
  /** What the records are, such as "template". */
  noun?: string;
  /** Called at the end with a sentence for the user, if the list may have more records than came. */
  onHint?: (hint: string) => void;
}

/** Of `page_size`. The specification gives no limit. */
export const MAX_PAGE_SIZE = 100;

/**
 * The page sizes that worked after the service refused a larger one. By client, because a client lives for
 * one run of a node, and by path: later reads of the same list start with this size.
 */
const foundSizes = new WeakMap<ServiceClient, Map<string, number>>();

/** The beginning of a list, with a page size that the service has not refused in this run. */
export function startList(
  { client, path }: ListQuery,
  pageSize = MAX_PAGE_SIZE,
  scope: Scope = 'all',
): Walk {
  const found = foundSizes.get(client)?.get(path) ?? MAX_PAGE_SIZE;
  return startWalk(startWith(Math.min(pageSize, found)), scope);
}

function remember({ client, path }: ListQuery, size: number): void {
  const sizes = foundSizes.get(client) ?? new Map<string, number>();
  foundSizes.set(client, sizes.set(path, size));
}

/** Makes the request that a walk asks for. Never throws. */
export async function askPage(query: ListQuery, walk: Walk): Promise<Page | PageFailure> {
  const { client, path, filters, extra = {}, timeoutMs } = query;
  const size = walk.spot.sizing.current;
  const paging = { page: pageNumberOf(walk), page_size: size };
  const body = withExtraFields({ ...filters, ...paging }, extra);
  const exchange = await client.exchange(path, body, { timeoutMs });
  const answer = readPage(exchange, body.page_size);
  if (answer.kind !== 'page') return { ...answer, mayBeSize: answer.mayBeSize && !isFixed(extra) };
  if (walk.refusal) remember(query, size);
  return answer;
}

/** Whether the user has fixed what a walk would change. */
function isFixed(extra: IDataObject): boolean {
  return 'page' in extra || 'page_size' in extra;
}

function readPage(exchange: Exchange, pageSize: unknown): Page | PageFailure {
  if (exchange.kind !== 'answered') return pageFailure(exchange);
  const { body } = exchange;
  const found = findList(body);
  if (!found) return notAPage(body);
  const { records, total, pageSize: stated = Infinity } = found;
  const { length } = records;
  // A service may give fewer records than it is asked for, and say so.
  const isFull = length >= Math.min(Number(pageSize ?? Infinity), stated);
  return { kind: 'page', records, length, total, isFull };
}

function pageFailure(cause: Unanswered): PageFailure {
  const { reason, httpStatus } = cause;
  const mayBeSize = refusesContent(cause) || httpStatus === 413 || isUnclearAnswer(cause);
  return { kind: failureKindOf(cause), reason, mayBeSize, cause };
}

/** HTTP 5xx, or JSON that is cut off or unclear. If no answer came at all, the page is not the reason. */
function isUnclearAnswer({ kind, httpStatus = 0, body, isRedirect }: Unanswered): boolean {
  if (kind !== 'unclear' || isRedirect) return false;
  return httpStatus >= 500 || (httpStatus > 0 && body !== undefined);
}

function failureKindOf({ kind, httpStatus }: Unanswered): PageFailure['kind'] {
  if (kind === 'throttled' || isUnauthorised(httpStatus) || !httpStatus) return 'hindered';
  return kind === 'refused' ? 'refused' : 'unclear';
}

function notAPage(body: unknown): PageFailure {
  const cause = shapeError(body, "a page with a 'list' of records");
  return { kind: 'refused', reason: cause.message, mayBeSize: false, cause };
}

/**
 * The error for a page that did not come.
 *
 * @param place for the user, if other pages came before
 */
export function pageError(
  client: ServiceClient,
  { cause }: PageFailure,
  options: RequestOptions,
  place = '',
): NodeApiError | UserError {
  if (!(cause instanceof Error)) {
    return client.errorFor({ ...cause, reason: cause.reason + place }, options);
  }
  cause.message += place;
  return cause;
}

/**
 * The records of the first page of a list.
 *
 * @throws NodeApiError if the service refuses or cannot be reached, and UserError if its answer is not
 * a list in a shape of the specification
 */
export async function queryFirst(
  client: ServiceClient,
  path: string,
  options: ListOptions = {},
): Promise<IDataObject[]> {
  const { timeoutMs, pageSize } = options;
  const query: ListQuery = { client, path, filters: {}, timeoutMs };
  const pages = readPages(query, startList(query, pageSize, 'first'), options);
  for await (const records of pages) return records;
  return [];
}

/**
 * Reads all pages of a list and yields the new records of each. If the user has fixed the page, it reads
 * that page only.
 *
 * @throws what `queryFirst` throws, also if the service refuses a later page of a list that is known to have
 * many more records. The error says how many came
 */
export async function* queryAll(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  options: ListOptions = {},
): AsyncGenerator<IDataObject[], void> {
  const { extra = {}, timeoutMs, pageSize } = options;
  const query: ListQuery = { client, path, filters, extra, timeoutMs };
  const scope = 'page' in extra ? 'fixed' : 'all';
  yield* readPages(query, startList(query, pageSize, scope), options);
}

/** Asks for pages until `nextPage` says that the list has ended. */
async function* readPages(
  query: ListQuery,
  start: Walk,
  { noun, onHint, ...options }: ListOptions,
): AsyncGenerator<IDataObject[], void> {
  const known = new KnownRecords(noun);
  for (let walk = start; ;) {
    const answer = await askPage(query, walk);
    const { records, news } = known.takeNew(answer, walk.reading);
    if (records.length > 0) yield records;
    const step = nextPage(walk, answer, news);
    if (step.kind === 'fail') throw pageError(query.client, step.failure, options, step.place);
    if (step.kind === 'end') {
      if (step.hint !== undefined) onHint?.(step.hint);
      return;
    }
    ({ walk } = step);
  }
}

/** The records that came before, in all readings of a list and in the current one. */
class KnownRecords {
  private found = 0;

  private reading = 1;

  private readonly seen: SeenRecords = new Map();

  private seenInReading: SeenRecords = new Map();

  constructor(private readonly noun?: string) {}

  /** The records of a page that did not come before. */
  takeNew(answer: Page | PageFailure, reading: number): { records: IDataObject[]; news: News } {
    if (reading > this.reading) this.seenInReading = new Map();
    this.reading = reading;
    const page = answer.kind === 'page' ? answer.records : [];
    const records = this.newIn(page, this.seen);
    const fresh = this.newIn(page, this.seenInReading).length;
    this.found += records.length;
    return { records, news: { fresh, found: this.found } };
  }

  private newIn(page: IDataObject[], seen: SeenRecords): IDataObject[] {
    const sighting = findNew(seen, page, (record) => keyOf(record, this.noun));
    markSeen(seen, sighting);
    return sighting.fresh;
  }
}
