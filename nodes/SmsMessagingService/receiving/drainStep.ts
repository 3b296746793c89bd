import { accept, giveUp, startWith, tryLess } from '../service/sizing';
import type { Sizing } from '../service/sizing';

/** When a size that was lowered may grow again. */
interface Growth {
  /** Number of consecutive answers without a setback. */
  readonly good: number;
  /** How many such answers it takes before a larger size is tried. */
  readonly patience: number;
  /** The size is such a trial. */
  readonly isTrial: boolean;
}

/** The sizes that work. What a poll learns of them holds for the next polls. */
export interface Sizes {
  /** The user's number: what a crash may cost. No size is larger while new records come. */
  readonly setting: number;
  /** The size while new records come. */
  readonly sizing: Sizing;
  readonly growth: Growth;
  /** The largest size of a look behind old records. */
  readonly ceiling: number;
  readonly ceilingGrowth: Growth;
}

/** What a trigger keeps of its sizes between polls, for one event. */
export interface Learnt {
  sizes?: Sizes;
  /** When new records came last, by `performance.now`. */
  freshAt: number;
}

/** The beginning of what is learnt: nothing is known. */
export function newLearnt(): Learnt {
  return { freshAt: -Infinity };
}

/** Where a drain stands. A value: each step gives a new one. */
export interface DrainState {
  readonly sizes: Sizes;
  readonly maxRecords: number;
  /** No other pull follows that could look behind old records, and the user can change the size. */
  readonly isByHand: boolean;
  /** No new record has come for a while, so old ones are not about to be taken out. */
  readonly isQuiet: boolean;
  /** Number of new records in this drain. */
  readonly fresh: number;
  /** Length of the latest page with new records. */
  readonly freshLength: number;
  /** Length of the latest page with old records only. */
  readonly oldLength: number;
  /** The size of a look behind old records; 0 while there is none. */
  readonly look: number;
  /** The service has accepted a request of this drain. */
  readonly isAccepted: boolean;
}

/**
 * What came of a pull:
 *
 * - `page`: the service accepted it;
 * - `refused`: it said no, perhaps because of the size, and handed over nothing;
 * - `late`: no answer came in time. A smaller page might have;
 * - `throttled`: it asks to slow down;
 * - `failed`: anything else.
 */
export interface Answer {
  kind: 'page' | 'refused' | 'late' | 'throttled' | 'failed';
  /** Number of records, new and old. */
  length: number;
  /** Number of new records. */
  fresh: number;
  /** All of its records came in this drain before. */
  isShown: boolean;
  /** It has all records of the page before. */
  isAgain: boolean;
}

/**
 * What to do next:
 *
 * - `pull`: ask for `sizeOf` records;
 * - `wait`: the same, when the service allows it;
 * - `end`: the drain is over;
 * - `tell`: the drain is over, and new records may stand behind `count` old ones;
 * - `fail`: the drain is over with the failure of this pull.
 */
export type Action = { kind: 'pull' | 'wait' | 'end' | 'fail' } | { kind: 'tell'; count: number };

export interface Step {
  state: DrainState;
  action: Action;
}

/** A trial that fails may cost a page. */
const MIN_PATIENCE = 20;

/** Where nothing is consumed, it costs no record. */
const MIN_LOOK_PATIENCE = 1;

const MAX_PATIENCE = 640;

/** The largest look behind old records. */
export const MAX_LOOK = 100_000;

/** A service may take records out so much later than it gave them. */
const QUIET_MS = 15_000;

function untried(patience: number): Growth {
  return { good: 0, patience, isTrial: false };
}

const PULL: Action = { kind: 'pull' };
const END: Action = { kind: 'end' };
const FAIL: Action = { kind: 'fail' };

/**
 * The beginning of a drain.
 *
 * @param pullSize the user's number of records in one request
 * @param learnt of earlier polls; left out for a pull by hand
 */
export function startDrain(pullSize: number, maxRecords: number, learnt?: Learnt): DrainState {
  const setting = Math.min(pullSize, maxRecords);
  const known = learnt?.sizes?.setting === setting ? learnt.sizes : undefined;
  return {
    sizes: known ?? {
      setting,
      sizing: startWith(setting),
      growth: untried(MIN_PATIENCE),
      ceiling: MAX_LOOK,
      ceilingGrowth: untried(MIN_LOOK_PATIENCE),
    },
    maxRecords,
    isByHand: learnt === undefined,
    isQuiet: performance.now() - (learnt?.freshAt ?? 0) >= QUIET_MS,
    fresh: 0,
    freshLength: 0,
    oldLength: 0,
    look: 0,
    isAccepted: false,
  };
}

/** Number of records to ask for. Only a look behind old records asks for more than the user's number. */
export function sizeOf({ sizes, maxRecords, fresh, look }: DrainState): number {
  return look || Math.min(sizes.sizing.current, maxRecords - fresh);
}

/**
 * The next step of a drain.
 *
 * A page that is shorter than its size and than the page before is the last. So a service that never
 * fills a page is drained too; a short first page costs one more request. A page of old records is not
 * the end, because new ones may stand behind them.
 *
 * A page that is repeated ends the drain while new records come: a service may take a page out late, and
 * must not be asked for more than the user's number then. If none has come for a while, the service does
 * not consume, and ever larger pages are asked for until one has something new.
 */
export function next(state: DrainState, answer: Answer): Step {
  switch (answer.kind) {
    case 'page':
      return afterPage({ ...state, isAccepted: true, sizes: accepted(state) }, answer);
    case 'throttled':
      return afterThrottled(state, answer);
    case 'refused':
      return afterRefusal(state);
    case 'late':
      return { state: { ...state, sizes: afterLate(state) }, action: FAIL };
    default:
      return { state, action: FAIL };
  }
}

function afterPage(state: DrainState, page: Answer): Step {
  if (page.length === 0) return { state, action: END };
  return page.fresh > 0 ? afterNew(state, page) : afterOld(state, page);
}

function afterNew(before: DrainState, { length, fresh }: Answer): Step {
  const isLast = length < Math.min(sizeOf(before), before.freshLength);
  const state = {
    ...before,
    fresh: before.fresh + fresh,
    freshLength: length,
    sizes: before.look > 0 ? before.sizes : grown(before.sizes),
  };
  const isOver = isLast || before.look > 0 || state.fresh >= state.maxRecords;
  return { state, action: isOver ? END : PULL };
}

/** Nothing is new. A page that shows other old records is a delivery again, so the next one may be new. */
function afterOld(before: DrainState, page: Answer): Step {
  const state = { ...before, oldLength: page.length };
  const isLooking = before.look > 0 && page.isAgain;
  if (!page.isShown && !isLooking) return { state: { ...state, look: 0 }, action: PULL };
  const isStill = before.fresh === 0 && before.isQuiet && page.isAgain;
  return isStill ? behindOld(before, page) : { state, action: atOld(before, page) };
}

/** The service gives the same records again and again: new ones may stand behind them. */
function behindOld(before: DrainState, page: Answer): Step {
  const state = { ...before, oldLength: page.length };
  if (page.length === sizeOf(before)) return lookFurther(state);
  // As long as before although more were asked for: the service has a limit of its own.
  const isLimit = before.look > 0 && page.length === before.oldLength;
  return { state, action: isLimit ? tell(page.length) : END };
}

/** By hand there is no later pull that could look behind old records. */
function atOld(before: DrainState, { length }: Answer): Action {
  return before.isByHand && length === sizeOf(before) ? tell(length) : END;
}

function lookFurther(state: DrainState): Step {
  const { sizes } = state;
  const look = Math.min(sizes.ceiling, 2 * sizeOf(state));
  if (look > sizeOf(state)) return { state: { ...state, look }, action: PULL };
  return { state: { ...state, sizes: ceilingGrown(sizes) }, action: tell(state.oldLength) };
}

function tell(count: number): Action {
  return { kind: 'tell', count };
}

/** It may hand over records nevertheless. */
function afterThrottled(before: DrainState, { fresh }: Answer): Step {
  const state = { ...before, fresh: before.fresh + fresh };
  if (state.isByHand) return { state, action: FAIL };
  return { state, action: state.fresh < state.maxRecords ? { kind: 'wait' } : END };
}

function afterRefusal(state: DrainState): Step {
  const { sizes, look, isByHand, oldLength } = state;
  if (look > 0) {
    return { state: { ...state, sizes: ceilingLowered(state) }, action: tell(oldLength) };
  }
  if (isByHand) return { state, action: FAIL };
  const smaller = tryLess(sizes.sizing);
  const sizing = smaller ?? giveUp(sizes.sizing);
  const growth = failed(sizes.growth);
  return {
    state: { ...state, sizes: { ...sizes, sizing, growth } },
    action: smaller ? PULL : FAIL,
  };
}

function afterLate(state: DrainState): Sizes {
  const { sizes, look } = state;
  if (look > 0) return ceilingLowered(state);
  const sizing = { ...sizes.sizing, current: Math.ceil(sizes.sizing.current / 2) };
  return { ...sizes, sizing, growth: failed(sizes.growth) };
}

function accepted({ sizes, look }: DrainState): Sizes {
  return look > 0 ? lookAccepted(sizes, look) : { ...sizes, sizing: accept(sizes.sizing) };
}

/** A look loses nothing, so a trial that works is followed by a larger one at once. */
function lookAccepted(sizes: Sizes, look: number): Sizes {
  const isTrial = sizes.ceilingGrowth.isTrial && look === sizes.ceiling;
  return isTrial ? { ...sizes, ceiling: Math.min(MAX_LOOK, 2 * look) } : sizes;
}

/** A larger look did not work. The page before it did. */
function ceilingLowered({ sizes, oldLength }: DrainState): Sizes {
  return { ...sizes, ceiling: oldLength, ceilingGrowth: failed(sizes.ceilingGrowth) };
}

function failed({ patience, isTrial }: Growth): Growth {
  const next = isTrial ? Math.min(MAX_PATIENCE, 2 * patience) : patience;
  return { good: 0, patience: next, isTrial: false };
}

/** @returns undefined when a larger size is due for a trial */
function worked(growth: Growth): Growth | undefined {
  const good = growth.good + 1;
  return good < growth.patience ? { ...growth, good } : undefined;
}

function trialOf({ patience }: Growth): Growth {
  return { good: 0, patience, isTrial: true };
}

function grown(sizes: Sizes): Sizes {
  const { setting, sizing } = sizes;
  if (sizing.current >= setting) return sizes;
  const growth = worked(sizes.growth);
  if (growth) return { ...sizes, growth };
  const current = Math.min(setting, 2 * sizing.current);
  return { ...sizes, sizing: { ...sizing, current }, growth: trialOf(sizes.growth) };
}

function ceilingGrown(sizes: Sizes): Sizes {
  if (sizes.ceiling >= MAX_LOOK) return sizes;
  const ceilingGrowth = worked(sizes.ceilingGrowth);
  if (ceilingGrowth) return { ...sizes, ceilingGrowth };
  const ceiling = Math.min(MAX_LOOK, 2 * sizes.ceiling);
  return { ...sizes, ceiling, ceilingGrowth: trialOf(sizes.ceilingGrowth) };
}
