import type { Item, N8n } from '../../../builder/code/n8n';
import { recipientsOf, type Row } from '../common/messages/outbox';
import { rowsOf } from '../common/records/rows';
import { reasonIn, said, whyOf, type Why } from '../common/messages/reasons';
import { saidOf, type Said, type Sent } from './said';
import type { Sendable, Sends } from './what-goes';

interface Outcome extends Why {
  status: string;
  batch_id: string;
}

/** One item for each number of the messages, in their order, with what became of it. */
export default function results({ $ }: N8n): Item[] {
  if (!$('Messages').isExecuted) return [];
  const rows = rowsOf<Row>($('Take the messages').all()).values();
  const sent = outcomesOf({ $ });
  return recipientsOf($('Messages').all()).map(({ index, message, phone_number, problem }) => ({
    json: {
      ...{ ...message, phone_number },
      ...(problem
        ? { status: 'rejected', ...problem, batch_id: '', outbox_id: null, sent_at: '' }
        : resultOf(rows.next().value as Row, sent)),
    },
    pairedItem: { item: index },
  }));
}

function resultOf(row: Row, sent: Map<number, Outcome>) {
  const { id: outbox_id, batch_id } = row;
  const taken = { status: statusOf(row), batch_id, ...whyOf(row), reason: reasonIn('en', row) };
  const outcome = sent.get(outbox_id) ?? taken;
  const isSent = ['accepted', 'unknown', 'waiting'].includes(outcome.status);
  return { ...outcome, outbox_id, sent_at: isSent ? row.sent_at : '' };
}

/** A caller is told apart what its key has kept from a second send, and whether the first is known. */
function statusOf({ status, reason_code, reason_values }: Row): string {
  if (status !== 'refused' || reason_code !== 'key_used') return status;
  const { reason } = JSON.parse(reason_values) as { reason: Partial<Why> };
  return reason.reason_code?.startsWith('first_') ? 'skipped' : 'unknown';
}

/** The outcome of every row that was sent, by its ID. */
function outcomesOf({ $ }: Pick<N8n, '$'>): Map<number, Outcome> {
  const { template, text } = $('What goes').first<Sends>().json;
  const outcomes = new Map<number, Outcome>();
  const add = (rows: Sendable[], sent: Item<Sent>[]): void => {
    for (const each of saidOf(asItems(rows), sent)) outcomes.set(each.id, outcomeOf(each));
  };
  if ($('Send by template').isExecuted) {
    add(template, $('Send by template').all<Sent>());
    add(template, $('Send by template').all<Sent>(1));
  }
  if ($('Send a text').isExecuted) {
    add(text, $('Send a text').all<Sent>());
    add(text, $('Send a text').all<Sent>(1));
  }
  return outcomes;
}

const asItems = (rows: Sendable[]) => rows.map((json) => ({ json }));

function outcomeOf({ status, batch_id, msg }: Said): Outcome {
  // A status that is none of these proves nothing: the message may have been sent.
  const known = ['accepted', 'rejected'].includes(status) ? status : 'unknown';
  return { status: known, batch_id, ...said(known === 'accepted' ? '' : msg.slice(0, 300)) };
}
