import type { ServiceClient } from './client';
import { isObject } from './json';

/** Path of the balance query. */
export const BALANCE_PATH = '/sendsms/balance';

/** The balance of the account. Undefined if it cannot be read. It costs nothing. */
export async function readBalance(client: ServiceClient): Promise<number | undefined> {
  const exchange = await client.exchange(BALANCE_PATH, {});
  return exchange.kind === 'answered' ? balanceIn(exchange.body) : undefined;
}

/** The balance in an answer: at the top, as the specification shows, or under `data`. */
export function balanceIn(body: unknown): number | undefined {
  if (!isObject(body)) return undefined;
  const { data, balance = isObject(data) ? data.balance : undefined } = body;
  const isNumber = typeof balance === 'number' || /^-?\d+(?:\.\d+)?$/.test(String(balance).trim());
  return isNumber ? Number(balance) : undefined;
}
