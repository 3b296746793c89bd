import type { N8n } from '../../../builder/code/n8n';
import type { Span } from './figures';
import type { Message } from './rows';

/** What became of the messages that were sent, or should have gone, in a stretch of time. */
export interface Bar extends Span {
  delivered: number;
  failed: number;
  /** Sent, and without a report. */
  missing: number;
  unsent: number;
}

export type Part = Exclude<keyof Bar, keyof Span>;

const HOUR = 3_600_000;

const UNITS = [
  ['5 minutes', HOUR / 12, 'hour', { minutes: 5 }],
  ['hour', HOUR, 'hour', { hours: 1 }],
  ['6 hours', 6 * HOUR, 'day', { hours: 6 }],
  ['day', 24 * HOUR, 'day', { days: 1 }],
  ['week', 168 * HOUR, 'week', { weeks: 1 }],
  ['month', 730 * HOUR, 'month', { months: 1 }],
  ['year', 8760 * HOUR, 'year', { years: 1 }],
] as const;

/** How long a bar is. */
export type Unit = (typeof UNITS)[number][0];

const MAX_UNIT = UNITS[6];

/** The starts of the bars: at most 32, at full hours or days of the workflow's time zone. */
function startsOf(
  { from, to }: Span,
  zone: string,
  DateTime: N8n['DateTime'],
): { unit: Unit; starts: number[] } {
  const found = UNITS.find(([, length]) => (to - from) / length <= 30);
  const [unit, , round, step] = found ?? MAX_UNIT;
  const first = DateTime.fromMillis(from, { zone });
  const starts = [];
  for (let start = first.startOf(round); start.toMillis() <= to;) {
    const next = start.plus(step);
    // A day with a change of the clock has 23 or 25 hours. Its quarters still start at 6, 12 and 18.
    const end = unit === '6 hours' ? start.set({ hour: start.hour - (start.hour % 6) + 6 }) : next;
    if (end > first) starts.push(start.toMillis());
    start = end;
  }
  return { unit, starts };
}

/** What a message is counted as. Undefined: it is left out, or under way. */
function partOf({ state, kind }: Message): Part | undefined {
  if (state === 'delivered' || state === 'failed') return state;
  if (state === 'accepted') return 'missing';
  return kind && 'unsent';
}

/** What became of the messages in each part of a stretch of time, by when they were sent. */
export function barsOf(
  messages: Message[],
  span: Span,
  { zone, DateTime }: { zone: string; DateTime: N8n['DateTime'] },
): { unit: Unit; bars: Bar[] } {
  const shown = messages.flatMap((message) => {
    const at = message.send?.at ?? message.report?.at ?? 0;
    const part = partOf(message);
    return part && at >= span.from && at <= span.to ? [{ at, part, rows: message.rows ?? 1 }] : [];
  });
  if (shown.length === 0) return { unit: 'hour', bars: [] };
  const { unit, starts } = startsOf(span, zone, DateTime);
  const bars = starts.map((start, index): Bar => {
    const isLast = index === starts.length - 1;
    const to = isLast ? span.to : (starts[index + 1] ?? span.to) - 1;
    return { from: start, to, ...{ delivered: 0, failed: 0, missing: 0, unsent: 0 } };
  });
  for (const { at, part, rows } of shown) {
    const bar = bars.findLast(({ from }) => from <= at) ?? bars[0];
    if (bar) bar[part] += rows;
  }
  return { unit, bars };
}
