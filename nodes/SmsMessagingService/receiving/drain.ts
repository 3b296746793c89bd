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
  readonly end:
    | { readonly kind: 'silent' | 'empty' | 'more' }
    | { readonly kind: 'tooFast'; readonly error: Error };
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
  const nothing = { fresh: 0, newestAt: -Infinity, end: { kind: 'silent' as const } };
  return { ...nothing, isOver: false, answers: new Set(), latest, longest };
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
  const seen = { ...before, fresh: before.fresh + fresh.length };
  if (length === 0) return afterNothing(seen, pulled);
  const latest = Array.from(counts, (each) => each.join())
    .sort()
    .join();
  // A cap is a round number.
  const isFull = length === count || (length === before.longest && length % 10 === 0);
  const isKnown = before.answers.has(latest);
  const isAgain = isFull && (isKnown || before.latest === latest);
  const isEnd = isKnown && fresh.length === 0;
  return {
    ...seen,
    newestAt: pulled.page.reduce<number>(
      (newest, record) => Math.max(newest, timeOf(record) ?? newest),
      before.newestAt,
    ),
    end: { kind: isEnd ? 'empty' : 'more' },
    isOver: isEnd || seen.fresh >= maxRecords,
    repeated: isAgain ? length : before.repeated,
    answers: new Set(before.answers).add(latest),
    latest,
    longest: Math.max(before.longest, length),
  };
}

function afterNothing(before: Drained, pulled: Pulled): Drained {
  if (pulled.kind === 'page')
    return { ...before, latest: '', end: { kind: 'empty' }, isOver: true };
  const { end } = before;
  return { ...before, end: end.kind === 'more' ? end : { kind: 'tooFast', error: pulled.error } };
}
