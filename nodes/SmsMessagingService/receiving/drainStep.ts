import { accept, afterSetback, giveUp, grow, startWith, tryLess, UNTRIED } from '../service/sizing';
import type { Growth, Sizing } from '../service/sizing';

/*
 * How a queue is drained, as values: which pull follows an answer. No requests are made here. Times are in
 * milliseconds of `performance.now()`.
 */

/** What a drain learns about its service. */
export interface Learnt {
  /** The user's number: what a crash may cost. No size is larger while new records come. */
  readonly setting: number;
  /** The size while new records come. */
  readonly sizing: Sizing;
  readonly growth: Growth;
  /** After a look behind old records failed: the largest size that works, and until when none is larger. */
  readonly ceiling?: { size: number; until: number; waitMs: number };
  /** When new records came last. */
  readonly freshAt: number;
}

/** What a trigger keeps between polls, for one event. */
export interface Kept {
  learnt?: Learnt;
}

/** The state of a drain. A value: each step gives a new one. */
export interface DrainState {
  readonly learnt: Learnt;
  readonly maxRecords: number;
  /** The largest look behind old records. */
  readonly maxLook: number;
  /** A pull by hand: no later pull could look behind old records, and the user can change the size. */
  readonly isByHand: boolean;
  /** No new record has come for a while, so old ones are not about to be taken out of the queue. */
  readonly isQuiet: boolean;
  /** Number of new records in this drain. */
  readonly fresh: number;
  /** Length of the latest page with new records. */
  readonly freshLength: number;
  /** Length of the latest page with old records only. */
  readonly oldLength: number;
  /** The size of a look behind old records; 0 if there is none. */
  readonly look: number;
  /** Of the latest pull. If several sizes are refused, of the first one, which is the user's. */
  readonly error?: Error;
}

/**
 * The result of a pull:
 *
 * - `page`: the service accepted it;
 * - `refused`: it said no, perhaps because of the size, and handed over nothing;
 * - `late`: no answer came in time. A smaller page might have;
 * - `throttled`: it asks to slow down;
 * - `failed`: anything else.
 */
export interface PullAnswer {
  kind: 'page' | 'refused' | 'late' | 'throttled' | 'failed';
  /** Number of records, new and old. */
  length: number;
  /** Number of new records. */
  fresh: number;
  /** All of its records came earlier in this drain. */
  isAllShown: boolean;
  /** It has all records of the previous page. */
  repeatsPrevious: boolean;
  /** When it came. */
  at: number;
  error?: Error;
}

/** What follows: a pull of `sizeOf(state)` records, or the end, with `state.error` if the drain has failed. */
export interface PullStep {
  kind: 'pull' | 'end' | 'fail';
  state: DrainState;
  /** New records may be behind this many old ones, and cannot be reached. */
  hiding?: number;
}

/** The largest look behind old records. */
export const MAX_LOOK = 100_000;

/** A look that failed is tried again after this time, and ever more rarely: a late answer is an error. */
const MIN_LOOK_WAIT_MS = 90_000;
const MAX_LOOK_WAIT_MS = 3_600_000;

/** A service may take records out of its queue this much later than it gave them. */
const QUIET_MS = 15_000;

/**
 * The beginning of a drain.
 *
 * @param pullSize the user's number of records in one request
 * @param kept from earlier polls. Left out for a pull by hand
 */
export function startDrain(
  pullSize: number,
  maxRecords: number,
  kept?: Kept,
  now = performance.now(),
): DrainState {
  const learnt = learntFor(Math.min(pullSize, maxRecords), kept?.learnt);
  const { ceiling } = learnt;
  return {
    learnt,
    maxRecords,
    maxLook: ceiling && now < ceiling.until ? ceiling.size : MAX_LOOK,
    isByHand: kept === undefined,
    isQuiet: now - learnt.freshAt >= QUIET_MS,
    fresh: 0,
    freshLength: 0,
    oldLength: 0,
    look: 0,
  };
}

function learntFor(setting: number, before?: Learnt): Learnt {
  if (before?.setting === setting) return before;
  const { freshAt = -Infinity } = before ?? {};
  return { setting, sizing: startWith(setting), growth: UNTRIED, freshAt };
}

/** Number of records to ask for. Only a look behind old records asks for more than the user's number. */
export function sizeOf({ learnt, maxRecords, fresh, look }: DrainState): number {
  return look || Math.min(learnt.sizing.current, maxRecords - fresh);
}

/** Whether the latest pull failed, and no new record has come in this drain. */
export function isFruitless({ error, fresh }: DrainState): boolean {
  return error !== undefined && fresh === 0;
}

/**
 * What follows an answer.
 *
 * A page that is shorter than its size and than the page before is the last. So a service that never
 * fills a page is drained too; a short first page costs one more request. A page of old records is not
 * the end, because new ones may be behind them.
 *
 * A page that is repeated ends the drain while new records come: a service may take a page out late, and
 * must not be asked for more than the user's number then. If none has come for a while, the service does
 * not consume, and ever larger pages are asked for until one has something new.
 */
export function nextPull(before: DrainState, answer: PullAnswer): PullStep {
  const { learnt } = before;
  return AFTER[answer.kind](
    {
      ...before,
      learnt: answer.fresh > 0 ? { ...learnt, freshAt: answer.at } : learnt,
      error: (answer.kind === 'refused' ? before.error : undefined) ?? answer.error,
    },
    answer,
  );
}

const AFTER: Record<PullAnswer['kind'], (state: DrainState, answer: PullAnswer) => PullStep> = {
  page: afterPage,
  refused: (state, { at }) => (state.look > 0 ? lookRefused(state, at) : afterRefusal(state)),
  late: (state, { at }) => fail(state.look > 0 ? withCeiling(state, at) : withHalfSize(state)),
  throttled: afterThrottled,
  failed: fail,
};

function pull(state: DrainState): PullStep {
  return { kind: 'pull', state };
}

function fail(state: DrainState): PullStep {
  return { kind: 'fail', state };
}

function end(state: DrainState, hiding?: number): PullStep {
  return { kind: 'end', state, hiding };
}

function afterPage(before: DrainState, page: PullAnswer): PullStep {
  const learnt = before.look > 0 ? lookAccepted(before) : sizeAccepted(before.learnt);
  const state = { ...before, learnt };
  if (page.length === 0) return end(state);
  return page.fresh > 0 ? afterNew(state, page) : afterOld(state, page);
}

function sizeAccepted(learnt: Learnt): Learnt {
  return { ...learnt, sizing: accept(learnt.sizing) };
}

/** An accepted look says nothing about the size while new records come. */
function lookAccepted({ learnt, look }: DrainState): Learnt {
  return learnt.ceiling && look > learnt.ceiling.size ? { ...learnt, ceiling: undefined } : learnt;
}

function afterNew(before: DrainState, { length, fresh }: PullAnswer): PullStep {
  const { learnt, look, freshLength } = before;
  const isLast = length < Math.min(sizeOf(before), freshLength);
  const state = {
    ...before,
    fresh: before.fresh + fresh,
    freshLength: length,
    learnt: look > 0 ? learnt : grow(learnt, learnt.setting),
  };
  return isLast || look > 0 || state.fresh >= state.maxRecords ? end(state) : pull(state);
}

/** A page without new records. If it has other old records, they are a second delivery: more may follow. */
function afterOld(before: DrainState, page: PullAnswer): PullStep {
  const state = { ...before, oldLength: page.length };
  const isLooking = before.look > 0 && page.repeatsPrevious;
  if (!page.isAllShown && !isLooking) return pull({ ...state, look: 0 });
  const isStill = before.fresh === 0 && before.isQuiet && page.repeatsPrevious;
  if (isStill && isFull(before, page)) return lookFurther(state);
  return end(state, isHiding(before, page) ? page.length : undefined);
}

function isFull(before: DrainState, { length }: PullAnswer): boolean {
  return length === sizeOf(before);
}

/** Whether new records may be behind the old ones. By hand there is no look that would show them. */
function isHiding(before: DrainState, page: PullAnswer): boolean {
  if (before.look === 0) return before.isByHand && isFull(before, page);
  // More were asked for, but the page is as long as before: the service has a limit of its own.
  return page.repeatsPrevious && page.length === before.oldLength;
}

/** The service gives the same records again and again: new ones may be behind them. */
function lookFurther(state: DrainState): PullStep {
  const look = Math.min(state.maxLook, 2 * sizeOf(state));
  return look > sizeOf(state) ? pull({ ...state, look }) : end(state, state.oldLength);
}

function lookRefused(state: DrainState, at: number): PullStep {
  return end(withCeiling(state, at), state.oldLength);
}

/** A larger look has failed. The page before it worked. */
function withCeiling(state: DrainState, at: number): DrainState {
  const { waitMs: before = MIN_LOOK_WAIT_MS / 2 } = state.learnt.ceiling ?? {};
  const waitMs = Math.min(MAX_LOOK_WAIT_MS, 2 * before);
  const ceiling = { size: state.oldLength, until: at + waitMs, waitMs };
  return { ...state, learnt: { ...state.learnt, ceiling } };
}

function afterRefusal(state: DrainState): PullStep {
  const { learnt, isByHand } = state;
  if (isByHand) return fail(state);
  const smaller = tryLess(learnt.sizing);
  const sizing = smaller ?? giveUp(learnt.sizing);
  const growth = afterSetback(learnt.growth);
  const next = { ...state, learnt: { ...learnt, sizing, growth } };
  return smaller ? pull(next) : fail(next);
}

/** The answer was late, so half the size is next, whether the service has accepted it before or not. */
function withHalfSize(state: DrainState): DrainState {
  const { sizing, growth } = state.learnt;
  const half = { ...sizing, current: Math.ceil(sizing.current / 2) };
  return { ...state, learnt: { ...state.learnt, sizing: half, growth: afterSetback(growth) } };
}

/** The answer may have records nevertheless. */
function afterThrottled(before: DrainState, { fresh }: PullAnswer): PullStep {
  const state = { ...before, fresh: before.fresh + fresh };
  if (state.isByHand) return fail(state);
  return state.fresh < state.maxRecords ? pull(state) : end(state);
}
