import type { UserError } from 'n8n-workflow';
import type { Unanswered } from './answer';
import { giveUp, startWith, tryLess } from './sizing';
import type { Sizing } from './sizing';

/*
 * Which page of a list to ask for next, given an answer. All steps are values: no requests are made here.
 * A reading goes through the pages once, and then asks for page 0 if records are missing.
 */

/** Of `page_size`. Smaller pages are not tried. */
export const MIN_PAGE_SIZE = 5;

/** After this many consecutive pages without a new record, a list ends, whatever its `total` says. */
const MAX_IDLE_PAGES = 3;

/** A list that keeps growing would never be complete. */
const MAX_READINGS = 5;

/** A list with new records on every page ends here, unless its first page states more records. */
export const MAX_PAGES = 1_000;

/** A place in a list. */
interface Spot {
  /** Number of the page. Pages count from 1, or perhaps from 0. */
  readonly page: number;
  /** Number of records on the pages before it. */
  readonly offset: number;
  /** Number of records in the longest page so far. A service may give fewer than it is asked for. */
  readonly longest: number;
  readonly sizing: Sizing;
}

/** The page after one with this many records. */
function spotAfter({ page, offset, longest, sizing }: Spot, length: number): Spot {
  return {
    page: page + 1,
    offset: offset + length,
    longest: Math.max(longest, length),
    // A size was found. If a later page is refused, it may be about the size again.
    sizing: sizing.refused === undefined ? sizing : startWith(sizing.current),
  };
}

/** The same place in smaller pages. The first of them may begin with records that came before. */
function inSmallerPages(spot: Spot, sizing: Sizing): Spot {
  const longest = Math.min(spot.longest, sizing.current);
  const pageLength = longest || sizing.current;
  const before = Math.floor(spot.offset / pageLength);
  return { page: before + 1, offset: before * pageLength, longest, sizing };
}

/**
 * How full a page is:
 *
 * - `full`: it has as many records as it can have, so there may be more pages;
 * - `short`: it is the first page, and has fewer than were asked for. The service may never give more;
 * - `last`: it has fewer than a page before it.
 */
type Fill = 'full' | 'short' | 'last';

/** @param isFull whether the page has as many records as were asked for */
function fillOf({ longest }: Spot, length: number, isFull: boolean): Fill {
  if (isFull || (longest > 0 && length >= longest)) return 'full';
  return longest > 0 ? 'last' : 'short';
}

/** What was read before a page. */
interface Progress {
  /** Number of different records. */
  readonly read: number;
  /** Number of records in the whole list, if the service has stated it. */
  readonly total?: number;
  readonly lastPage: Fill;
  readonly spot: Spot;
}

/** Whether a refusal of the next page may be about its size. After the last page it is not. */
function mayBeTooLarge({ read, total = Infinity, lastPage }: Progress): boolean {
  return lastPage !== 'last' && total > read;
}

/**
 * What a missing page means for the list:
 *
 * - `end`: the list ends before it;
 * - `hint`: the list may end before it, and if not, little is missing;
 * - `fail`: more records are missing than one page has, or another try may well return them.
 */
function judge(
  { read, total, lastPage, spot: { page, longest, sizing } }: Progress,
  kind: PageFailure['kind'],
): 'end' | 'hint' | 'fail' {
  const isLast =
    total === undefined
      ? lastPage === 'last' || (lastPage === 'short' && kind === 'refused')
      : read >= total;
  if (isLast) return 'end';
  const pageLength = page > 2 ? longest : sizing.current;
  const missing = total === undefined ? 0 : total - read;
  return kind === 'hindered' || missing > pageLength ? 'fail' : 'hint';
}

/**
 * A page that did not come:
 *
 * - `refused`: the service said no, or sent something that is not a page;
 * - `unclear`: the service failed, so it may give the page at another time;
 * - `hindered`: the reason is not the page: throttled, not reached, not authorised, or no answer.
 */
export interface PageFailure {
  kind: 'refused' | 'unclear' | 'hindered';
  /** What happened, as a sentence without a final period. */
  reason: string;
  /** Whether a smaller page may succeed. */
  mayBeSize: boolean;
  /** What the error is made from. */
  cause: Unanswered | UserError;
}

/** A page that came. */
export interface PageRead {
  kind: 'page';
  /** Number of its records. */
  length: number;
  total?: number;
  /** Whether it has as many records as were asked for. */
  isFull: boolean;
}

/** What is new on a page. */
export interface News {
  /** Number of records that are new in this reading. */
  fresh: number;
  /** Number of different records so far, in all readings. */
  found: number;
}

/**
 * Which pages are wanted:
 *
 * - `all`;
 * - `first`: only the first one;
 * - `fixed`: the one that the user has fixed in each request.
 */
export type Scope = 'all' | 'first' | 'fixed';

/** How far a list has been read. A value: each step gives a new one. */
export interface Walk extends Progress {
  readonly scope: Scope;
  /** `pageZero`: page 0 is asked for, because pages may count from there. */
  readonly phase: 'pages' | 'pageZero';
  /** The first page, if it was empty and page 0 may have the records. Otherwise page 0 comes last. */
  readonly empty?: PageRead;
  /** The place that was refused, and how, while smaller pages are tried. */
  readonly refusal?: { spot: Spot; failure: PageFailure };
  /** Number of this reading, from 1. The list is read again as long as records are missing and new ones come. */
  readonly reading: number;
  /** Number of pages of this reading. */
  readonly pages: number;
  /** Number of consecutive pages without a record that is new in this reading. */
  readonly idle: number;
  /** Whether pages of this reading had several sizes. */
  readonly isMixed: boolean;
  /** Whether the stated total became lower, so records have moved to pages that were already read. */
  readonly shrank: boolean;
  /** Number of different records, in all readings. */
  readonly found: number;
  /** `found` at the start of this reading. */
  readonly foundBefore: number;
  /** The total that the first page stated. */
  readonly firstTotal?: number;
  /** The page that failed in this reading. The list may go on after it. */
  readonly unread?: { page: number; reason: string };
}

/** What follows: another page, the end of the list, or an error. */
export type PageStep =
  | { kind: 'ask'; walk: Walk }
  | { kind: 'end'; hint?: string }
  /** `place` tells the user which page failed, if other pages came before. */
  | { kind: 'fail'; failure: PageFailure; place: string };

/** Before the first page. */
export function startWalk(sizing: Sizing, scope: Scope = 'all'): Walk {
  const spot = { page: 1, offset: 0, longest: 0, sizing };
  const none = { read: 0, pages: 0, idle: 0, found: 0, foundBefore: 0 };
  const flags = { isMixed: false, shrank: false } as const;
  return { ...none, ...flags, scope, phase: 'pages', reading: 1, lastPage: 'full', spot };
}

/** The number of the page to ask for. */
export function pageNumberOf({ phase, spot }: Walk): number {
  return phase === 'pageZero' ? 0 : spot.page;
}

/**
 * What follows an answer. `total` is a hint: one that is too low does not end a list whose pages are full;
 * one that is too high, or a page that is empty or repeated, costs a few more pages.
 *
 * A page that may have been refused for its size is asked for in smaller pages. If no size helps, the
 * first refusal counts: it says more than a later answer that is not a list.
 *
 * @param news of the page. Left out for a failure
 */
export function nextPage(walk: Walk, answer: PageRead | PageFailure, news?: News): PageStep {
  const { fresh = 0, found = walk.found } = news ?? {};
  if (walk.phase === 'pageZero') return afterPageZero(walk, answer, { fresh, found });
  if (answer.kind !== 'page') return afterNoPage(walk, answer);
  if (isEmptyFirst(walk, answer)) {
    return { kind: 'ask', walk: { ...walk, phase: 'pageZero', empty: answer } };
  }
  return afterPage(walk, answer, { fresh, found });
}

/** Pages may count from 0, so an empty page 1 is replaced by page 0. */
function isEmptyFirst({ scope, spot }: Walk, { length, total }: PageRead): boolean {
  return scope !== 'fixed' && spot.page === 1 && length === 0 && total !== 0;
}

function afterPage(before: Walk, page: PageRead, news: News): PageStep {
  if (before.scope !== 'all') return { kind: 'end' };
  const walk = withPage(before, page, news);
  if (isBehind(before, walk)) return conclude(walk, true);
  if (!shouldContinue(walk)) return endReading(walk);
  return isEndless(walk) ? { kind: 'end', hint: endlessHint(walk) } : { kind: 'ask', walk };
}

function withPage(walk: Walk, { length, total, isFull }: PageRead, { fresh, found }: News): Walk {
  return {
    ...walk,
    spot: spotAfter(walk.spot, length),
    refusal: undefined,
    lastPage: fillOf(walk.spot, length, isFull),
    pages: walk.pages + 1,
    read: walk.read + fresh,
    found,
    idle: fresh === 0 ? walk.idle + 1 : 0,
    total: total ?? walk.total,
    firstTotal: walk.firstTotal ?? total,
    isMixed: walk.isMixed || isResized(walk),
    shrank: walk.shrank || (total ?? Infinity) < (walk.total ?? 0),
  };
}

/** Whether a page is smaller than those before it. */
function isResized({ pages, refusal }: Walk): boolean {
  return pages > 0 && refusal !== undefined;
}

/** Whether the first of the smaller pages has nothing new: the service counts its pages in another way. */
function isBehind(before: Walk, { idle, lastPage }: Walk): boolean {
  return isResized(before) && idle > 0 && lastPage === 'full';
}

/** A total below the number of records that came is ignored. */
function shouldContinue({ idle, lastPage, total, read }: Walk): boolean {
  if (idle === 0) return lastPage === 'full' || total !== read;
  return (total ?? 0) > read && idle < MAX_IDLE_PAGES;
}

function isEndless({ pages, read, firstTotal = 0 }: Walk): boolean {
  return pages >= MAX_PAGES && read >= firstTotal;
}

/** Smaller pages are tried first. */
function afterNoPage(walk: Walk, failure: PageFailure): PageStep {
  const refusal = walk.refusal ?? { spot: walk.spot, failure };
  const { sizing } = walk.spot;
  const mayBeSize = failure.mayBeSize && mayBeTooLarge(walk);
  const smaller = mayBeSize ? tryLess(sizing, MIN_PAGE_SIZE) : undefined;
  if (smaller) {
    return { kind: 'ask', walk: { ...walk, refusal, spot: inSmallerPages(refusal.spot, smaller) } };
  }
  const spot = { ...refusal.spot, sizing: giveUp(sizing) };
  return afterFailure({ ...walk, spot, refusal: undefined }, refusal.failure);
}

function afterFailure(walk: Walk, failure: PageFailure): PageStep {
  const { spot, read, reading } = walk;
  const verdict = read === 0 ? 'fail' : judge(walk, failure.kind);
  if (verdict === 'end') return endReading(walk);
  // What earlier readings found is kept.
  if (verdict === 'fail' && reading === 1) return { kind: 'fail', failure, place: placeOf(walk) };
  return endReading({ ...walk, unread: { page: spot.page, reason: failure.reason } });
}

/** For the user: what was read before. */
function placeOf({ found, total, spot: { page } }: Walk): string {
  if (found === 0) return '';
  return ` (page ${page}, after ${found}${total === undefined ? '' : ` of ${total}`} records)`;
}

function endReading(walk: Walk): PageStep {
  const mayMiss = walk.read > 0 && (walk.total ?? Infinity) > walk.read;
  return mayMiss ? { kind: 'ask', walk: { ...walk, phase: 'pageZero' } } : conclude(walk);
}

function afterPageZero(walk: Walk, answer: PageRead | PageFailure, news: News): PageStep {
  const { empty } = walk;
  if (empty) {
    const page = answer.kind === 'page' && answer.length > 0 ? answer : empty;
    return afterPage({ ...walk, phase: 'pages', empty: undefined }, page, news);
  }
  if (answer.kind !== 'page') return conclude(walk);
  // Pages count from 0, and page 1 was read in a larger size, so there is a gap between it and page 0.
  const isGap = walk.isMixed && news.found > walk.found;
  return conclude({ ...walk, found: news.found }, isGap);
}

/**
 * Ends a reading, and starts another if that may find more. A record that is deleted meanwhile moves a later
 * one to a page that was already read. A service without a fixed order does the same.
 */
function conclude(walk: Walk, isGap = false): PageStep {
  const { total = 0, found, foundBefore, reading, shrank, spot } = walk;
  const isShort = total > found;
  const isWorthIt = isGap || ((shrank || isShort) && found > foundBefore);
  if (isWorthIt && reading < MAX_READINGS) {
    const again = startWalk(spot.sizing);
    const { firstTotal } = walk;
    const known = { total: walk.total, firstTotal, found, foundBefore: found };
    return { kind: 'ask', walk: { ...again, ...known, reading: reading + 1 } };
  }
  return { kind: 'end', hint: isShort ? missingHint(total, found) : unreadHint(walk) };
}

function missingHint(total: number, found: number): string {
  return `The service says that it has ${total} records, but gave ${found}.`;
}

function unreadHint({ found, unread }: Walk): string | undefined {
  if (unread === undefined) return undefined;
  return `The service gave ${found} records. Page ${unread.page} could not be read, so there may be more. ${unread.reason}.`;
}

function endlessHint({ pages, found, read, total }: Walk): string | undefined {
  if (total === read) return undefined;
  return `${found} records were read. The list goes on after ${pages} pages, and was not read further.`;
}
