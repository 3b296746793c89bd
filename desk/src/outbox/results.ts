import type { Item, N8n } from '../../../builder/code/n8n';
import { recipientsOf, type Row } from '../common/messages/outbox';
import { outcomesOf } from './sent';

/** One item for each number of the messages, in their order, with what became of it. */
export default function results({ $ }: N8n): Item[] {
  const isGate = $('Verdicts').isExecuted;
  const rows = isGate ? $('Take a place in the line').all<Row>() : [];
  const outcomes = isGate ? outcomesOf({ $ }) : new Map();
  let next = 0;
  return recipientsOf($('Messages').all()).map(({ index, message, phone_number, problem }) => {
    const result = problem
      ? { status: 'rejected', ...problem, batch_id: '', outbox_id: null, sent_at: '' }
      : resultOf(rows[next++]?.json.id);
    return {
      json: { ...message, phone_number, ...result },
      pairedItem: { item: index },
    };
  });

  function resultOf(id = 0) {
    const { sent_at, ...outcome } = outcomes.get(id) ?? {};
    const { status } = outcome;
    const isSent = ['accepted', 'unknown', 'waiting'].includes(status);
    return { ...outcome, outbox_id: id, sent_at: isSent ? sent_at : '' };
  }
}
