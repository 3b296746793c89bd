/** What happens to a template in the world, beside what its own tests say. */
import type { N8nNodes } from './n8n';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The settings of a workflow that n8n's menu has imported: the file's own are dropped. */
export const AS_IMPORTED = { executionOrder: 'v1' } as const;

/** The mail server refuses so many mails: two are a break of five seconds, five are all tries of a node. */
export function refuseMails(n8n: N8nNodes, count: number): void {
  let left = count;
  n8n.refuses = () => left-- > 0;
}

/** Does something at another time: of the clock, or after some milliseconds. */
export async function at<T>(when: string | number, act: () => Promise<T>): Promise<T> {
  const time = typeof when === 'string' ? Date.parse(when) : Date.now() + when;
  const clock = jest.spyOn(Date, 'now').mockReturnValue(time);
  try {
    return await act();
  } finally {
    clock.mockRestore();
  }
}

/** What no mail and no row may say. */
export const NONSENSE = /undefined|null|NaN|\[object/;
