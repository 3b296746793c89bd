/**
 * What is known of the page sizes that the service accepts. The specification shows no limit, and a refusal
 * may have any other reason. A value: each step gives a new one.
 */
export interface Sizing {
  /** The size to ask for. */
  readonly current: number;
  /** The largest size of which a refusal is not about the size: it was accepted, or given up. */
  readonly accepted: number;
  /** The size of the first refusal, while smaller ones are tried. */
  readonly refused?: number;
  /** Number of smaller sizes tried since. */
  readonly tries: number;
}

/** After this many refusals of ever smaller pages, the refusal is not about the size. */
const MAX_TRIES = 4;

/** Starts with a size of which nothing is known. */
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
 * @param least the smallest size worth asking for
 * @returns undefined when the refusal is about something else. `giveUp` has what holds then.
 */
export function tryLess(sizing: Sizing, least = 1): Sizing | undefined {
  const { current, accepted, refused = current, tries } = sizing;
  const half = Math.floor(current / 2);
  if (current <= accepted || tries === MAX_TRIES || half < least) return undefined;
  return { current: half, accepted, refused, tries: tries + 1 };
}

/** No size helped: the size is the first one again, and no smaller one is tried another time. */
export function giveUp({ current, accepted, refused = current }: Sizing): Sizing {
  return { current: refused, accepted: Math.max(accepted, refused), tries: 0 };
}
