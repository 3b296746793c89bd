/** How fast a run makes its requests, and what it has met since the last clear answer. */
export interface Tempo {
  /** Number of requests at a time. */
  atOnce: number;
  /** What `atOnce` may grow to again. */
  atMost: number;
  /** Pauses in a row because requests were not let through. */
  pauses: number;
  /** Unclear outcomes in a row. */
  unclear: number;
}

/**
 * A request without a clear answer:
 *
 * - `throttled`: the service asked to slow down. It certainly sent nothing, and may be made again;
 * - `unreachable`: no connection was opened. It certainly sent nothing, and may be made again;
 * - `unclear`: it may have sent its messages.
 */
export interface Setback {
  kind: 'throttled' | 'unreachable' | 'unclear';
  /** Milliseconds that the service asked to wait. */
  retryAfterMs?: number;
}

/** What follows a setback: the run goes on after a pause (0: none), or it stops. */
export type Next = { kind: 'goOn'; tempo: Tempo; pauseMs: number } | { kind: 'stop' };

/** The first pause, and how many times as long each further one is. */
const PAUSES: Record<Setback['kind'], { firstMs: number; factor: number }> = {
  // A limit is often one per minute, and three pauses have to last longer than that.
  throttled: { firstMs: 1_000, factor: 8 },
  unreachable: { firstMs: 500, factor: 2 },
  unclear: { firstMs: 1_000, factor: 2 },
};

/** If the service asks for a longer pause, the rest of the run is given up. */
export const MAX_PAUSE_MS = 60_000;

/** After this many unclear outcomes in a row, the run pauses after each. */
export const UNCLEAR_BEFORE_PAUSE = 3;

/** After this many unclear outcomes in a row, the run stops: each costs the messages of a request. */
export const UNCLEAR_BEFORE_STOP = 6;

/** A clear answer ends a series of setbacks, and lets one more request run at a time. */
export function afterSuccess({ atOnce, atMost }: Tempo): Tempo {
  return { atOnce: Math.min(atOnce + 1, atMost), atMost, pauses: 0, unclear: 0 };
}

/**
 * What follows a setback.
 *
 * @param isNews whether the request began after the latest pause. If not, requests that were under way
 * together would count as a series
 * @param maxRetries pauses in a row after which requests that are not let through are given up
 * @param random from 0 to 1, so that several runs do not come back together
 */
export function afterSetback(
  tempo: Tempo,
  setback: Setback,
  isNews: boolean,
  maxRetries: number,
  random: number,
): Next {
  return setback.kind === 'unclear'
    ? afterUnclear(tempo, isNews, random)
    : afterNotLetThrough(tempo, setback, isNews, maxRetries, random);
}

function afterUnclear(tempo: Tempo, isNews: boolean, random: number): Next {
  if (!isNews && tempo.unclear >= UNCLEAR_BEFORE_PAUSE) return { kind: 'goOn', tempo, pauseMs: 0 };
  const unclear = tempo.unclear + 1;
  if (unclear >= UNCLEAR_BEFORE_STOP) return { kind: 'stop' };
  if (unclear < UNCLEAR_BEFORE_PAUSE) {
    return { kind: 'goOn', tempo: { ...tempo, unclear }, pauseMs: 0 };
  }
  const pauseMs = backOff('unclear', unclear - UNCLEAR_BEFORE_PAUSE, random);
  return { kind: 'goOn', tempo: { ...tempo, unclear, atOnce: 1 }, pauseMs };
}

/** Fewer requests at a time, after the longer of Retry-After and the back-off. */
function afterNotLetThrough(
  tempo: Tempo,
  { kind, retryAfterMs = 0 }: Setback,
  isNews: boolean,
  maxRetries: number,
  random: number,
): Next {
  if (retryAfterMs > MAX_PAUSE_MS || tempo.pauses + (isNews ? 1 : 0) > maxRetries) {
    return { kind: 'stop' };
  }
  if (!isNews) return { kind: 'goOn', tempo, pauseMs: retryAfterMs };
  const atMost = Math.max(1, Math.floor(tempo.atOnce / 2));
  return {
    kind: 'goOn',
    tempo: { ...tempo, atOnce: atMost, atMost, pauses: tempo.pauses + 1 },
    pauseMs: Math.max(retryAfterMs, backOff(kind, tempo.pauses, random)),
  };
}

/** Milliseconds: longer each time, with some randomness. */
function backOff(kind: Setback['kind'], earlier: number, random: number): number {
  const { firstMs, factor } = PAUSES[kind];
  return Math.min(firstMs * factor ** earlier * (1 + random), MAX_PAUSE_MS);
}
