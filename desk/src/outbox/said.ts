/** What the nodes that send say of their items. An expression runs it too: what settles a send is no Code node. */
import type { Item } from '../../../builder/code/n8n';
import { sourceOf } from '../../../builder/code/paired';
import { CODE } from '../common/messages/outbox';

/** An item of a send: an outcome, or that of the error output, which has it in "details". */
export interface Sent {
  status?: string;
  batch_id?: string;
  msg?: string;
  message?: string;
  error?: unknown;
  details?: Pick<Sent, 'status' | 'batch_id' | 'msg'>;
}

/** What became of a row, as *sms.message_settle* takes it. */
export interface Said {
  id: number;
  status: string;
  batch_id: string;
  msg: string;
}

/** What may be a code: letters with a digit, or digits that stand apart. */
const LIKE_A_CODE = /[a-z]*\d[a-z\d]{3,}|[a-z]{3,}\d|\d(?:[- ]?\d){2,}/gi;

/**
 * What the table gets. Words of the service may quote a code, which stands in no table.
 *
 * @param rows the items that a node was to send, and what it has put out
 */
export function saidOf(rows: Item<{ id: number; class: string }>[], sent: Item<Sent>[]): Said[] {
  return sent.map((item) => {
    const row = sourceOf(item, rows);
    if (!row) throw new Error('n8n does not say which row an outcome belongs to.');
    const { status = '', batch_id = '', msg } = item.json.details ?? item.json;
    const words = String(msg ?? item.json.message ?? item.json.error ?? '');
    return {
      ...{ id: row.id, status, batch_id },
      msg: row.class === CODE ? words.normalize('NFKC').replace(LIKE_A_CODE, '…') : words,
    };
  });
}
