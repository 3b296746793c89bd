/** The failed pulls of the inbox. n8n tells them to this workflow, which is the error workflow of the inbox. */
import type { Fields } from '../../../builder/code/n8n';

const MINUTE_MS = 60_000;

/** A pull is made every minute, so after a failure this old the next one has worked, or n8n waits longer. */
const NOW_MS = 5 * MINUTE_MS;

/** For so long n8n waits at most between two tries, and a little more. */
const LATELY_MS = 35 * MINUTE_MS;

/** Pulls that failed one after the other. Times are in Unix milliseconds. */
export interface FailedPulls {
  since: number;
  at: number;
  count: number;
  reason: string;
}

/** What this workflow remembers beside the tables, which may be what is away. */
export function failedPullsIn(staticData: Fields): FailedPulls | undefined {
  return staticData.failedPulls as FailedPulls | undefined;
}

/** The failed pulls, with one more. */
export function withFailure(
  before: FailedPulls | undefined,
  at: number,
  reason: string,
): FailedPulls {
  const isFirst = before === undefined || at - before.at > LATELY_MS;
  return isFirst
    ? { since: at, at, count: 1, reason }
    : { since: before.since, at, count: before.count + 1, reason };
}

/** Red: pulls fail now. Yellow: several have failed, and nothing shows that they work again. */
export function levelOf(
  { at, count }: FailedPulls,
  now: number,
  newestRecord: number,
): 'red' | 'yellow' | 'green' {
  const age = now - at;
  if (newestRecord > at || age > LATELY_MS) return 'green';
  if (age <= NOW_MS) return 'red';
  return count > 1 ? 'yellow' : 'green';
}
