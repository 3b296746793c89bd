import type { N8n } from '../../../builder/code/n8n';
import { rangesOf, type Range } from '../common/records/row';
import { again } from './again';
import { outcomesOf, type Outcome } from './sent';
import type { Row } from '../common/messages/outbox';
import { Rules, type Rule } from '../common/messages/rules';

/** What is stored about the rows. */
export default function outcomes({ $, $now }: N8n): (Range & Outcome)[] {
  const waited = $('Claim what waits').isExecuted ? $('Claim what waits').all<Row>() : [];
  const byId = new Map(waited.map(({ json }) => [json.id, json]));
  const rules = new Rules($('Rules').all<Partial<Rule>>());
  const settled = new Map<number, Outcome>();
  for (const [id, found] of outcomesOf({ $ })) {
    const row = found.status === 'rejected' ? byId.get(id) : undefined;
    const outcome = row ? again(found, row, rules.of(row.class), $now) : found;
    // What was skipped takes no place in the line.
    const status = outcome.status === 'skipped' ? 'refused' : outcome.status;
    settled.set(id, { ...outcome, status });
  }
  return rangesOf([...settled.keys()], settled, 1);
}
