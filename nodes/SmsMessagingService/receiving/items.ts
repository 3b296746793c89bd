import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { itemJson } from '../n8n/itemJson';
import { isObject } from '../service/json';
import type { EventDescription } from './events';
import { isUnreadable } from './recognise';

/** The items of pulled records. */
export function toItems(event: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: itemJson(normaliseRecord(event, record)) }));
}

/**
 * A pulled record as the workflow gets it: the service's own fields, `event` and `time_iso`. Texts of the
 * specification are texts, also where the service writes numbers: they are joined with other texts. A
 * reply also has `mobile` as text, and the same under `phone_number`, as reports do. A record that is
 * not an object is kept under `value`, and an `event` of the service under `service_event`.
 */
export function normaliseRecord(
  { name: event, samples: [sample] }: EventDescription,
  record: unknown,
): IDataObject {
  if (isUnreadable(record)) return record;
  if (!isObject(record)) return { event, value: record as IDataObject[string] };
  const isText = (name: string) => name === 'mobile' || typeof sample?.[name] === 'string';
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

/** A number from here on is not in seconds: that would be after the year 5000. */
const FIRST_OTHER = 1e11;

/** In milliseconds, a time is between the years 2000 and 2286. Other numbers may be digits of a date. */
const FIRST_MILLISECONDS = Date.UTC(2000);
const END_OF_MILLISECONDS = 1e13;

/** A date with its time zone. Without one it may be the time of any place. */
const ZONED_DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * A time as ISO 8601 in UTC: of a Unix time in seconds or milliseconds, or of a date with its time zone.
 * Undefined for anything else.
 */
function toIsoTime(time: unknown): string | undefined {
  const text =
    typeof time === 'number' ? String(time) : typeof time === 'string' ? time.trim() : '';
  const number = text === '' ? NaN : Number(text);
  const isDate = ZONED_DATE.test(text);
  const isSeconds = Math.abs(number) < FIRST_OTHER;
  const isMilliseconds = number >= FIRST_MILLISECONDS && number < END_OF_MILLISECONDS;
  if (!isDate && !isSeconds && !isMilliseconds) return undefined;
  const date = new Date(isDate ? text : isSeconds ? number * 1000 : number);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
