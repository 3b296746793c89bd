import type { Item, N8n } from '../../../builder/code/n8n';
import { said, type Why } from '../common/messages/reasons';
import type { Decisions, Sendable } from '../common/messages/outbox';
import { sourceOf } from '../../../builder/code/paired';

/** What is returned about a row, and stored. */
export interface Outcome extends Why {
  status: string;
  batch_id: string;
  sent_at: string;
}

/** An item of a send: an outcome, or that of the error output, which has it in "details". */
interface Sent {
  id?: number;
  status?: string;
  batch_id?: string;
  msg?: string;
  message?: string;
  error?: unknown;
  details?: Pick<Sent, 'status' | 'batch_id' | 'msg'>;
}

/** The outcome of every row, by its id: of those that were sent, and of those that were not. */
export function outcomesOf({ $ }: Pick<N8n, '$'>): Map<number, Outcome> {
  const { template, text, none } = $('Verdicts').first<Decisions>().json;
  const outcomes = new Map<number, Outcome>(none.map(({ id, ...outcome }) => [id, outcome]));
  const add = (rows: Sendable[], sent: Item<Sent>[]): void => {
    const input = rows.map((json) => ({ json }));
    for (const item of sent) {
      const row = sourceOf(item, input);
      if (!row) throw new Error('n8n does not say which row an outcome belongs to.');
      outcomes.set(row.id, { ...outcomeOf(item.json), sent_at: row.sent_at });
    }
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

function outcomeOf(json: Sent): Omit<Outcome, 'sent_at'> {
  const { status = '', batch_id, msg } = json.details ?? json;
  // A status that is none of these proves nothing: the message may have been sent.
  const known = ['accepted', 'rejected'].includes(status) ? status : 'unknown';
  const reason = known === 'accepted' ? '' : String(msg ?? json.message ?? json.error ?? '');
  return { status: known, batch_id: batch_id ?? '', ...said(reason.slice(0, 300)) };
}
