import type { N8n } from '../../../builder/code/n8n';
import { figuresOf, type Figures, type Span } from './figures';
import type { Message } from './rows';

/** A bar of the charts: what happened in a stretch of time. */
export type Bar = Span & Figures;

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

/** What happened in each part of a stretch of time. */
export function barsOf(
  messages: Message[],
  span: Span,
  { zone, DateTime }: { zone: string; DateTime: N8n['DateTime'] },
): { unit: Unit; bars: Bar[] } {
  const isIn = (at: number | undefined) => at !== undefined && at >= span.from && at <= span.to;
  const shown = messages.filter(({ send, report }) => isIn(send?.at) || isIn(report?.at));
  if (shown.length === 0) return { unit: 'hour', bars: [] };
  const { unit, starts } = startsOf(span, zone, DateTime);
  const indexOf = (at: number) =>
    Math.max(
      0,
      starts.findLastIndex((start) => start <= at),
    );
  // Each message is looked at in the bar of its send and in that of its report only.
  const parts = starts.map((): Message[] => []);
  for (const message of shown) {
    const { send, report } = message;
    const indexes = [send, report].flatMap((row) => (row && isIn(row.at) ? [indexOf(row.at)] : []));
    for (const index of new Set(indexes)) parts[index]?.push(message);
  }
  const bars = starts.map((start, index) => {
    const isLast = index === starts.length - 1;
    const from = Math.max(start, span.from);
    const to = isLast ? span.to : (starts[index + 1] ?? span.to) - 1;
    return { ...figuresOf(parts[index] ?? [], [], { from, to }), from: start, to };
  });
  return { unit, bars };
}
