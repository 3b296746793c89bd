/** What the expression of a push does. */
import type { DateTime as Time } from 'luxon';

import type { Fields, N8n } from '../../../builder/code/n8n';

/** The records of what a provider has pushed: in `data`, in a list, or one alone. */
export function recordsIn(
  body: unknown,
  page_id: string,
  DateTime: N8n['DateTime'],
  now: Time,
): Fields[] {
  const given = Object(body) as Fields;
  const latest = now.plus({ years: 1 }).toMillis();
  const timeOf = (time: unknown) => {
    const value = typeof time === 'object' ? NaN : time;
    const zoned = /[zZ]$|[+-]\d\d:?\d\d$/.exec(String(value)) ? String(value) : '';
    const at = [Number(value) * 1000, Number(value), Date.parse(zoned)];
    const found = at.find((ms) => ms > 946_684_800_000 && ms < latest);
    return found === undefined ? undefined : DateTime.fromMillis(found).toUTC().toISO();
  };
  return ['data' in given ? (given.data ?? []) : body]
    .flat()
    .filter((each) => JSON.stringify(each) !== '{}')
    .map((each) => {
      const record = (Object(each) === each ? each : { value: each }) as Fields;
      const time_iso = record.time_iso ?? timeOf(record.time);
      return { ...record, page_id, event: eventOf(record), time_iso };
    });
}

function eventOf(record: Fields): string {
  const named = ['deliveryReport', 'reply'].find((event) => event === record.event);
  if (named) return named;
  if ('status' in record) return 'deliveryReport';
  return 'content' in record || 'mobile' in record ? 'reply' : 'unreadable';
}
