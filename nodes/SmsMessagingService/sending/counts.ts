import type { Outcome, Share, Status } from './outcome';

/** Whether an outcome is a failure. A skipped message is none: its idempotency key was used before. */
export function isFailure({ status }: Outcome): boolean {
  return status === 'rejected' || status === 'unknown';
}

/** How many messages have each status. */
export type Counts = Record<Status, number>;

export function countByStatus(shares: Share[]): Counts {
  const counts: Counts = { accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
  // An item that was refused before its numbers were read counts as one message.
  for (const { outcome, phoneNumbers } of shares) {
    counts[outcome.status] += Math.max(1, phoneNumbers.length);
  }
  return counts;
}

/**
 * What failed, and why. One message needs no count, and its status is plain where it was refused. For
 * instance `1 of 3 messages was not sent and 2 may have been: <reason>`.
 */
export function describeFailures(
  { accepted, rejected, unknown, skipped }: Counts,
  reason: string,
): string {
  const all = accepted + rejected + unknown + skipped;
  if (all === 1) return rejected === 1 ? reason : `The message may have been sent: ${reason}`;
  if (rejected === all) return `None of the ${all} messages was sent: ${reason}`;
  const notSent = `${rejected} of ${all} messages ${was(rejected)} not sent`;
  if (unknown === 0) return `${notSent}: ${reason}`;
  return rejected === 0
    ? `${unknown} of ${all} messages may have been sent: ${reason}`
    : `${notSent} and ${unknown} may have been: ${reason}`;
}

/**
 * What became of the messages that did not fail. Empty if there are none.
 *
 * @param batches the batch IDs of the accepted ones
 */
export function describeOthers({ accepted, skipped }: Counts, batches: string): string {
  const others = accepted + skipped;
  if (others === 0) return '';
  const where = batches ? ` (batch_id ${batches})` : '';
  if (accepted > 0 && skipped > 0) {
    return `Of the others, ${accepted} ${was(accepted)} accepted${where} and ${skipped} ${was(skipped)} skipped.`;
  }
  const who = others === 1 ? 'The other one' : `The other ${others}`;
  return `${who} ${was(others)} ${accepted > 0 ? `accepted${where}` : 'skipped'}.`;
}

const was = (count: number) => (count === 1 ? 'was' : 'were');
