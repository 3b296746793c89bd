import type { Fields } from '../../../../builder/code/n8n';

const MINUTE_MS = 60_000;

/** A try that has neither succeeded nor failed for so long hangs. */
const HANGING_MS = 5 * MINUTE_MS;

/** Each subscriber that does not hang is looked at every minute. */
const FORGOTTEN_MS = 15 * MINUTE_MS;

/** Since when a subscriber does not take its records (in Unix milliseconds), and what its last try said. */
export interface Failing {
  since: number;
  reason: string;
  /** It has an execution that does not end, and gets no other one before this. */
  until?: number;
}

/** What a row of sms.subscribers says of a subscriber that fails or hangs, or that nobody serves. */
export function failingIn(row: Fields, now: number): Failing | undefined {
  const reason = String(row.reason ?? '');
  const since = Date.parse(String(row.since ?? ''));
  const served = Date.parse(String(row.updatedAt ?? ''));
  const free = Date.parse(String(row.free_at ?? ''));
  if (free > now && now - served > HANGING_MS) return { since, reason: '', until: free };
  if (reason !== '' || now - since > HANGING_MS) return { since, reason };
  return now - served > FORGOTTEN_MS ? { since: served, reason } : undefined;
}
