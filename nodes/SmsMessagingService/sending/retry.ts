import type { Exchange } from '../service/answer';

const FIRST_PAUSE_MS = 500;

/** A service that asks for a longer pause is not asked again in this run. */
const LONGEST_PAUSE_MS = 60_000;

/** What follows an exchange: nothing, the same request after a pause, or the end of the run. */
export type NextStep = { kind: 'done' } | { kind: 'repeat'; pauseMs: number } | { kind: 'giveUp' };

/**
 * Whether and when a request is made again. Only one that provably sent nothing may be: the service
 * asked to slow down, or no connection was opened. When that does not help, the requests after it
 * would fare no better.
 *
 * @param retries how often it was made again already
 * @param random from 0 to 1: two that were turned away together must not come back together
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

/** Twice as long each time. */
function backOff(retries: number, random: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** retries * (1 + random), LONGEST_PAUSE_MS);
}
