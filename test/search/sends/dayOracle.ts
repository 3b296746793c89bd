import type { Claim } from './claims';
import type { Send } from './log';
import type { Scenario } from './scenario';
import { needsTimeLimits } from './scenario';

/** What is true of Max per Number and Day: all histories are within one day. */

const DAY_KEY = /^smsMessagingServiceDay:[-\d]+ (\d+) \d+$/;

export const isDayKey = (value: string) => DAY_KEY.test(value);

/** Whether a message was not sent because its number had its messages of the day. */
export const isOverDay = ({ msg }: Claim) => /^Not sent: the number had \d+ today/.test(msg);

export class DayOracle {
  private readonly max: number;

  /** By number, the messages that were or may have been sent in all executions. */
  private sent = new Map<string, number>();

  /** The same before the latest execution. */
  private before = new Map<string, number>();

  /** Nobody knows exactly what the node saw, or the store failed. */
  private isVague: boolean;

  constructor(
    scenario: Scenario,
    private readonly heldKeys: () => string[],
  ) {
    this.max = scenario.options.maxPerNumberAndDay ?? Infinity;
    this.isVague = needsTimeLimits(scenario) || scenario.storeFailures.length > 0;
  }

  /** No number gets more than its limit, and the store holds a key for exactly what was sent. */
  judgeSends(sends: Send[], wasCancelled: boolean): void {
    this.isVague ||= wasCancelled;
    this.before = this.sent;
    const counting = sends.filter(
      ({ meaning }) => meaning !== 'refused' && meaning !== 'slow down',
    );
    const numbers = counting.flatMap(({ messages }) => messages.map((name) => name.split(' ')[0]));
    this.sent = countsOf(numbers, this.sent);
    if (this.max === Infinity) return;
    const held = countsOf(this.heldKeys().map((value) => DAY_KEY.exec(value)?.[1]));
    for (const [number, count] of this.sent) {
      expect([number, count <= this.max]).toEqual([number, true]);
      expect([number, (held.get(number) ?? 0) >= count]).toEqual([number, true]);
    }
    if (!this.isVague) expect(held).toEqual(this.sent);
  }

  /** A message is over the limit only if its number would get more than that. */
  judgeDenied(claims: Claim[]): void {
    if (this.isVague) return;
    for (const { phone } of claims.filter(isOverDay)) {
      const asked = claims.filter((claim) => claim.phone === phone).length;
      expect((this.before.get(phone) ?? 0) + asked).toBeGreaterThan(this.max);
    }
  }
}

function countsOf(
  numbers: (string | undefined)[],
  counts = new Map<string, number>(),
): Map<string, number> {
  const sums = new Map(counts);
  for (const number of numbers) if (number) sums.set(number, (sums.get(number) ?? 0) + 1);
  return sums;
}
