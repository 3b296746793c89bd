import type { ServiceClient } from './client';
import { isObject, textOf } from './json';

/** Path of the balance query. */
export const BALANCE_PATH = '/sendsms/balance';

const MAX_BALANCE_TIMEOUT_MS = 10_000;

/**
 * Requests the balance of the account. The request is free.
 *
 * @param timeoutMs how long to wait, up to 10 seconds
 * @returns undefined if it cannot be read
 */
export async function readBalance(
  client: ServiceClient,
  timeoutMs: number,
): Promise<string | undefined> {
  const exchange = await client.exchange(
    BALANCE_PATH,
    {},
    Math.min(timeoutMs, MAX_BALANCE_TIMEOUT_MS),
  );
  return exchange.kind === 'answered' ? balanceIn(exchange.body) : undefined;
}

/**
 * Finds the balance in an answer: at the top level, as in the specification, or under `data`. It is text,
 * because it may have more digits than a JavaScript number can hold.
 */
export function balanceIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { data, balance = isObject(data) ? data.balance : undefined } = body;
  const text = textOf(balance);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? text : undefined;
}
