import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isObject } from '../service/json';
import type { EventDescription } from './events';
import { isUnreadable } from './recognise';

/** The items of pulled records. */
export function toItems(event: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: normaliseRecord(event, record) }));
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

/** A time from here on is in milliseconds: in seconds it would be after the year 5000. */
const FIRST_MILLISECONDS = 1e11;

/** A number from here on is no time: in milliseconds it would be after the year 2286. */
const FIRST_OTHER = 1e13;

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
  const milliseconds = Math.abs(number) < FIRST_MILLISECONDS ? number * 1000 : number;
  const date = new Date(ZONED_DATE.test(text) ? text : milliseconds);
  const isTime = ZONED_DATE.test(text) || Math.abs(number) < FIRST_OTHER;
  return isTime && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}
