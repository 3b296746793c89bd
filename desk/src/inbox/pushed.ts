/** What the expression of a push does. */
import type { DateTime as Time } from 'luxon';

import type { Fields, N8n } from '../../../builder/code/n8n';

/** The records of what a provider has pushed: in `data`, in a list, by numbers, as JSON text, or one alone. */
export function recordsIn(
  body: unknown,
  page_id: string,
  DateTime: N8n['DateTime'],
  now: Time,
): Fields[] {
  const latest = now.plus({ years: 1 }).toMillis();
  const timeOf = (time: unknown) => {
    const value = typeof time === 'object' ? NaN : time;
    const zoned = /[zZ]$|[+-]\d\d:?\d\d$/.exec(String(value)) ? String(value) : '';
    const at = [Number(value) * 1000, Number(value), Date.parse(zoned)];
    const found = at.find((ms) => ms > 946_684_800_000 && ms < latest);
    return found === undefined ? undefined : DateTime.fromMillis(found).toUTC().toISO();
  };
  return listIn(body)
    .filter((each) => JSON.stringify(each) !== '{}')
    .map((each) => {
      const record = (Object(each) === each ? each : { value: each }) as Fields;
      const time_iso = record.time_iso ?? timeOf(record.time);
      return { ...record, page_id, event: eventOf(record), time_iso };
    });
}

/** @throws SyntaxError for half a JSON: who has pushed it is not told that it is stored */
function listIn(given: unknown): unknown[] {
  if (typeof given === 'string' && /^\s*[[{]/.test(given)) return listIn(JSON.parse(given));
  if (Array.isArray(given)) return given;
  if (typeof given !== 'object' || given === null) return [given];
  const { data, list, ...others } = given as Fields;
  if (data !== undefined || list !== undefined) return data === null ? [] : listIn(data ?? list);
  return '0' in others ? Object.values(others) : [given];
}

/** Some give a reply a status, too, and some a report the text of its message. */
function eventOf(record: Fields): string {
  const named = ['deliveryReport', 'reply'].find((event) => event === record.event);
  if (named) return named;
  if ('status' in record && ('status_desc' in record || !('content' in record))) {
    return 'deliveryReport';
  }
  return 'content' in record || 'mobile' in record ? 'reply' : 'unreadable';
}
