import { phoneIn } from '../common/messages/outbox';
import { given, languageOf, type Request } from '../../../builder/code/lang';
import type { N8n } from '../../../builder/code/n8n';

const HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24, all: undefined };

/** What the address asks for. Times are in ISO 8601. */
export type Asked = ReturnType<typeof whatWasAsked>;

/**
 * The stretch of time that the address names, or else a window until now. Without a start, it begins with the first
 * message; without an end, it is about now. The period before has the same length.
 */
function timeOf(ask: (name: string) => string, { $now, DateTime }: Pick<N8n, '$now' | 'DateTime'>) {
  const zone = String($now.zoneName);
  const named = (name: string) => DateTime.fromISO(ask(name), { zone });
  const end = named('to').isValid ? named('to') : null;
  const to = end ?? $now;
  const from = named('from');
  const isStretch = from.isValid && from < to;
  const wanted = ask('window');
  const window = Object.hasOwn(HOURS, wanted) ? (wanted as keyof typeof HOURS) : '24h';
  const hours = HOURS[window];
  if (isStretch) {
    const texts = { window: '' as const, from: ask('from'), to: ask('to') };
    return { texts, start: from, end, before: from.minus(to.diff(from)) };
  }
  const texts = { window, from: '', to: '' };
  if (hours === undefined) return { texts, start: null, end: null, before: null };
  const start = $now.minus({ hours });
  return { texts, start, end: null, before: start.minus({ hours }) };
}

/** Reads the address. What it does not know counts as not given. */
export default function whatWasAsked({ $input, $now, DateTime }: N8n) {
  const request = $input.first<Request>().json;
  const ask = (name: string) => given(request.query, name);
  const { texts, start, end, before } = timeOf(ask, { $now, DateTime });
  const typed = ask('digits');
  const digits = typed.normalize('NFKC').replace(/\s/g, '');
  const pattern = /^\d{4}$/.test(digits) ? `%${digits}` : phoneIn(typed);
  const row = /^[oi][1-9]\d{0,14}$/.test(ask('row')) ? ask('row') : '';
  const page = row ? 'message' : pattern ? 'number' : 'overview';
  const view: 'csv' | typeof page = ask('format') === 'csv' ? 'csv' : page;
  const iso = (time: typeof $now | null) => time && String(time.toUTC().toISO());
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
    ...{ start: iso(start), end: iso(end), before: iso(before) },
    now: String($now.toUTC().toISO()),
    zone: String($now.zoneName),
  };
}
