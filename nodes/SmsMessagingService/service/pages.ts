import type { IDataObject, NodeApiError, UserError } from 'n8n-workflow';
import { refusesContent } from './reading/answer';
import type { Exchange, Unanswered } from './reading/answer';
import type { RequestOptions, ServiceClient } from './client';
import { withExtraFields } from './extraFields';
import { findList } from './reading/list';
import type { RecordList } from './reading/list';
import { findNew, markSeen } from './newRecords';
import type { SeenRecords } from './newRecords';
import { firstSpot, inSmallerPages, mayBeTooLarge, next, startWalk } from './pageWalk';
import type { FailureKind, PageOutcome, Spot, Walk } from './pageWalk';
import { keyOf } from './reading/recordId';
import { insideSentence } from './sentences';
import { shapeError } from './reading/shapes';
import { giveUp, startWith } from './sizing';
import type { Sizing } from './sizing';
import { readStatement, wordsIn } from './reading/statement';

/** One page of a list. */
export interface Page extends RecordList {
  kind: 'page';
  /** Whether it has as many records as were asked for. */
  isFull: boolean;
}

/** A page that did not come: the service refused, was not reached, or gave something that is no page. */
export type NoPage = Unanswered | { kind: 'unexpected'; body: unknown };

/** A list, and how it is asked for. */
export interface ListQuery {
  client: ServiceClient;
  path: string;
  /** The request fields of the operation, without `page` and `page_size`. */
  filters: IDataObject;
  timeoutMs?: number;
  /** Fields of the user that are merged into each request last. Null leaves a field out. */
  extra?: IDataObject;
}

export interface PageOptions extends RequestOptions, Pick<ListQuery, 'extra'> {
  /** Number of records wanted in one page. At most 100 are asked for, and fewer may come. */
  pageSize?: number;
}

/** How a list is walked. */
export interface WalkOptions extends PageOptions {
  /** What the records are, such as "template". */
  noun?: string;
  /** Told in the end, as a sentence for the user, if the list may have more records than came. */
  onHint?: (hint: string) => void;
}

/** The limit of `page_size` is not shown. */
export const MAX_PAGE_SIZE = 100;

/** By client, and so for one run: the page size that was found for each list whose service refused one. */
const foundSizes = new WeakMap<ServiceClient, Map<string, number>>();

/** What is known of the size to begin with. */
export function sizingFor({ client, path }: ListQuery, wanted = MAX_PAGE_SIZE): Sizing {
  const found = foundSizes.get(client)?.get(path) ?? MAX_PAGE_SIZE;
  return startWith(Math.min(wanted, found));
}

function remember({ client, path }: ListQuery, size: number): void {
  const sizes = foundSizes.get(client) ?? new Map<string, number>();
  foundSizes.set(client, sizes.set(path, size));
}

/**
 * The page at a place of a list, in smaller pages if the service may have refused the size. In place of an
 * empty first page comes page 0, if that has records: pages may count from there. Never throws.
 *
 * @param maySize whether a refusal may be about the size
 * @returns the place too, which is another one in smaller pages. After refusals, the first of them
 */
export async function readPage(
  query: ListQuery,
  spot: Spot,
  maySize = true,
): Promise<{ spot: Spot; answer: Page | NoPage }> {
  const first = await ask(query, spot);
  let last = { spot, answer: first };
  while (maySize && mayBeAboutSize(query, last.answer)) {
    const smaller = inSmallerPages(spot, last.spot.sizing);
    if (smaller === undefined) break;
    last = { spot: smaller, answer: await ask(query, smaller) };
  }
  // A refusal says more than a later answer that is not a list.
  if (last.answer.kind !== 'page') {
    const sizing = last.spot === spot ? spot.sizing : giveUp(last.spot.sizing);
    return { spot: { ...spot, sizing }, answer: first };
  }
  if (last.spot !== spot) remember(query, last.spot.sizing.current);
  return { spot: last.spot, answer: await orPageZero(query, last.spot, last.answer) };
}

async function orPageZero(query: ListQuery, spot: Spot, page: Page): Promise<Page> {
  const { records, total } = page;
  if (spot.page !== 1 || records.length > 0 || total === 0 || isPageFixed(query)) return page;
  const before = await ask(query, { ...spot, page: 0 });
  return before.kind === 'page' && before.records.length > 0 ? before : page;
}

async function ask(query: ListQuery, { page, sizing }: Spot): Promise<Page | NoPage> {
  const { client, path, filters, extra = {}, timeoutMs } = query;
  const body = withExtraFields({ ...filters, page, page_size: sizing.current }, extra);
  return readAsPage(await client.exchange(path, body, timeoutMs), body.page_size);
}

function readAsPage(exchange: Exchange, pageSize: unknown): Page | NoPage {
  if (exchange.kind !== 'answered') return exchange;
  const { body } = exchange;
  const found = findList(body);
  if (!found?.records.length && saysTooLarge(body)) return refusalIn(body);
  if (!found) return { kind: 'unexpected', body };
  const { records, total, pageSize: stated = Infinity } = found;
  // A service may give fewer records than it is asked for, and say so.
  const isFull = records.length >= Math.min(Number(pageSize ?? Infinity), stated);
  return { kind: 'page', records, total, isFull };
}

/** A refusal with a code of success. */
function refusalIn(body: unknown): Unanswered {
  const statement = readStatement(body);
  const words = insideSentence(statement.msg ?? '');
  const reason = `The service refused the request${words && `: ${words}`}`;
  return { kind: 'refused', reason, ...statement, httpStatus: 200 };
}

function saysTooLarge(body: unknown): boolean {
  const words = wordsIn(body).join('; ');
  return TOO_LARGE.test(words) && !PAGE_NUMBER.test(words);
}

const TOO_LARGE =
  /\btoo (?:large|big|high)\b|(?:page[ _-]?size|per[ _-]page|limit).*(?:exceed|maximum|at most|greater|invalid)|exceed.*(?:page[ _-]?size|limit)|(?:每页|分页|条数|page_?size).*(?:过[大多]|太[大多]|超[过出]|不能[大多超]|最[大多]|上限)/i;

/** A page behind the last is none that is too large. */
const PAGE_NUMBER = /\bpage (?:number|no|index)\b|页码|页数/i;

/** Whether a page may have been refused for its size. Reading it again costs nothing. */
function mayBeAboutSize({ extra = {} }: ListQuery, answer: Page | NoPage): boolean {
  if (answer.kind === 'page' || answer.kind === 'unexpected') return false;
  if ('page' in extra || 'page_size' in extra) return false;
  return refusesContent(answer) || answer.httpStatus === 413 || failsWithAnswer(answer);
}

/** HTTP 5xx, or JSON that is cut off or unclear. Without any answer, it is not about one page. */
function failsWithAnswer({ kind, httpStatus = 0, body, isRedirect }: Unanswered): boolean {
  if (kind !== 'unclear' || isRedirect) return false;
  return httpStatus >= 500 || (httpStatus > 0 && body !== undefined);
}

function isPageFixed({ extra = {} }: ListQuery): boolean {
  return 'page' in extra;
}

/** What kind of failure it is that a page did not come. */
export function failureKindOf(failure: NoPage): FailureKind {
  if (failure.kind === 'unexpected') return 'refused';
  const { kind, httpStatus } = failure;
  const isUnauthorised = httpStatus === 401 || httpStatus === 403;
  if (kind === 'throttled' || isUnauthorised || httpStatus === undefined) return 'hindered';
  return kind === 'refused' ? 'refused' : 'unclear';
}

/**
 * The error for a page that did not come.
 *
 * @param where for the user, if other pages came before
 */
export function pageError(
  client: ServiceClient,
  failure: NoPage,
  options: RequestOptions,
  where = '',
): NodeApiError | UserError {
  if (failure.kind !== 'unexpected') {
    return client.errorFor({ ...failure, reason: failure.reason + where }, options);
  }
  const error = shapeError(failure.body, SHAPE);
  error.message += where;
  return error;
}

const SHAPE = "a page with a 'list' of records";

/**
 * The first page of a list.
 *
 * @throws NodeApiError when the service refuses or cannot be reached, and UserError when its answer is not
 * a list in a shape of the specification
 */
export async function queryPage(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  { pageSize, extra, ...options }: PageOptions = {},
): Promise<Page> {
  const query: ListQuery = { client, path, filters, extra, timeoutMs: options.timeoutMs };
  const { answer } = await readPage(query, firstSpot(sizingFor(query, pageSize)));
  if (answer.kind === 'page') return answer;
  throw pageError(client, answer, options);
}

/**
 * Walks all pages and yields the new records of each; `next` in pageWalk.ts says how. If the user has fixed
 * the page, it gives that page only.
 *
 * @throws what `queryPage` throws, also if the service refuses a later page and the list is known to have
 * many more records. The error says how many came
 */
export async function* queryAll(
  client: ServiceClient,
  path: string,
  filters: IDataObject,
  { onHint, noun, ...options }: WalkOptions = {},
): AsyncGenerator<IDataObject[], void> {
  const { extra, timeoutMs, pageSize } = options;
  const query: ListQuery = { client, path, filters, extra, timeoutMs };
  if (isPageFixed(query)) {
    yield (await queryPage(client, path, filters, options)).records;
    return;
  }
  const known = new KnownRecords(noun);
  let inReading = new KnownRecords(noun);
  let walk = startWalk(sizingFor(query, pageSize));
  for (;;) {
    const { spot, answer } = await readNext(query, walk);
    const records = answer.kind === 'page' ? answer.records : [];
    const fresh = known.takeNew(records);
    if (fresh.length > 0) yield fresh;
    const news = inReading.takeNew(records).length;
    const step = next(walk, outcomeOf(answer, spot, news, known.size));
    if (step.kind === 'fail') throw pageError(client, answer as NoPage, options, placeOf(walk));
    if (step.kind === 'end') {
      if (step.hint !== undefined) onHint?.(step.hint);
      return;
    }
    if (step.walk.reading > walk.reading) inReading = new KnownRecords(noun);
    walk = step.walk;
  }
}

/** The page that a walk asks for. Never throws. */
export async function readNext(query: ListQuery, walk: Walk): ReturnType<typeof readPage> {
  const { spot, phase } = walk;
  if (phase === 'pageZero') return { spot, answer: await ask(query, { ...spot, page: 0 }) };
  return await readPage(query, spot, mayBeTooLarge(walk));
}

/**
 * What came, for the next step of a walk.
 *
 * @param fresh how many of the records are new in this reading of the list
 * @param found number of different records so far
 */
export function outcomeOf(
  answer: Page | NoPage,
  spot: Spot,
  fresh: number,
  found: number,
): PageOutcome {
  if (answer.kind === 'page') {
    const { records, total, isFull } = answer;
    return { kind: 'page', spot, length: records.length, fresh, found, total, isFull };
  }
  return { kind: failureKindOf(answer), spot, reason: reasonOf(answer) };
}

function reasonOf(failure: NoPage): string {
  return failure.kind === 'unexpected' ? shapeError(failure.body, SHAPE).message : failure.reason;
}

/** What was read before, as a part of an error. */
function placeOf({ found, total, spot: { page } }: Walk): string {
  if (found === 0) return '';
  return ` (page ${page}, after ${found}${total === undefined ? '' : ` of ${total}`} records)`;
}

/** Which records came before. */
class KnownRecords {
  size = 0;

  private readonly seen: SeenRecords = new Map();

  constructor(private readonly noun?: string) {}

  takeNew(page: IDataObject[]): IDataObject[] {
    const sighting = findNew(this.seen, page, (record) => keyOf(record, this.noun));
    markSeen(this.seen, sighting);
    this.size += sighting.fresh.length;
    return sighting.fresh;
  }
}
