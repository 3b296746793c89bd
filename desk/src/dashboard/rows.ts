import type { Fields } from '../../../builder/code/n8n';
import { errorOf } from '../common/records/days';
import { stateOf, type State } from '../common/messages/states';
import type { Thresholds } from '../common/messages/thresholds';
import { kindOf, type Kind } from '../common/messages/unsent';

/** Rows of sms.outbox that are alike. `length` is that of its text. */
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

/** Rows of sms.inbox that are alike, or a reply. */
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

/** Messages that are alike: what the outbox has of them, what was reported, or both. */
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

/** What was counted, or why it could not be. */
export type Read = Fields & { counted?: string };

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

/** Says what became of a message. */
const judgeIn =
  ({ now, thresholds }: Reading) =>
  (message: Omit<Message, 'state'>): Message => {
    const { at = 0, ...row } = message.send ?? { status: '' };
    const state = stateOf({ at, ...row }, now, message.report);
    return { ...message, state, kind: kindOf({ state, at }, now, thresholds) };
  };

/** Reads what was counted. Under its key, another row has what was sent before. */
export function readRows({ counted: made = '{}', ...others }: Read, reading: Reading): Rows {
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

/** How rows are read. */
interface Reading {
  now: number;
  thresholds: Thresholds;
  idOf: (template: string) => string;
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
