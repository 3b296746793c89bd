/*
 * One policy for "the service refuses this size", of a list and of a pull: half the size is tried, a few
 * times. The specification shows no limit, and a refusal may have any other reason.
 *
 * The two differ because only a pull can lose records. A page of a list can be read again, so a list tries
 * smaller pages wherever it is refused, also after a timeout of the service's own server (HTTP 5xx), and keeps
 * the size that it finds for the run. A pull tries no size below one that the service has accepted; it
 * lowers its size after a late answer too; and it grows again, because it goes on for months.
 */

/** What is known about the sizes that the service accepts. A value: each step gives a new one. */
export interface Sizing {
  /** The size to ask for. */
  readonly current: number;
  /** At this size or below, a refusal is not about the size: the service accepted it, or no size helped. */
  readonly accepted: number;
  /** The size of the first refusal, while smaller ones are tried. */
  readonly refused?: number;
  /** Number of smaller sizes tried since. */
  readonly tries: number;
}

/** After this many refusals of ever smaller pages, the refusal is not about the size. */
const MAX_TRIES = 4;

/** Nothing is known about the size yet. */
export function startWith(size: number): Sizing {
  return { current: size, accepted: 0, tries: 0 };
}

/** The service accepted the size. */
export function accept({ current, accepted }: Sizing): Sizing {
  return { current, accepted: Math.max(accepted, current), tries: 0 };
}

/**
 * The service refused, perhaps because of the size: half of it is next.
 *
 * @param min the smallest size worth asking for
 * @returns undefined if the refusal is about something else: then call `giveUp`
 */
export function tryLess(sizing: Sizing, min = 1): Sizing | undefined {
  const { current, accepted, refused = current, tries } = sizing;
  const half = Math.floor(current / 2);
  if (current <= accepted || tries === MAX_TRIES || half < min) return undefined;
  return { current: half, accepted, refused, tries: tries + 1 };
}

/** No smaller size helped: returns to the first size, below which no other is tried from now on. */
export function giveUp(sizing: Sizing): Sizing {
  const { accepted, refused } = sizing;
  if (refused === undefined) return sizing;
  return { current: refused, accepted: Math.max(accepted, refused), tries: 0 };
}

/** When a size that was lowered may grow again. */
export interface Growth {
  /** Number of consecutive answers without a setback. */
  readonly good: number;
  /** How many of them it takes until a larger size is tried. */
  readonly patience: number;
  /** Whether the current size is such a trial. */
  readonly isTrial: boolean;
}

/** A trial that fails may cost a page of records, so trials that fail become rare. */
const MIN_PATIENCE = 20;
const MAX_PATIENCE = 640;

/** Nothing was lowered so far. */
export const UNTRIED: Growth = { good: 0, patience: MIN_PATIENCE, isTrial: false };

/** The size was lowered. If it was a trial, the next one takes twice the patience. */
export function afterSetback({ patience, isTrial }: Growth): Growth {
  return {
    good: 0,
    patience: isTrial ? Math.min(MAX_PATIENCE, 2 * patience) : patience,
    isTrial: false,
  };
}

/**
 * An answer came without a setback. After enough of them, twice the size is tried.
 *
 * @param max the size that is wanted
 */
export function grow<T extends { sizing: Sizing; growth: Growth }>(sizes: T, max: number): T {
  const { sizing, growth } = sizes;
  if (sizing.current >= max) return sizes;
  const good = growth.good + 1;
  if (good < growth.patience) return { ...sizes, growth: { ...growth, good } };
  return {
    ...sizes,
    sizing: { ...sizing, current: Math.min(max, 2 * sizing.current) },
    growth: { ...growth, good: 0, isTrial: true },
  };
}
