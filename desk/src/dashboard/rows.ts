import type { Fields } from '../../../builder/code/n8n';
import { errorOf } from '../common/records/days';
import { stateOf, type State } from '../common/messages/states';
import type { Thresholds } from '../common/messages/thresholds';
import { kindOf, type Kind } from '../common/messages/unsent';

/** A row of sms_outbox, as the workflow hands it over. `length` is that of its text. */
export interface Send {
  id: number;
  phone: string;
  status: string;
  reason: string;
  batch: string;
  template: string;
  at: number;
  length: number;
}

/** A row of sms_inbox, as the workflow hands it over. */
export interface Event {
  id: number;
  event: string;
  phone: string;
  status: string;
  text: string;
  content: string;
  batch: string;
  segments: number;
  at: number;
}

/** A message: what the outbox has of it, what was reported, or both. On PostgreSQL, messages that are alike. */
export interface Message {
  /** How many it stands for, if not one. */
  rows?: number;
  /** Between send and report of each, in milliseconds. */
  times?: number[] | null;
  /** The newest of them: the IDs of the send and the report, when, to whom, and in which batch. */
  newest?:
    [send: number | null, report: number | null, at: string, phone: string, batch: string][] | null;
  send?: Send;
  report?: Event;
  state: State;
  /** How it was not sent. */
  kind?: Kind;
  phone: string;
  batch: string;
  template: string;
}

/** What was read, joined. Times are in milliseconds. */
export interface Rows {
  messages: Message[];
  replies: (Event & { template: string })[];
  /** Nothing before this time was read. */
  cutAt?: number;
  problems: string[];
}

type Packed = unknown[];

/** What was read: the rows of data tables, as JSON; or what PostgreSQL has counted, or why it could not. */
export type Read = Fields & {
  inbox?: string | null;
  outbox?: string | null;
  counted?: string;
};

type Counted = Pick<Message, 'rows' | 'times' | 'newest'> &
  Record<'send' | 'report', Packed | null> &
  Record<'template' | 'batch', string | null>;

const text = (value: unknown) => String(value ?? '');

/** The times of rows. A row without a time counts when it was stored. */
function timeOf(value: unknown, stored: unknown, now: number): number {
  const at = Date.parse(text(value));
  return Number.isNaN(at) ? Date.parse(text(stored)) || now : at;
}

function sendOf(row: Packed, now: number, idOf: (template: string) => string): Send {
  const [id, phone, status, reason, batch, template, sentAt, stored, length] = row;
  return {
    id: Number(id),
    phone: text(phone),
    status: text(status),
    reason: text(reason),
    batch: text(batch),
    template: idOf(text(template)),
    at: timeOf(sentAt, stored, now),
    length: Number(length),
  };
}

function eventOf(row: Packed, now: number): Event {
  const [id, event, phone, status, statusText, content, batch, segments, time, stored] = row;
  return {
    id: Number(id),
    event: text(event),
    phone: text(phone),
    status: text(status),
    text: text(statusText),
    content: text(content),
    batch: text(batch),
    segments: Number(segments ?? 0),
    at: timeOf(time, stored, now),
  };
}

/** An empty batch joins nothing: the IDs of two tables are no names of the same message. */
function keyOf(kind: string, { batch, phone, id }: Send | Event): string {
  return batch ? `${batch}\n${phone}` : `${kind}${id}`;
}

/** After a crash a row may be there twice, and a message may have several reports: the last one counts. */
function joined(
  sends: Send[],
  events: Event[],
  reading: Reading,
): Pick<Rows, 'messages' | 'replies'> {
  const { now } = reading;
  const messages = new Map<string, Omit<Message, 'state'>>();
  const templates = new Map<string, string>();
  for (const send of sends) {
    // Under its key, another row has what was sent before.
    const isOwn = stateOf(send, now) !== 'duplicate';
    if (!send.phone || !isOwn) continue;
    const { phone, batch, template } = send;
    messages.set(keyOf('o', send), { send, phone, batch, template });
    if (batch) templates.set(batch, template);
  }
  const replies = new Map<string, Event & { template: string }>();
  for (const event of events) {
    const { phone, batch, at, content } = event;
    const template = templates.get(batch) ?? '';
    if (event.event === 'reply') {
      replies.set([phone, at, content, batch].join('\n'), { ...event, template });
    } else if (event.event === 'deliveryReport') {
      const key = keyOf('i', event);
      const known = messages.get(key);
      if (!known) messages.set(key, { report: event, phone, batch, template });
      else if (!known.report || known.report.at <= at) known.report = event;
    }
  }
  const judge = judgeIn(reading);
  return { messages: [...messages.values()].map(judge), replies: [...replies.values()] };
}

/** Says what became of a message. */
const judgeIn =
  ({ now, thresholds }: Reading) =>
  (message: Omit<Message, 'state'>): Message => {
    const { at = 0, ...row } = message.send ?? { status: '' };
    const state = stateOf({ at, ...row }, now, message.report);
    return { ...message, state, kind: kindOf({ state, at }, now, thresholds) };
  };

/** What PostgreSQL has counted. Under its key, another row has what was sent before. */
function countedIn({ counted: made = '{}', ...others }: Read, reading: Reading): Rows {
  const { messages, replies, cut } = JSON.parse(made) as Partial<{
    messages: Counted[] | null;
    replies: Packed[] | null;
    cut: string | null;
  }>;
  const { now, idOf } = reading;
  const counted = (messages ?? []).map(({ send, report, template, batch, ...all }) => ({
    ...{ ...all, phone: '', batch: text(batch), template: idOf(text(template)) },
    ...(send && { send: sendOf(send, now, idOf) }),
    ...(report && { report: eventOf(report, now) }),
  }));
  return {
    messages: counted.map(judgeIn(reading)).filter(({ state }) => state !== 'duplicate'),
    replies: (replies ?? []).map((row) => ({
      ...eventOf(row, now),
      template: idOf(text(row.at(-1))),
    })),
    cutAt: cut ? Date.parse(cut) : undefined,
    problems: [errorOf(others)].filter(Boolean),
  };
}

/** n8n makes nothing of a table that is not there. */
function unpacked(rows: string | null, table: string): unknown {
  return rows === null ? [[undefined, `${table} not found`]] : JSON.parse(rows);
}

/** How rows are read: at most `most` of each table count. */
interface Reading {
  most: number;
  now: number;
  thresholds: Thresholds;
  idOf: (template: string) => string;
}

/** Reads what "Only what is counted" has packed, the newest rows first. */
export function readRows(packed: Read, reading: Reading): Rows {
  const { most, now, idOf } = reading;
  if (packed.inbox === undefined || packed.outbox === undefined) return countedIn(packed, reading);
  const inbox = unpacked(packed.inbox, 'sms_inbox') as Packed[];
  const outbox = unpacked(packed.outbox, 'sms_outbox') as Packed[];
  const found = (rows: Packed[]) => rows.filter(([id]) => typeof id === 'number');
  const events = found(inbox).map((row) => eventOf(row, now));
  const sends = found(outbox).map((row) => sendOf(row, now, idOf));
  // Both tables are looked at from the same time on. Otherwise sends would seem to have no reports.
  const cuts = [
    inbox.length >= most && events.at(-1)?.at,
    outbox.length >= most && sends.at(-1)?.at,
  ];
  const cutAt = cuts.some(Boolean) ? Math.max(...cuts.map(Number)) : undefined;
  const isKept = ({ at }: Send | Event) => at >= (cutAt ?? -Infinity);
  const problems = [...inbox, ...outbox].map((row) => text(row.at(-1))).filter(Boolean);
  return {
    ...joined(sends.filter(isKept), events.filter(isKept), reading),
    cutAt,
    problems,
  };
}

/** The names of templates and the ID of whatever a row calls its template: an ID, a name, or the label of a list. */
export function templateNames(rows: Fields[]) {
  const known = rows.filter(({ kind }) => kind === 'template');
  const names = new Map(known.map((row) => [text(row.record_id), text(row.name)]));
  const ids = new Map([...names].map(([id, name]) => [name, id]));
  return {
    nameOf: (id: string) => names.get(id) ?? '',
    idOf: (template: string) =>
      ids.get(template) ??
      /^(\d+)$|(?:^| · )ID (\d+)(?: ·|…|$)/.exec(template)?.slice(1).find(Boolean) ??
      template,
  };
}
