import { MOST } from '../most';
import type { Item, N8n } from '../n8n';
import type { Asked } from './What was asked';

const HOUR = 3600000;

/** A row of one of the two tables, or why they could not be read. */
interface TableRow {
  id: number;
  event?: string;
  batch_id?: string | null;
  phone_number?: string;
  status?: string;
  status_desc?: string;
  template?: string;
  source?: string;
  reference?: string;
  content?: string;
  time?: string | null;
  sent_at?: string | null;
  createdAt?: string | null;
  error?: string;
}

/** A row and its time, as all times here in milliseconds. */
export type Row = TableRow & { at: number };

/** What became of some sends. */
interface Result {
  sent: number;
  reported: number;
  delivered: number;
  failed: number;
  missing: number;
  at: number;
}

type Sender = Pick<TableRow, 'template' | 'source'>;

/** A line of the table of templates. */
export type TemplateLine = Result & Sender;

/** A line of the table of batches. */
export type BatchLine = Result & Sender & { batch?: string | null };

/** A bar of the charts: what happened in a stretch of time. */
export interface Bar {
  from: number;
  to: number;
  sent: number;
  reported: number;
  delivered: number;
  failed: number;
}

/** What the page shows. */
export interface Shown {
  asked: Asked;
  problems: string[];
  /** Nothing before this time was counted. */
  cutAt?: number;
  most: number;
  tiles: Record<
    | 'sent'
    | 'reported'
    | 'delivered'
    | 'failed'
    | 'missing'
    | 'overdue'
    | 'replies'
    | 'unknown'
    | 'ahead',
    number
  >;
  unit: string;
  bars: Bar[];
  templates: TemplateLine[];
  batches: BatchLine[];
  reasons: { status?: string; text?: string; amount: number }[];
  failures: Row[];
  replies: Row[];
  found: Row[];
}

/** The messages, each by what it is known by: its batch and its number. */
interface Messages {
  sends: Map<string | number, Row>;
  reports: Map<string | number, Row>;
  replies: Map<string, Row>;
}

/** The latest rows, with their time. A row without a time counts when it was stored. */
function latest(rows: TableRow[], column: 'time' | 'sent_at', now: number): Row[] {
  return rows.slice(0, MOST).map((row) => {
    const at = Date.parse(row[column] ?? '');
    return { ...row, at: Number.isNaN(at) ? Date.parse(row.createdAt ?? '') || now : at };
  });
}

function keyOf({ batch_id, phone_number, id }: Row): string | number {
  return batch_id ? JSON.stringify([batch_id, phone_number]) : id;
}

/** After a crash a row may be there twice, and a message may have several reports: the last one counts. */
function messagesOf(events: Row[], sent: Row[]): Messages {
  const messages: Messages = { sends: new Map(), reports: new Map(), replies: new Map() };
  const { sends, reports, replies } = messages;
  for (const row of events) {
    if (row.event === 'deliveryReport') {
      const other = reports.get(keyOf(row));
      if (!other || other.at < row.at) reports.set(keyOf(row), row);
    } else if (row.event === 'reply') {
      replies.set(JSON.stringify([row.phone_number, row.time, row.content, row.batch_id]), row);
    }
  }
  for (const row of sent) {
    // The others were not sent: refused, rejected, waiting for the morning, or not sent yet.
    const isSent = row.phone_number && ['accepted', 'unknown'].includes(row.status ?? '');
    // An empty batch joins nothing: the IDs of two tables are no names of the same message.
    if (isSent) sends.set(row.batch_id ? keyOf(row) : `send ${row.id}`, row);
  }
  return messages;
}

function isDelivered({ status }: Row): boolean {
  return status === 'DELIVRD';
}

function newestFirst(rows: Iterable<Row>): Row[] {
  return [...rows].sort((a, b) => b.at - a.at);
}

/** Adds a send, and what became of it, to a line of a table. */
function count(line: Result, send: Row, report: Row | undefined): void {
  line.sent += 1;
  line.at = Math.max(line.at, send.at);
  if (report) line.reported += 1;
  else line.missing += 1;
  if (report && isDelivered(report)) line.delivered += 1;
  else if (report) line.failed += 1;
}

/** A line for all sends with the same name, with fields of the first. */
function grouped<Line extends object>(
  { sends, reports }: Messages,
  nameOf: (send: Row) => unknown,
  fields: (send: Row) => Line,
): (Result & Line)[] {
  const lines = new Map<unknown, Result & Line>();
  for (const [key, send] of sends) {
    const name = nameOf(send);
    const zero = { sent: 0, reported: 0, delivered: 0, failed: 0, missing: 0, at: 0 };
    const line = lines.get(name) ?? { ...fields(send), ...zero };
    lines.set(name, line);
    count(line, send, reports.get(key));
  }
  return [...lines.values()];
}

const UNITS = [
  ['5 minutes', HOUR / 12, 'hour', { minutes: 5 }],
  ['hour', HOUR, 'hour', { hours: 1 }],
  ['6 hours', 6 * HOUR, 'day', { hours: 6 }],
  ['day', 24 * HOUR, 'day', { days: 1 }],
  ['week', 168 * HOUR, 'week', { weeks: 1 }],
  ['month', 730 * HOUR, 'month', { months: 1 }],
  ['year', 8760 * HOUR, 'year', { years: 1 }],
] as const;

const LONGEST = UNITS[6];

/** The bars' unit and starts: at most 32 of them, at full hours or days of the workflow's time zone. */
function starts(
  { sends, reports }: Messages,
  { window, zone }: Asked,
  { since, now, DateTime }: { since: number; now: number; DateTime: N8n['DateTime'] },
): { unit: string; edges: number[] } {
  const times = [...sends.values(), ...reports.values()].map(({ at }) => at);
  if (times.length === 0) return { unit: 'hour', edges: [] };
  const earliest = times.reduce((a, b) => Math.min(a, b), now);
  const first = window === 'all' ? earliest : since;
  const found = UNITS.find(([, length]) => (now - first) / length <= 30);
  const [unit, , round, step] = found ?? LONGEST;
  const from = DateTime.fromMillis(first, { zone });
  const edges = [];
  for (let edge = from.startOf(round); edge.toMillis() <= now;) {
    const next = edge.plus(step);
    // A day with a change of the clock has 23 or 25 hours. Its quarters still start at 6, 12 and 18.
    const end = unit === '6 hours' ? edge.set({ hour: edge.hour - (edge.hour % 6) + 6 }) : next;
    if (end > from) edges.push(edge.toMillis());
    edge = end;
  }
  return { unit, edges };
}

/** The bars. What is earlier than the first belongs to it, and what is later to the last. */
function fill({ sends, reports }: Messages, edges: number[], now: number): Bar[] {
  const zero = { sent: 0, reported: 0, delivered: 0, failed: 0 };
  const bars = edges.map((from, index) => ({ from, to: edges[index + 1] ?? now, ...zero }));
  const add = (at: number, ...names: (keyof typeof zero)[]) => {
    const index = edges.findLastIndex((from) => from <= at);
    const bar = bars[Math.max(0, index)];
    for (const name of names) if (bar) bar[name] += 1;
  };
  for (const { at } of sends.values()) add(at, 'sent');
  for (const report of reports.values()) {
    add(report.at, 'reported', isDelivered(report) ? 'delivered' : 'failed');
  }
  return bars;
}

function reasonsOf(failed: Row[]): Shown['reasons'] {
  const reasons = new Map<string | undefined, Shown['reasons'][number]>();
  for (const { status, status_desc } of failed) {
    const reason = reasons.get(status) ?? { status, text: status_desc, amount: 0 };
    reasons.set(status, { ...reason, amount: reason.amount + 1 });
  }
  return [...reasons.values()].sort((a, b) => b.amount - a.amount);
}

/** Counts what the page shows. */
export default function figures({ $, DateTime }: N8n): Item<Shown>[] {
  const asked = $('What was asked').first<Asked>().json;
  const now = Date.parse(asked.now);
  const eventItems = $('Events of the window').all<TableRow>();
  const sendItems = $('Sends of the window').all<TableRow>();
  const eventRows = eventItems.map(({ json }) => json);
  const sendRows = sendItems.map(({ json }) => json);
  const problems = [...eventRows, ...sendRows].map(({ error }) => error ?? '').filter(Boolean);

  const events = latest(eventRows, 'time', now);
  const sent = latest(sendRows, 'sent_at', now);
  // When a table has more rows than are read, both are looked at from the same time on. Otherwise the
  // sends before it would seem to have no reports.
  const oldest = (rows: Row[], isCut: boolean) =>
    isCut ? rows.reduce((a, { at }) => Math.min(a, at), now) : -Infinity;
  const cut = { events: eventRows.length > MOST, sends: sendRows.length > MOST };
  const since = Math.max(
    Date.parse(asked.since ?? ''),
    oldest(events, cut.events),
    oldest(sent, cut.sends),
  );
  const isIn = ({ at }: Row) => at >= since;
  const messages = messagesOf(events.filter(isIn), sent.filter(isIn));
  const { sends, reports, replies } = messages;
  const { unit, edges } = starts(messages, asked, { since, now, DateTime });

  const failed = [...reports.values()].filter((row) => !isDelivered(row));
  const unreported = [...sends].filter(([key]) => !reports.has(key)).map(([, send]) => send);
  const templateOf = new Map([...sends.values()].map((row) => [row.batch_id, row.template]));
  const all = [
    ...[...sends.values()].map((row) => ({ ...row, event: 'send' })),
    ...reports.values(),
    ...replies.values(),
  ];
  return [
    {
      json: {
        asked,
        problems: [...new Set(problems)],
        cutAt: cut.events || cut.sends ? since : undefined,
        most: MOST,
        tiles: {
          sent: sends.size,
          reported: reports.size,
          delivered: reports.size - failed.length,
          failed: failed.length,
          missing: unreported.length,
          overdue: unreported.filter(({ at }) => now - at > HOUR).length,
          replies: replies.size,
          // Their sends are older than the window, or the sender keeps no rows in sms_outbox.
          unknown: [...reports.keys()].filter((key) => !sends.has(key)).length,
          ahead: [...reports.values()].filter(({ at }) => at - now > HOUR / 6).length,
        },
        unit,
        bars: fill(messages, edges, now),
        templates: grouped(
          messages,
          ({ template, source }) => JSON.stringify([template, source]),
          ({ template, source }) => ({ template, source }),
        )
          .sort((a, b) => b.sent - a.sent)
          .slice(0, 12),
        batches: grouped(
          messages,
          ({ batch_id }) => batch_id,
          ({ batch_id, template, source }) => ({ batch: batch_id, template, source }),
        )
          // A workflow that sends to one person at a time makes a batch of each message.
          .filter((line) => line.batch && line.sent > 1)
          .sort((a, b) => b.at - a.at)
          .slice(0, 10),
        reasons: reasonsOf(failed).slice(0, 8),
        failures: newestFirst(failed)
          .slice(0, 12)
          .map((row) => ({ ...row, template: templateOf.get(row.batch_id) ?? '' })),
        replies: newestFirst(replies.values()).slice(0, 8),
        found: asked.phone ? newestFirst(all).slice(0, 200) : [],
      },
    },
  ];
}
