/** What the expression of a push does. */
import type { DateTime as Time } from 'luxon';

import type { Fields, N8n } from '../../../builder/code/n8n';

/** The records of what a provider has pushed: in `data`, in a list, by numbers, or one alone. */
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
  const records = listIn(body)
    .filter((each) => JSON.stringify(each) !== '{}')
    .map((each) => (Object(each) === each ? each : { value: each }) as Fields);
  // Without a time of day, a customer may write the same again.
  const hasTime = records.some(({ time }) => /:|\d{9}/.test(String(time)));
  const page = hasTime ? page_id : `${page_id}-timeless`;
  return records.map((record) => {
    const time_iso = record.time_iso ?? timeOf(record.time);
    return { ...record, page_id: page, event: eventOf(record), time_iso };
  });
}

function listIn(given: unknown): unknown[] {
  if (Array.isArray(given)) return given;
  if (!hasFields(given)) return [given];
  const { data, list, ...others } = given;
  const isPage = [data, list].some((each) => Array.isArray(each) && each.some(hasNumber));
  // A record with a field "data", or with the rest of its fields in it.
  if (hasNumber(others) && !isPage) return [{ ...given, ...(hasFields(data) && data) }];
  if (data !== undefined) return data === null ? [] : listIn(data);
  if (Array.isArray(list)) return list;
  return '0' in others ? Object.values(others) : [given];
}

const hasFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasNumber = (value: unknown): boolean =>
  hasFields(value) && ['phone_number', 'mobile', 'phone'].some((name) => name in value);

/**
 * Some give a reply a status, too, such as RECEIVED, and some a report the text of its message. A report has its number
 * in "phone_number".
 */
function eventOf(record: Fields): string {
  const named = ['deliveryReport', 'reply'].find((event) => event === record.event);
  if (named) return named;
  const state = 'phone_number' in record ? /^[A-Z]{4}/i : /^(?!RECEIV|READ|SUCC)[A-Z]{4}/i;
  const isReport = 'status_desc' in record || state.test(String(record.status));
  if ('status' in record && (isReport || !('content' in record))) return 'deliveryReport';
  return 'content' in record ? 'reply' : 'unreadable';
}
