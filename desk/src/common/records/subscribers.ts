import type { Fields } from '../../../../builder/code/n8n';

const MINUTE_MS = 60_000;

/** A try that has neither succeeded nor failed for so long hangs. */
const HANGING_MS = 5 * MINUTE_MS;

/** Each subscriber is looked at every minute, and one that hangs every 10. */
const FORGOTTEN_MS = 15 * MINUTE_MS;

/** Since when a subscriber does not take its records (in Unix milliseconds), and what its last try said. */
export interface Failing {
  since: number;
  reason: string;
}

/** What a row of sms_subscribers says of a subscriber that fails or hangs, or that nobody serves. */
export function failingIn(row: Fields, now: number): Failing | undefined {
  const reason = String(row.reason ?? '');
  const since = Date.parse(String(row.since ?? ''));
  if (reason !== '' || now - since > HANGING_MS) return { since, reason };
  const served = Date.parse(String(row.updatedAt ?? ''));
  return now - served > FORGOTTEN_MS ? { since: served, reason } : undefined;
}
