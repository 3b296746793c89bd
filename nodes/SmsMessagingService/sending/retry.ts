import type { Exchange } from '../service/answer';

const FIRST_PAUSE_MS = 500;

/** When the service asks for a longer pause, the rest of the run is given up. */
const LONGEST_PAUSE_MS = 60_000;

/** What follows an exchange: nothing, the same request after a pause, or the end of the run. */
export type NextStep = { kind: 'done' } | { kind: 'repeat'; pauseMs: number } | { kind: 'giveUp' };

/**
 * Whether and when a request is made again. Only a request that provably sent nothing may be repeated:
 * the service asked to slow down (HTTP 429, Retry-After), or no connection was opened. If that does not
 * help, the rest of the run is given up, since later requests would fail in the same way.
 *
 * @param retries how often the request was repeated so far
 * @param random from 0 to 1, so that requests that failed together do not come back together
 */
export function nextStep(
  exchange: Exchange,
  retries: number,
  maxRetries: number,
  random: number,
): NextStep {
  if (exchange.kind !== 'throttled' && exchange.kind !== 'unreachable') return { kind: 'done' };
  const pauseMs = exchange.retryAfterMs ?? backOff(retries, random);
  if (retries >= maxRetries || pauseMs > LONGEST_PAUSE_MS) return { kind: 'giveUp' };
  return { kind: 'repeat', pauseMs };
}

/** The back-off: twice as long each time, with some randomness. */
function backOff(retries: number, random: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** retries * (1 + random), LONGEST_PAUSE_MS);
}
