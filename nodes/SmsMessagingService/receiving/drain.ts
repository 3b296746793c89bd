import type { Sighting } from '../service/newRecords';
import { timeOf } from './events';
import type { Pulled } from './pullPage';

/** How far a drain is, or how it ended. A value: each answer gives a new one. */
export interface Drained {
  readonly fresh: number;
  readonly newestAt: number;
  /**
   * What the service said last, but "too fast" only if it gave no page, with records or empty:
   *
   * - `silent`: nothing was asked;
   * - `empty`: nothing more is there, or nothing else comes;
   * - `more`: it may have more.
   */
  readonly end: 'silent' | 'empty' | 'more' | 'tooFast';
  /** Its words, if that is "too fast". */
  readonly refusal?: Error;
  readonly isOver: boolean;
  /** The length of an answer that was given again, and behind which others may stand. */
  readonly repeated?: number;
  /** The answers that came, each by its records. */
  readonly answers: ReadonlySet<string>;
  /** The latest one, also of an earlier drain, and the length of the longest. */
  readonly latest: string;
  readonly longest: number;
}

export function beginDrain({ latest = '', longest = 0 }: Partial<Drained> = {}): Drained {
  const nothing = { fresh: 0, newestAt: -Infinity, end: 'silent' as const, isOver: false };
  return { ...nothing, answers: new Set(), latest, longest };
}

/**
 * What follows an answer. An empty page is the end, and so is one that repeats a page of this drain: the
 * service does not take records out. Other old records are not: they were delivered twice, and new ones may
 * follow.
 *
 * @param count number of records that were asked for
 * @param maxRecords no page is asked for after so many new records
 */
export function next(
  before: Drained,
  pulled: Pulled,
  { fresh, counts }: Sighting<unknown>,
  { count, maxRecords }: { count: number; maxRecords: number },
): Drained {
  const { length } = pulled.page;
  if (length === 0) return afterNothing(before, pulled);
  const latest = Array.from(counts, (each) => each.join())
    .sort()
    .join();
  // A cap is a round number.
  const isFull = length === count || (length === before.longest && length % 10 === 0);
  const isKnown = before.answers.has(latest);
  const isAgain = isFull && (isKnown || before.latest === latest);
  const isEnd = isKnown && fresh.length === 0;
  const total = before.fresh + fresh.length;
  return {
    ...before,
    fresh: total,
    newestAt: pulled.page.reduce<number>(
      (newest, record) => Math.max(newest, timeOf(record) ?? newest),
      before.newestAt,
    ),
    end: isEnd ? 'empty' : 'more',
    isOver: isEnd || total >= maxRecords,
    repeated: isAgain ? length : before.repeated,
    answers: new Set(before.answers).add(latest),
    latest,
    longest: Math.max(before.longest, length),
  };
}

function afterNothing(before: Drained, { kind, error }: Pulled): Drained {
  if (kind === 'page') return { ...before, latest: '', end: 'empty', isOver: true };
  return before.end === 'more' ? before : { ...before, end: 'tooFast', refusal: error };
}

export const HOUR_MS = 3_600_000;

/** What polls in a row have in common. */
export interface Streaks {
  /** Polls that got nothing but "too fast", and what the service said. */
  tooFast: number;
  refusal?: Error;
  /** Polls in which the service gave an answer again, behind which others may stand. */
  repeated: number;
  /** Polls that did not catch up with the service, when the last one ended, and how old its newest record was. */
  behind: number;
  at: number;
  ageMs: number;
}

export const NO_STREAKS: Streaks = { tooFast: 0, repeated: 0, behind: 0, at: NaN, ageMs: NaN };

export function countPoll(before: Streaks, drained: Drained): Streaks {
  const { end, repeated, newestAt } = drained;
  const isTooFast = end === 'tooFast';
  const refusal = end === 'silent' ? before.refusal : isTooFast ? drained.refusal : undefined;
  const again = isTooFast || end === 'silent' ? before.repeated : 0;
  const at = Date.now();
  const ageMs = at - newestAt;
  const isBehind = end === 'more' && ageMs > HOUR_MS;
  // A large campaign that drains gets younger fast.
  const catchesUp = before.ageMs - ageMs > at - before.at;
  return {
    tooFast: refusal ? before.tooFast + 1 : 0,
    refusal,
    repeated: repeated === undefined ? again : before.repeated + 1,
    behind: isBehind ? (catchesUp ? 1 : before.behind + 1) : 0,
    at,
    ageMs,
  };
}
