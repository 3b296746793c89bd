import { segmentsOf } from '../common/messages/received';
import { STATES } from '../common/messages/states';
import type { Event, Message, Rows, Send } from './rows';

/** A stretch of time: from the first moment to the last. */
export interface Span {
  from: number;
  to: number;
}

/** What a page is narrowed to. Empty where it is not. */
export interface Filter {
  template: string;
  batch: string;
  /**
   * A status of a report, `failed`, `none` for messages without a report, `unsent`, or one of the kinds of these.
   */
  status: string;
}

/** The figures of a stretch of time, or of the messages with something in common. */
export interface Figures {
  /** Neither sent nor left out: refused, rejected, waiting, or nobody knows. */
  unsent: number;
  sent: number;
  reported: number;
  delivered: number;
  failed: number;
  /** Sent, and without a report. */
  missing: number;
  /** Of those, the late ones. */
  late: number;
  /** Reports of messages that were sent earlier, or by a sender that keeps no rows. */
  unknown: number;
  segments: number;
  /** The segments among them that no report has said. */
  estimated: number;
  replies: number;
  /** Between send and report, in milliseconds, of half and of 95 % of the delivered. */
  p50?: number;
  p95?: number;
  /** When the last of them was sent or reported. */
  at: number;
}

/** Whether a page that is narrowed shows the message. */
export function matches({ template, batch, status }: Filter, message: Message): boolean {
  if (template && message.template !== template) return false;
  if (batch && message.batch !== batch) return false;
  const { report, state, kind } = message;
  if (status === 'none') return state === 'accepted';
  if (status === 'failed') return state === 'failed';
  if (status === 'unsent') return isUnsent(message);
  return !status || report?.status === status || kind === status;
}

function isUnsent({ kind }: Pick<Message, 'kind'>): boolean {
  return kind !== undefined && kind !== 'late';
}

/** The messages and replies that a page shows which is narrowed. */
export function narrowed(rows: Rows, filter: Filter): Pick<Rows, 'messages' | 'replies'> {
  const { template, batch, status } = filter;
  return {
    messages: rows.messages.filter((message) => matches(filter, message)),
    replies: rows.replies.filter(
      (reply) =>
        !status && (!template || reply.template === template) && (!batch || reply.batch === batch),
    ),
  };
}

const isIn = ({ at }: Send | Event, { from, to }: Span) => at >= from && at <= to;

/** Whether a message was or will be sent in a stretch of time. What is overdue is so as long as it has not gone. */
export function isSentIn({ send, kind }: Message, span: Span): boolean {
  return send !== undefined && (isIn(send, span) || (kind === 'overdue' && span.to === Infinity));
}

/** The value below which this share of the sorted values is. */
function quantile(sorted: Float64Array, share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** How many messages these stand for. */
export function countOf(messages: Message[]): number {
  return messages.reduce((sum, { rows = 1 }) => sum + rows, 0);
}

/** Where a message is in a stretch of time. `isHere`: its turn was, whatever became of it. */
type Place = Record<'isHere' | 'isSent' | 'isReported', boolean>;

/** What the message costs. One that the outbox does not know is counted where its report is. */
const isPaid = ({ send }: Message, { isSent, isReported }: Place) =>
  isSent || (isReported && !send);

const segmentsTold = ({ report }: Message) => Math.max(0, report?.segments ?? 0);

const segmentsGuessed = ({ send }: Message) =>
  send && send.length > 0 ? segmentsOf('x'.repeat(send.length)) : 1;

/** What a message counts for. */
const COUNTS = {
  unsent: (message, { isHere }) => isHere && isUnsent(message),
  sent: (_, { isSent }) => isSent,
  missing: ({ state }, { isSent }) => isSent && state === 'accepted',
  late: ({ kind }, { isSent }) => isSent && kind === 'late',
  reported: (_, { isReported }) => isReported,
  delivered: ({ state }, { isReported }) => isReported && state === 'delivered',
  failed: ({ state }, { isReported }) => isReported && state !== 'delivered',
  unknown: (_, { isSent, isReported }) => isReported && !isSent,
  segments: (message, place) =>
    isPaid(message, place) && (segmentsTold(message) || segmentsGuessed(message)),
  estimated: (message, place) =>
    isPaid(message, place) && !segmentsTold(message) && segmentsGuessed(message),
} satisfies Partial<Record<keyof Figures, (message: Message, place: Place) => number | boolean>>;

/** Between send and report of what was delivered, in milliseconds. */
const timesOf = ({ send, report, state, times }: Message) =>
  send && report && state === 'delivered' ? (times ?? [report.at - send.at]) : [];

/** Counts what was sent and what was reported in a stretch of time. */
export function figuresOf(messages: Iterable<Message>, replies: Event[], span: Span): Figures {
  const figures = {
    ...{ unsent: 0, sent: 0, reported: 0, delivered: 0, failed: 0, missing: 0, late: 0 },
    ...{ unknown: 0, segments: 0, estimated: 0, at: 0 },
    replies: replies.filter((reply) => isIn(reply, span)).length,
  };
  const names = Object.keys(COUNTS) as (keyof typeof COUNTS)[];
  const times: number[] = [];
  for (const message of messages) {
    const { send, report, state, rows = 1 } = message;
    const isHere = isSentIn(message, span);
    const isReported = report !== undefined && isIn(report, span);
    const place = { isHere, isReported, isSent: isHere && STATES[state].isSent };
    for (const name of names) figures[name] += Number(COUNTS[name](message, place)) * rows;
    if (isHere && send) figures.at = Math.max(figures.at, send.at);
    if (!isReported) continue;
    figures.at = Math.max(figures.at, report.at);
    for (const time of timesOf(message)) times.push(Math.max(0, time));
  }
  const sorted = Float64Array.from(times).sort();
  return { ...figures, p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}
