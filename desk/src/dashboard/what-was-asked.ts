import { phoneIn } from '../common/messages/phone';
import { given, languageOf, type Request } from '../../../builder/code/lang';
import type { N8n } from '../../../builder/code/n8n';

const HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24, all: undefined };

/** What the address asks for. Times are in ISO 8601. */
export type Asked = ReturnType<typeof whatWasAsked>;

/** The pattern of four digits or a whole number. Empty if the text is neither. */
function patternOf(typed: string): string {
  const text = typed.normalize('NFKC').replace(/\s/g, '');
  return /^\d{4}$/.test(text) ? `%${text}` : phoneIn(typed);
}

/** The stretch of time that the address names, or else a window until now, and what is read for it. */
function timeOf(ask: (name: string) => string, { $now, DateTime }: Pick<N8n, '$now' | 'DateTime'>) {
  const zone = String($now.zoneName);
  const named = (name: string) => DateTime.fromISO(ask(name), { zone });
  const to = named('to').isValid ? named('to') : $now;
  const from = named('from');
  const isStretch = from.isValid && from < to;
  const wanted = ask('window');
  const window = Object.hasOwn(HOURS, wanted) ? (wanted as keyof typeof HOURS) : '24h';
  const hours = HOURS[window];
  if (isStretch) {
    const texts = { window: '' as const, from: ask('from'), to: ask('to') };
    return { texts, start: from, end: to, before: from.minus(to.diff(from)) };
  }
  const texts = { window, from: '', to: '' };
  if (hours === undefined)
    return { texts, start: DateTime.fromMillis(0, { zone }), end: $now, before: null };
  const start = $now.minus({ hours });
  return { texts, start, end: $now, before: start.minus({ hours }) };
}

/** Reads the address. What it does not know counts as not given. */
export default function whatWasAsked({ $input, $now, DateTime }: N8n) {
  const request = $input.first<Request>().json;
  const ask = (name: string) => given(request.query, name);
  const { texts, start, end, before } = timeOf(ask, { $now, DateTime });
  const isStretch = texts.window === '';
  const lookBack = $now.minus({ days: 2 });
  const earliest = before ?? start;
  const readFrom = isStretch || lookBack > earliest ? earliest : lookBack;
  const far = $now.plus({ years: 1 });
  const typed = ask('digits');
  const pattern = patternOf(typed);
  const row = /^[oi][1-9]\d{0,14}$/.test(ask('row')) ? ask('row') : '';
  const page = row ? 'message' : pattern ? 'number' : 'overview';
  const view: 'csv' | typeof page = ask('format') === 'csv' ? 'csv' : page;
  const iso = (time: typeof $now) => String(time.toUTC().toISO());
  return {
    ...languageOf(request),
    // The window or the stretch is empty, as the address has it.
    ...texts,
    ...{ template: ask('template'), batch: ask('batch'), status: ask('status') },
    // A row of sms.outbox (o12) or sms.inbox (i34).
    row,
    // What was typed into the search, and the number to look for in a table: `%2001`, or a whole one.
    ...{ typed, pattern, view, refresh: ask('refresh') !== 'off' },
    // Whether the table with the numbers of the charts is open.
    numbers: ask('numbers') === '1',
    // The period before has the same length. Nothing in all time.
    ...{ start: iso(start), end: iso(end), before: before && iso(before) },
    // Rows are read from here on. A page about now looks at least two days back, for its warnings.
    readFrom: iso(readFrom),
    // The rows of the day before it, and of all earlier ones, are not needed.
    oldDay: readFrom.minus({ days: 1 }).toFormat('yyyy-MM-dd'),
    // Reports of what was sent in a stretch of time come later.
    sendsTo: iso(isStretch ? end : far),
    recordsTo: iso(isStretch ? end.plus({ days: 1 }) : far),
    now: iso($now),
    zone: String($now.zoneName),
  };
}
