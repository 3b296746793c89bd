import type { ServiceClient } from './client';
import { isObject, textOf } from './json';

/** Path of the balance query. */
export const BALANCE_PATH = '/sendsms/balance';

const MAX_TIMEOUT_MS = 10_000;

/**
 * Asks for the balance of the account, which costs nothing.
 *
 * @param timeoutMs at most 10 seconds are used
 * @returns undefined if it cannot be read
 */
export async function readBalance(
  client: ServiceClient,
  timeoutMs: number,
): Promise<string | undefined> {
  const exchange = await client.exchange(BALANCE_PATH, {}, Math.min(timeoutMs, MAX_TIMEOUT_MS));
  return exchange.kind === 'answered' ? balanceIn(exchange.body) : undefined;
}

/**
 * The balance in an answer: at the top, as the specification shows, or under `data`. As text, because it
 * may have more digits than a number of JavaScript.
 */
export function balanceIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { data, balance = isObject(data) ? data.balance : undefined } = body;
  const text = textOf(balance);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? text : undefined;
}
