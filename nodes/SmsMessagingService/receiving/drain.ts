import type { Sighting } from '../service/newRecords';
import { timeOf } from './events';
import type { Pulled } from './pullPage';

/** How an event is drained. */
export interface DrainOptions {
  /** Number of records in one request, as the user has set it (`count`). */
  pullSize: number;
  /** No page is asked for after this many new records, and none that could bring more. */
  maxRecords: number;
  /** Makes one pull. Undefined: there is to be none any more. */
  pull: (count: number) => Promise<Pulled | undefined>;
  /** Makes the new records of a page safe, and says which these are. */
  take: (page: unknown[]) => Promise<Sighting<unknown>>;
}

/** How a drain ended, or how far it is. A value: each answer gives a new one. */
export interface Drained {
  /** Number of new records. */
  readonly fresh: number;
  /** The time of the newest record, in milliseconds. */
  readonly newestAt: number;
  readonly end: DrainEnd;
}

/**
 * What the service said last, but "too fast" only if it gave no page, with records or empty:
 *
 * - `silent`: nothing was asked;
 * - `empty`: nothing more is there;
 * - `repeated`: it gave a full page again, so other records may stand behind its `records`;
 * - `more`: it may have more.
 */
type DrainEnd =
  | { readonly kind: 'silent' | 'empty' | 'more' }
  | { readonly kind: 'tooFast'; readonly error: Error }
  | { readonly kind: 'repeated'; readonly records: number };

interface DrainState extends Drained {
  /** The pages that came, each by its records. */
  readonly pages: ReadonlySet<string>;
}

interface Step {
  kind: 'pull' | 'end';
  state: DrainState;
}

/**
 * Pulls page by page. A pull consumes what it returns, so the next page is asked for only when the records
 * of this one are safe.
 *
 * @throws what made a pull fail. The pages before it were taken, and so were the records that arrived with
 * the failure
 */
export async function drain(options: DrainOptions): Promise<Drained> {
  const { pullSize, maxRecords, pull, take } = options;
  const nothing: DrainState = {
    fresh: 0,
    newestAt: -Infinity,
    end: { kind: 'silent' },
    pages: new Set(),
  };
  let step: Step = { kind: 'pull', state: nothing };
  while (step.kind === 'pull') {
    const count = Math.min(pullSize, maxRecords - step.state.fresh);
    const pulled = await pull(count);
    if (!pulled) break;
    const page = await take(pulled.page);
    if (pulled.kind === 'failed') throw pulled.error;
    step = next(step.state, pulled, page, { count, maxRecords });
  }
  return step.state;
}

/**
 * What follows an answer. An empty page is the end, and so is one that repeats a page of this drain: the
 * service does not take records out. Other old records are not: they were delivered twice, and new ones may
 * follow.
 */
function next(
  before: DrainState,
  pulled: Pulled,
  { length, fresh, counts }: Sighting<unknown>,
  { count, maxRecords }: { count: number; maxRecords: number },
): Step {
  const seen = { ...before, fresh: before.fresh + fresh.length };
  const isFull = seen.fresh >= maxRecords;
  if (length === 0) {
    if (pulled.kind === 'page') return { kind: 'end', state: { ...seen, end: { kind: 'empty' } } };
    const end: DrainEnd =
      before.end.kind === 'more' ? before.end : { kind: 'tooFast', error: pulled.error };
    return { kind: 'pull', state: { ...seen, end } };
  }
  const records = Array.from(counts, (each) => each.join())
    .sort()
    .join();
  const isRepeated = fresh.length === 0 && before.pages.has(records);
  const repeated: DrainEnd =
    length === count ? { kind: 'repeated', records: length } : { kind: 'empty' };
  const pages = new Set(before.pages).add(records);
  const newestAt = pulled.page.reduce<number>(
    (newest, record) => Math.max(newest, timeOf(record) ?? newest),
    before.newestAt,
  );
  const state = {
    ...seen,
    newestAt,
    pages,
    end: isRepeated ? repeated : { kind: 'more' as const },
  };
  return { kind: isRepeated || isFull ? 'end' : 'pull', state };
}
