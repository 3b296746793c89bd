/** How fast a run makes its requests, and its setbacks since the last clear answer. */
export interface Tempo {
  /** Number of requests at a time. */
  concurrency: number;
  /** How far `concurrency` may grow again. */
  maxConcurrency: number;
  /** Pauses in a row because requests did not get through. */
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

/** What follows a setback: the run continues after a pause (0: none), or it stops. */
export type Step = { kind: 'continue'; tempo: Tempo; pauseMs: number } | { kind: 'stop' };

/** The first pause, and the factor by which each later one is longer. */
const PAUSES: Record<Setback['kind'], { firstMs: number; factor: number }> = {
  // A limit is often one request per minute, so three pauses must last longer than a minute.
  throttled: { firstMs: 1_000, factor: 8 },
  unreachable: { firstMs: 500, factor: 2 },
  unclear: { firstMs: 1_000, factor: 2 },
};

/** If the service asks for a longer pause, the run stops. */
export const MAX_PAUSE_MS = 60_000;

/** After this many unclear outcomes in a row, the run pauses after each. */
export const UNCLEAR_BEFORE_PAUSE = 3;

/** After this many unclear outcomes in a row, the run stops: each may cost the messages of a request. */
export const UNCLEAR_BEFORE_STOP = 6;

/** A clear answer ends a series of setbacks, and allows one more request at a time. */
export function afterSuccess(tempo: Tempo): Tempo {
  const concurrency = Math.min(tempo.concurrency + 1, tempo.maxConcurrency);
  return { ...tempo, concurrency, pauses: 0, unclear: 0 };
}

/**
 * What follows a setback.
 *
 * @param isNew whether the request began after the latest pause. If it did not, it is not one more setback in
 * a row: it was in flight together with the request that caused the pause
 * @param maxRetries maximum number of pauses in a row for requests that did not get through
 * @param random from 0 to 1, so that several runs do not continue at the same moment
 */
export function afterSetback(
  tempo: Tempo,
  setback: Setback,
  isNew: boolean,
  maxRetries: number,
  random: number,
): Step {
  return setback.kind === 'unclear'
    ? afterUnclear(tempo, isNew, random)
    : afterNotSent(tempo, setback, isNew, maxRetries, random);
}

function afterUnclear(tempo: Tempo, isNew: boolean, random: number): Step {
  if (!isNew && tempo.unclear >= UNCLEAR_BEFORE_PAUSE) {
    return { kind: 'continue', tempo, pauseMs: 0 };
  }
  const unclear = tempo.unclear + 1;
  if (unclear >= UNCLEAR_BEFORE_STOP) return { kind: 'stop' };
  if (unclear < UNCLEAR_BEFORE_PAUSE) {
    return { kind: 'continue', tempo: { ...tempo, unclear }, pauseMs: 0 };
  }
  const pauseMs = backOff('unclear', unclear - UNCLEAR_BEFORE_PAUSE, random);
  return { kind: 'continue', tempo: { ...tempo, unclear, concurrency: 1 }, pauseMs };
}

/** Fewer requests at a time, after the longer of Retry-After and the back-off. The requests sent nothing. */
function afterNotSent(
  tempo: Tempo,
  { kind, retryAfterMs = 0 }: Setback,
  isNew: boolean,
  maxRetries: number,
  random: number,
): Step {
  if (retryAfterMs > MAX_PAUSE_MS || tempo.pauses + (isNew ? 1 : 0) > maxRetries) {
    return { kind: 'stop' };
  }
  if (!isNew) return { kind: 'continue', tempo, pauseMs: retryAfterMs };
  const concurrency = Math.max(1, Math.floor(tempo.concurrency / 2));
  return {
    kind: 'continue',
    tempo: { ...tempo, concurrency, maxConcurrency: concurrency, pauses: tempo.pauses + 1 },
    pauseMs: Math.max(retryAfterMs, backOff(kind, tempo.pauses, random)),
  };
}

/** Milliseconds of a pause after this number of earlier ones: longer each time, with some randomness. */
function backOff(kind: Setback['kind'], earlier: number, random: number): number {
  const { firstMs, factor } = PAUSES[kind];
  return Math.min(firstMs * factor ** earlier * (1 + random), MAX_PAUSE_MS);
}
