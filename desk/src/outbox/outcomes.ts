import type { Item, N8n } from '../../../builder/code/n8n';
import type { Range } from '../common/records/row';
import { outcomesOf, type Outcome } from './sent';

/** Neighbouring rows with the same outcome become one range: a few updates settle them all. */
export default function outcomes({ $ }: N8n): Item<Range & Outcome>[] {
  const settled = [...outcomesOf({ $ })].sort(([a], [b]) => a - b);
  const ranges: (Range & Outcome)[] = [];
  for (const [id, { status, reason, batch_id, sent_at }] of settled) {
    // What was skipped takes no place in the line.
    const outcome = {
      status: status === 'skipped' ? 'refused' : status,
      reason,
      batch_id,
      sent_at,
    };
    const last = ranges.at(-1);
    if (last && id === last.to + 1 && areSame(outcome, last)) last.to = id;
    else ranges.push({ from: id, to: id, ...outcome });
  }
  return ranges.map((json) => ({ json }));
}

function areSame(a: Outcome, b: Outcome): boolean {
  return (
    a.status === b.status &&
    a.batch_id === b.batch_id &&
    a.reason === b.reason &&
    a.sent_at === b.sent_at
  );
}
