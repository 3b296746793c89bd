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

function isUnsent({ kind }: Message): boolean {
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

function segmentsIn({ send, report }: Message): { segments: number; estimated: number } {
  if (report && report.segments > 0) return { segments: report.segments, estimated: 0 };
  const segments = send && send.length > 0 ? segmentsOf('x'.repeat(send.length)) : 1;
  return { segments, estimated: segments };
}

/** How many messages these stand for. */
export function countOf(messages: Message[]): number {
  return messages.reduce((sum, { rows = 1 }) => sum + rows, 0);
}

/** Counts what was sent and what was reported in a stretch of time. */
export function figuresOf(messages: Iterable<Message>, replies: Event[], span: Span): Figures {
  const figures: Figures = {
    ...{ unsent: 0, sent: 0, reported: 0, delivered: 0, failed: 0, missing: 0, late: 0 },
    ...{ unknown: 0, segments: 0, estimated: 0, at: 0 },
    replies: replies.filter((reply) => isIn(reply, span)).length,
  };
  const times: number[] = [];
  for (const message of messages) {
    const { send, report, state, kind, rows = 1 } = message;
    const isHere = isSentIn(message, span);
    const isSent = isHere && STATES[state].isSent;
    if (isHere) figures.at = Math.max(figures.at, send?.at ?? 0);
    if (isHere && isUnsent(message)) figures.unsent += rows;
    if (isSent) figures.sent += rows;
    if (isSent && state === 'accepted') figures.missing += rows;
    if (isSent && kind === 'late') figures.late += rows;
    if (report && isIn(report, span)) {
      figures.reported += rows;
      figures.at = Math.max(figures.at, report.at);
      if (state === 'delivered') figures.delivered += rows;
      else figures.failed += rows;
      if (!isSent) figures.unknown += rows;
      if (send && state === 'delivered') {
        for (const time of message.times ?? [report.at - send.at]) times.push(Math.max(0, time));
      }
    }
    if (isSent || (!send && report && isIn(report, span))) {
      const { segments, estimated } = segmentsIn(message);
      figures.segments += segments * rows;
      figures.estimated += estimated * rows;
    }
  }
  const sorted = Float64Array.from(times).sort();
  return { ...figures, p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}
