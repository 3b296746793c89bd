import { startWith, tryLess } from './sizing';
import type { Sizing } from './sizing';

/*
 * How a list is read, as values: what to ask for next, by what came. No requests are made here.
 */

/** Smaller pages are not worth asking for. */
export const MIN_PAGE_SIZE = 5;

/** After this many consecutive pages without a new record a list ends, whatever its `total` says. */
const MAX_IDLE_PAGES = 3;

/** A list that grows all the time would never be complete. */
const MAX_READINGS = 5;

/** A list whose pages bring new records for ever ends here, unless its first page states more records. */
export const MAX_PAGES = 1_000;

/** A place in a list. */
export interface Spot {
  /** Number of the page. Pages count from 1, or perhaps from 0. */
  readonly page: number;
  /** Number of records on the pages before it. */
  readonly offset: number;
  /** Number of records in the longest page so far. A service may give fewer than it is asked for. */
  readonly longest: number;
  readonly sizing: Sizing;
}

/** The first page. */
export function firstSpot(sizing: Sizing): Spot {
  return { page: 1, offset: 0, longest: 0, sizing };
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

/**
 * The same place in smaller pages. The first of them may begin with records that came before.
 *
 * @param refused the size that was refused last
 * @returns undefined when the refusal is not about the size
 */
export function inSmallerPages(spot: Spot, refused: Sizing): Spot | undefined {
  const sizing = tryLess(refused, MIN_PAGE_SIZE);
  if (sizing === undefined) return undefined;
  const longest = Math.min(spot.longest, sizing.current);
  const held = longest || sizing.current;
  const before = Math.floor(spot.offset / held);
  return { page: before + 1, offset: before * held, longest, sizing };
}

/**
 * How much a page held:
 *
 * - `full`: as many records as it can, so there may be more;
 * - `short`: it is the first page, and has fewer than it was asked for. The service may never give more;
 * - `last`: fewer than a page before it.
 */
type Fill = 'full' | 'short' | 'last';

/** @param isFull whether the page has as many records as were asked for */
function fillOf({ longest }: Spot, length: number, isFull: boolean): Fill {
  if (isFull || (longest > 0 && length >= longest)) return 'full';
  return longest > 0 ? 'last' : 'short';
}

/**
 * A page that did not come:
 *
 * - `refused`: the service said no, or gave something that is not a page;
 * - `unclear`: the service failed, so it may give the page another time;
 * - `hindered`: it has nothing to do with the page: throttled, not reached, not authorised, no answer.
 */
export type FailureKind = 'refused' | 'unclear' | 'hindered';

/** What was read before a page that did not come. */
interface Progress {
  /** Number of different records. */
  readonly read: number;
  /** Number of records in the whole list, where the service has told it. */
  readonly total?: number;
  readonly lastPage: Fill;
  readonly spot: Spot;
}

/** Whether a refusal of the next page may be about its size. Behind the last page it is not. */
export function mayBeTooLarge({ read, total = Infinity, lastPage }: Progress): boolean {
  return lastPage !== 'last' && total > read;
}

/**
 * What a page that did not come means for the list:
 *
 * - `end`: the list ends before it;
 * - `hint`: it may end before it, and little is missing if not;
 * - `fail`: more records are missing than a page holds, or another try may well bring them.
 */
function judge(
  { read, total, lastPage, spot: { page, longest, sizing } }: Progress,
  kind: FailureKind,
): 'end' | 'hint' | 'fail' {
  const isLast =
    total === undefined
      ? lastPage === 'last' || (lastPage === 'short' && kind === 'refused')
      : read >= total;
  if (isLast) return 'end';
  const held = page > 2 ? longest : sizing.current;
  const missing = total === undefined ? 0 : total - read;
  return kind === 'hindered' || missing > held ? 'fail' : 'hint';
}

/** Where the reading of a list is. A value: each step gives a new one. */
export interface Walk extends Progress {
  /** `pageZero` comes after the pages, if records may be missing: pages may count from there. */
  readonly phase: 'pages' | 'pageZero';
  /** From 1: the list is read again if records are missing, as long as that brings new ones. */
  readonly reading: number;
  /** Number of pages of this reading. */
  readonly pages: number;
  /** Number of consecutive pages without a record that is new in this reading. */
  readonly idle: number;
  /** Pages of this reading had several sizes. */
  readonly isMixed: boolean;
  /** The stated total became lower, so records have moved to pages that were read. */
  readonly shrank: boolean;
  /** Number of different records of all readings. */
  readonly found: number;
  readonly foundBefore: number;
  /** What the first page stated. */
  readonly firstTotal?: number;
  /** The page of this reading behind which the list may go on. */
  readonly refused?: Refused;
}

interface Refused {
  page: number;
  /** What happened, as a sentence without a final period. */
  reason: string;
}

/** What came of a request for a page. */
export type PageOutcome = PageRead | PageFailure;

interface PageRead {
  kind: 'page';
  /** Where it is, after other sizes were tried. */
  spot: Spot;
  /** Number of its records. */
  length: number;
  /** How many of them are new in this reading. */
  fresh: number;
  /** Number of different records so far, in all readings. */
  found: number;
  total?: number;
  isFull: boolean;
}

interface PageFailure {
  kind: FailureKind;
  spot: Spot;
  /** What happened, as a sentence without a final period. */
  reason: string;
}

/** What follows: another page, the end of the list, or an error. */
export type Step = { kind: 'ask'; walk: Walk } | { kind: 'end'; hint?: string } | { kind: 'fail' };

/** Before the first page. */
export function startWalk(sizing: Sizing): Walk {
  const spot = firstSpot(sizing);
  const none = { read: 0, pages: 0, idle: 0, found: 0, foundBefore: 0 };
  const flags = { isMixed: false, shrank: false } as const;
  return { ...none, ...flags, phase: 'pages', reading: 1, lastPage: 'full', spot };
}

/**
 * What follows an answer. `total` is a hint: one that is too low does not end a list whose pages are full;
 * one that is too high, or a page that is empty or repeated, costs a few more pages.
 */
export function next(walk: Walk, outcome: PageOutcome): Step {
  if (walk.phase === 'pageZero') return afterPageZero(walk, outcome);
  return outcome.kind === 'page' ? afterPage(walk, outcome) : afterFailure(walk, outcome);
}

function afterPage(before: Walk, page: PageRead): Step {
  const walk = withPage(before, page);
  if (isBehind(before, page, walk)) return conclude(walk, true);
  if (!shouldContinue(walk)) return endReading(walk);
  return isEndless(walk) ? { kind: 'end', hint: endlessHint(walk) } : { kind: 'ask', walk };
}

function withPage(walk: Walk, { spot, length, fresh, found, total, isFull }: PageRead): Walk {
  return {
    ...walk,
    spot: spotAfter(spot, length),
    lastPage: fillOf(spot, length, isFull),
    pages: walk.pages + 1,
    read: walk.read + fresh,
    found,
    idle: fresh === 0 ? walk.idle + 1 : 0,
    total: total ?? walk.total,
    firstTotal: walk.firstTotal ?? total,
    isMixed: walk.isMixed || isResized(walk, spot),
    shrank: walk.shrank || (total ?? Infinity) < (walk.total ?? 0),
  };
}

/** Whether a later page came in another size than it was asked for first. */
function isResized({ pages, spot: before }: Walk, spot: Spot): boolean {
  return pages > 0 && spot.sizing.current < before.sizing.current;
}

/** The first of the smaller pages is an old one: the service counts its pages in another way. */
function isBehind(before: Walk, { spot, fresh }: PageRead, { lastPage }: Walk): boolean {
  return isResized(before, spot) && fresh === 0 && lastPage === 'full';
}

/** A total below the number of records that came is wrong. */
function shouldContinue({ idle, lastPage, total, read }: Walk): boolean {
  if (idle === 0) return lastPage === 'full' || total !== read;
  return (total ?? 0) > read && idle < MAX_IDLE_PAGES;
}

function isEndless({ pages, read, firstTotal = 0 }: Walk): boolean {
  return pages >= MAX_PAGES && read >= firstTotal;
}

function afterFailure(walk: Walk, { kind, spot, reason }: PageFailure): Step {
  const verdict = walk.read === 0 ? 'fail' : judge(walk, kind);
  if (verdict === 'end') return endReading({ ...walk, spot });
  // What the readings before gave is kept.
  if (verdict === 'fail' && walk.reading === 1) return { kind: 'fail' };
  return endReading({ ...walk, spot, refused: { page: walk.spot.page, reason } });
}

function endReading(walk: Walk): Step {
  const mayMiss = walk.read > 0 && (walk.total ?? Infinity) > walk.read;
  return mayMiss ? { kind: 'ask', walk: { ...walk, phase: 'pageZero' } } : conclude(walk);
}

function afterPageZero(walk: Walk, outcome: PageOutcome): Step {
  if (outcome.kind !== 'page') return conclude(walk);
  // It is smaller than the one that page 1 stood behind, so there is a gap between them.
  const isGap = walk.isMixed && outcome.found > walk.found;
  return conclude({ ...walk, found: outcome.found }, isGap);
}

/**
 * The end of a reading. A record that is deleted meanwhile moves a later one to a page that was read
 * already, and so does a service that has no fixed order.
 */
function conclude(walk: Walk, isGap = false): Step {
  const { total = 0, found, foundBefore, reading, shrank, spot } = walk;
  const isShort = total > found;
  const isWorthIt = isGap || ((shrank || isShort) && found > foundBefore);
  if (isWorthIt && reading < MAX_READINGS) {
    const again = startWalk(spot.sizing);
    const { firstTotal } = walk;
    const known = { total: walk.total, firstTotal, found, foundBefore: found };
    return { kind: 'ask', walk: { ...again, ...known, reading: reading + 1 } };
  }
  return { kind: 'end', hint: isShort ? missingHint(total, found) : refusedHint(walk) };
}

function missingHint(total: number, found: number): string {
  return `The service says that it has ${total} records, but gave ${found}.`;
}

function refusedHint({ found, refused }: Walk): string | undefined {
  if (refused === undefined) return undefined;
  return `The service gave ${found} records. Page ${refused.page} could not be read, so there may be more. ${refused.reason}.`;
}

function endlessHint({ pages, found, read, total }: Walk): string | undefined {
  if (total === read) return undefined;
  return `${found} records were read. The list goes on after ${pages} pages, and was not read further.`;
}
