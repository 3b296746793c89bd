/** Conversations: what was sent to a phone number and what came from it. */
import { rowsOf } from '../common/records/days';
import type { State } from '../common/messages/states';
import { received } from '../common/messages/received';
import type { Fields, Item } from '../../../builder/code/n8n';
import type { Row } from '../tables';
import { CODE } from '../common/messages/rules';

/** How many rows of each table are shown at once: in the list, and in one conversation. */
export const LIST = { sends: 50, records: 50 };
export const THREAD = { sends: 100, records: 200 };

/** No ID is higher than PostgreSQL's integers. */
export const ANY_ID = 2_147_483_647;

export type Send = Row<'sms.messages', 'sent_at' | 'report' | 'report_text' | 'reported_at'> & {
  state: State;
};

/** A report or a reply. */
export type Received = Row<'sms.inbox', 'time'>;

/** A row as addresses name it: o12 is row 12 of sms.outbox, i34 row 34 of sms.inbox. ID 0: it names none. */
export function rowIn(text: string) {
  const [name = '', letter, id = 0] = /^([oi])([1-9]\d{0,8})$/.exec(text) ?? [];
  return { name, table: letter === 'i' ? 'sms.inbox' : 'sms.outbox', id: Number(id) };
}

/** Whether a row is a report or a reply. */
export function isReceived(row: Send | Received): row is Received {
  return 'event' in row;
}

export function rowName(row: Send | Received): string {
  return `${isReceived(row) ? 'i' : 'o'}${row.id}`;
}

/** The rows that a table gave, newest first. A node that found none, or failed, gives none. */
export function read<Row extends { id: number }>(items: Item[]): Row[] {
  return rowsOf<Row>(items).sort((a, b) => b.id - a.id);
}

/** When a message was sent, or when it was given to the outbox if it has not gone. */
export function sentAt({ status, sent_at, createdAt }: Send): number {
  const at = status === 'waiting' ? createdAt : (sent_at ?? createdAt);
  return Date.parse(at) || Date.parse(createdAt);
}

/** When a record was made, by the service's clock. */
export function receivedAt({ time, createdAt }: Received): number {
  return Date.parse(time ?? '') || Date.parse(createdAt);
}

/** Whether a customer gets a message, or may get it. */
export function goes({ status }: Send): boolean {
  return status !== 'refused' && status !== 'rejected';
}

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
  text(send: Send): string | undefined {
    if (send.class === CODE) return undefined;
    if (send.text) return send.text;
    const content = this.rows.get(`template ${send.template}`)?.content;
    if (!content) return undefined;
    return received(String(content), send.parameters, this.of('signature', send.signature));
  }
}

export interface Thread {
  phone: string;
  last: Send | Received;
  /** When the last row was sent or received, or since when the customer waits. */
  at: number;
  /** Whether the customer needs a reply. */
  waits: boolean;
}

/**
 * The conversations that these rows belong to: those first who have waited longest, and then the newest.
 *
 * @param since when each number that waits began to
 */
export function threadsOf(
  sends: Send[],
  replies: Received[],
  since: Map<string, number>,
): Thread[] {
  const phones = new Set([...sends, ...replies].map(({ phone_number }) => phone_number));
  phones.delete('');
  const sent = newest(sends, sentAt);
  const replied = newest(replies, receivedAt);
  const threads = [...phones].map((phone): Thread => {
    const send = sent.get(phone);
    const reply = replied.get(phone);
    const last = reply && (!send || receivedAt(reply) > sentAt(send)) ? reply : (send as Send);
    const at = since.get(phone) ?? (isReceived(last) ? receivedAt(last) : sentAt(last));
    return { ...{ phone, last, at }, waits: since.has(phone) };
  });
  return threads.sort(
    (a, b) => Number(b.waits) - Number(a.waits) || (a.waits ? a.at - b.at : b.at - a.at),
  );
}

/** The newest row of each number. */
const newest = <Row extends { phone_number: string }>(rows: Row[], at: (row: Row) => number) =>
  new Map(
    rows
      .toReversed()
      .sort((a, b) => at(a) - at(b))
      .map((row) => [row.phone_number, row]),
  );

/** A message with its report, a reply, a report whose message is not shown, or an opt-out. */
export type Entry =
  | { kind: 'send'; at: number; row: Send }
  | { kind: 'reply'; at: number; row: Received }
  | { kind: 'report'; at: number; row: Received }
  | { kind: 'optOut'; at: number; word: string };

/** A part of a conversation, oldest first. */
export interface Conversation {
  entries: Entry[];
  /** Older rows are below these IDs. Undefined if there are none. */
  older?: { sends: number; records: number };
}

/**
 * What is shown of a conversation. Where one table was not read as far back as the other, both end at the
 * same time.
 *
 * @param sends one more than is shown, if there are more
 * @param records likewise
 */
export function conversationOf(
  sends: Send[],
  records: Received[],
  optOut: Fields | undefined,
): Conversation {
  const readSends = sends.slice(0, THREAD.sends);
  const readRecords = records.slice(0, THREAD.records);
  const start = Math.max(
    sends.length > THREAD.sends ? Math.min(...readSends.map(sentAt)) : 0,
    records.length > THREAD.records ? Math.min(...readRecords.map(receivedAt)) : 0,
  );
  const shownSends = readSends.filter((row) => sentAt(row) >= start);
  const shown = readRecords.filter((row) => receivedAt(row) >= start);
  const isReport = ({ event }: Received) => event === 'deliveryReport';
  const entries: Entry[] = [
    ...shownSends.map((row): Entry => ({ kind: 'send', at: sentAt(row), row })),
    ...shown
      .filter((row) => !isReport(row) || !row.message)
      .map((row): Entry => {
        return { kind: isReport(row) ? 'report' : 'reply', at: receivedAt(row), row };
      }),
  ];
  const since = Date.parse(String(optOut?.since ?? ''));
  if (since >= start) entries.push({ kind: 'optOut', at: since, word: String(optOut?.word ?? '') });
  return {
    entries: entries.sort((a, b) => a.at - b.at),
    older:
      start > 0 ? { sends: below(sends, shownSends), records: below(records, shown) } : undefined,
  };
}

/** The ID below which the next part begins. */
function below(rows: { id: number }[], shown: { id: number }[]): number {
  const ids = new Set(shown.map(({ id }) => id));
  const left = rows.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
  const last = Math.min(...rows.map(({ id }) => id));
  return left.length > 0 ? Math.max(...left) + 1 : Math.max(1, last);
}
