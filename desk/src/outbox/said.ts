/** What the nodes that send say of their items. An expression runs it too: what settles a send is no Code node. */
import type { Item } from '../../../builder/code/n8n';
import { sourceOf } from '../../../builder/code/paired';
import { CODE } from '../common/messages/outbox';

/** An item of a send: an outcome, or that of the error output, which has it in "details". */
export interface Sent {
  status?: string;
  batch_id?: string;
  msg?: string;
  /** The numbers of the service's answer. */
  code?: number | string;
  http_status?: number;
  message?: string;
  error?: unknown;
  details?: Sent;
}

/** What became of a row, as *sms.message_settle* takes it. */
export interface Said {
  id: number;
  /** That of the claim which it ends: what had waited may have been claimed again since. */
  sent_at: string;
  status: string;
  batch_id: string;
  msg: string;
}

/**
 * What became of each row, in the words of the node or of the service.
 *
 * @param rows the items that a node was to send, and what it has put out
 */
export function saidOf<Row extends Pick<Said, 'id' | 'sent_at'>>(
  rows: Item<Row>[],
  sent: Item<Sent>[],
  wordsOf: (words: string, row: Row, outcome: Sent) => string = (words) => words,
): Said[] {
  return sent.map((item) => {
    const row = sourceOf(item, rows);
    if (!row) throw new Error('n8n does not say which row an outcome belongs to.');
    const outcome = item.json.details ?? item.json;
    const { status = '', batch_id = '', msg = item.json.message ?? item.json.error } = outcome;
    const words = wordsOf(String(msg ?? ''), row, outcome);
    return { id: row.id, sent_at: row.sent_at, status, batch_id, msg: words };
  });
}

/** The same for the table. Words may quote a code, which stands in no table: of a message with one, it gets a number. */
export function storedOf(
  rows: Item<{ id: number; sent_at: string; class: string }>[],
  sent: Item<Sent>[],
): Said[] {
  return saidOf(rows, sent, (words, row, outcome) =>
    row.class === CODE ? numberIn(outcome) : words,
  );
}

/** A text in place of a number may quote it, too. */
function numberIn({ code, http_status }: Sent): string {
  if (typeof code === 'number') return `code ${code}`;
  return http_status ? `HTTP ${http_status}` : '';
}
