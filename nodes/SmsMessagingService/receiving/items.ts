import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { itemJson } from '../operations/itemJson';
import { isObject } from '../service/json';
import type { EventDescription } from './events';
import { isUnreadable } from '../service/reading/pull';

/** The items of pulled records. */
export function toItems(event: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: itemJson(normaliseRecord(event, record)) }));
}

/**
 * A pulled record as the workflow gets it: the service's own fields, `event` and `time_iso`. A text of the
 * specification is text even if the service writes a number, because workflows join it with texts. So is
 * `mobile` of a reply, which is also given as `phone_number`, as in reports. A record that is not an object
 * is kept under `value`, and an `event` of the service under `service_event`.
 */
export function normaliseRecord(
  { name: event, fields }: EventDescription,
  record: unknown,
): IDataObject {
  if (isUnreadable(record)) return record;
  if (!isObject(record)) return { event, value: record as IDataObject[string] };
  const isText = (name: string) => name === 'mobile' || fields[name] === 'string';
  const own: IDataObject = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'number' && isText(name) ? String(value) : value,
    ]),
  );
  const { mobile } = own;
  const timeIso = toIsoTime(record.time);
  return {
    ...own,
    ...('event' in record ? { service_event: record.event } : {}),
    ...(typeof mobile === 'string' && !('phone_number' in record) ? { phone_number: mobile } : {}),
    event,
    ...(timeIso === undefined || 'time_iso' in record ? {} : { time_iso: timeIso }),
  };
}

/** The service has no older record, in milliseconds. A smaller number is not a time. */
const FIRST_TIME = Date.UTC(2000);

/** A clock may be wrong. A time much later than now is digits of a date, such as 2601010800. */
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** A date with its time zone. Without one it may be the time of any place. */
const ZONED_DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * A time as ISO 8601 in UTC: of a Unix time in seconds or milliseconds, or of a date with its time zone.
 * Undefined for anything else, and for a time before the year 2000 or more than a year from now.
 */
function toIsoTime(time: unknown): string | undefined {
  const text =
    typeof time === 'number' ? String(time) : typeof time === 'string' ? time.trim() : '';
  const number = text === '' ? NaN : Number(text);
  // No number is a time since then both in seconds and in milliseconds.
  const times = ZONED_DATE.test(text) ? [Date.parse(text)] : [number * 1000, number];
  const found = times.find((each) => each >= FIRST_TIME && each <= Date.now() + YEAR_MS);
  return found === undefined ? undefined : new Date(found).toISOString();
}
