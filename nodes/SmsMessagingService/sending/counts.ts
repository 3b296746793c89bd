import type { Outcome, Status } from './outcome';

/** An outcome, and the phone numbers of one item that have it. */
export interface Part {
  outcome: Outcome;
  phoneNumbers: string[];
}

/** Whether an outcome is a failure. A skipped message is none: its idempotency key was used before. */
export function isFailure({ status }: Outcome): boolean {
  return status === 'rejected' || status === 'unknown';
}

/** The number of recipients with each status. */
export function countByStatus(parts: Part[]): Record<Status, number> {
  const counts: Record<Status, number> = { accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
  // An item that was refused before its numbers were read counts as one recipient.
  for (const { outcome, phoneNumbers } of parts) {
    counts[outcome.status] += Math.max(1, phoneNumbers.length);
  }
  return counts;
}

/** For instance `2 accepted, 1 refused, 0 unknown`. */
export function describeCounts({
  accepted,
  rejected,
  unknown,
  skipped,
}: Record<Status, number>): string {
  return (
    `${accepted} accepted, ${rejected} refused, ${unknown} unknown` +
    (skipped > 0 ? `, ${skipped} skipped` : '')
  );
}
