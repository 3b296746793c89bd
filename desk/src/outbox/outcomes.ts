import type { Item, N8n } from '../../../builder/code/n8n';
import type { Range } from '../common/records/row';
import { again } from './again';
import { outcomesOf, type Outcome } from './sent';
import type { Row } from '../common/messages/outbox';
import { Rules, type Rule } from '../common/messages/rules';

/** Neighbouring rows with the same outcome become one range: a few updates settle them all. */
export default function outcomes({ $, $now }: N8n): Item<Range & Outcome>[] {
  const settled = [...outcomesOf({ $ })].sort(([a], [b]) => a - b);
  const waited = $('Claim what waits').isExecuted ? $('Claim what waits').all<Row>() : [];
  const byId = new Map(waited.map(({ json }) => [json.id, json]));
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const ranges: (Range & Outcome)[] = [];
  for (const [id, found] of settled) {
    const row = byId.get(id);
    const isOpen = row && found.status === 'rejected';
    const { status, reason, batch_id, sent_at } = isOpen
      ? again(found, row, rules.of(row.class), $now)
      : found;
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
