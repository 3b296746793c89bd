/** Conversations: what was sent to a phone number and what came from it. */
import { rowsOf } from '../common/records/rows';
import type { State } from '../common/messages/states';
import { received } from '../common/messages/received';
import type { Fields, Item } from '../../../builder/code/n8n';

/** No ID is higher than PostgreSQL's integers. */
export const ANY_ID = 2_147_483_647;

/** A row of `sms.said`: a message that was sent, a reply, a report whose message is not known, or an opt-out. */
export interface Said {
  side: 'o' | 'i' | 'x';
  id: number;
  phone_number: string;
  at: string;
  event: string;
  /** What was sent, came back, or is the word of an opt-out. */
  text: string | null;
  class: string;
  template: string;
  signature: string;
  parameters: string;
  source: string;
  status: string;
  state: State;
  reason: string;
  reason_code: string;
  reason_values: string;
  sent_at: string;
  report: string | null;
  report_text: string | null;
  reported_at: string | null;
}

/** The last row of a number, and since when it waits for a reply, if it does. */
export type Thread = Said & { since: string | null };

/** What `sms.threads` gives. */
export interface List {
  threads: Thread[];
  waiting: number;
  older: { o: number; i: number } | null;
  unsent: number;
}

/** What `sms.thread` gives. */
export interface Conversation {
  rows: Said[];
  isCut: boolean;
}

/** A row as addresses name it: o12 is row 12 of sms.outbox, i34 row 34 of sms.inbox. ID 0: it names none. */
export function rowIn(text: string) {
  const [name = '', side = '', id = 0] = /^([oix])([1-9]\d{0,8})$/.exec(text) ?? [];
  return { name, side, id: Number(id) };
}

export const rowName = ({ side, id }: Said): string => `${side}${id}`;

/** The templates and signatures that the outbox knows. */
export class Names {
  private readonly rows = new Map<string, Fields>();

  constructor(items: Item[]) {
    for (const row of rowsOf(items)) this.rows.set(`${row.kind} ${row.record_id}`, row);
  }

  /** The name of a template or a signature. Empty if it is not known. */
  of(kind: 'template' | 'signature', id: string): string {
    return String(this.rows.get(`${kind} ${id}`)?.name ?? '');
  }

  /** The text as the customer got it. Undefined if it is not stored, and not to be made. */
  text(send: Said): string | undefined {
    if (send.class === 'code') return undefined;
    if (send.text) return send.text;
    const content = this.rows.get(`template ${send.template}`)?.content;
    if (!content) return undefined;
    return received(String(content), send.parameters, this.of('signature', send.signature));
  }
}
