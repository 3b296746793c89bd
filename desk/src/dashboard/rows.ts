import type { Fields } from '../../../builder/code/n8n';
import { errorOf } from '../common/records/days';
import type { Why } from '../common/messages/reasons';
import type { State } from '../common/messages/states';
import type { Thresholds } from '../common/messages/thresholds';
import { kindOf, type Kind } from '../common/messages/unsent';

/** Rows of sms.outbox that are alike. `length` is that of its text. */
export interface Send extends Why {
  id: number;
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

type Counted = Pick<Message, 'rows' | 'times' | 'newest' | 'state'> &
  Record<'send' | 'report', Packed | null> &
  Record<'template' | 'batch', string | null>;

const text = (value: unknown) => String(value ?? '');

function sendOf(row: Packed, idOf: (template: string) => string): Send {
  const [id, reason, code, values, batch, template, at, length] = row;
  return {
    id: Number(id),
    ...{ reason: text(reason), reason_code: text(code), reason_values: text(values) },
    batch: text(batch),
    template: idOf(text(template)),
    at: Date.parse(text(at)),
    length: Number(length),
  };
}

function eventOf(row: Packed): Event {
  const [id, event, phone, status, statusText, content, batch, segments, at] = row;
  return {
    id: Number(id),
    event: text(event),
    phone: text(phone),
    status: text(status),
    text: text(statusText),
    content: text(content),
    batch: text(batch),
    segments: Number(segments ?? 0),
    at: Date.parse(text(at)),
  };
}

/** Reads what was counted. */
export function readRows({ counted: made = '{}', ...others }: Read, reading: Reading): Rows {
  const { messages, replies, cut } = JSON.parse(made) as Partial<{
    messages: Counted[] | null;
    replies: Packed[] | null;
    cut: string | null;
  }>;
  const { now, idOf, thresholds } = reading;
  return {
    messages: (messages ?? []).map(({ send: sent, report, template, batch, ...all }) => {
      const send = sent ? sendOf(sent, idOf) : undefined;
      return {
        ...{ ...all, phone: '', batch: text(batch), template: idOf(text(template)) },
        ...(send && { send }),
        ...(report && { report: eventOf(report) }),
        kind: kindOf({ state: all.state, at: send?.at ?? now }, now, thresholds),
      };
    }),
    replies: (replies ?? []).map((row) => ({
      ...eventOf(row),
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
