import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isObject } from '../service/json';
import type { EventDescription, EventName } from './events';
import { isUnreadable } from './recognise';

/** The items of pulled records. */
export function toItems({ name }: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: normaliseRecord(name, record) }));
}

/**
 * A pulled record as the workflow gets it: the service's own fields, `event` and `time_iso`. A reply also
 * has `mobile` as text, and the same under `phone_number`, as reports do. A record that is not an object
 * is kept under `value`, and an `event` of the service under `service_event`.
 */
export function normaliseRecord(event: EventName, record: unknown): IDataObject {
  if (isUnreadable(record)) return record;
  if (!isObject(record)) return { event, value: record as IDataObject[string] };
  const mobile = typeof record.mobile === 'number' ? String(record.mobile) : record.mobile;
  const timeIso = toIsoTime(record.time);
  return {
    ...record,
    ...('event' in record ? { service_event: record.event } : {}),
    ...(typeof mobile === 'string' ? { mobile } : {}),
    ...(typeof mobile === 'string' && !('phone_number' in record) ? { phone_number: mobile } : {}),
    event,
    ...(timeIso === undefined || 'time_iso' in record ? {} : { time_iso: timeIso }),
  };
}

/** A time from here on is in milliseconds: in seconds it would be after the year 5000. */
const FIRST_MILLISECONDS = 1e11;

/** A Unix time as ISO 8601 in UTC. Undefined for what is not a time. */
function toIsoTime(time: unknown): string | undefined {
  const isNumeric = typeof time === 'number' || (typeof time === 'string' && time.trim() !== '');
  if (!isNumeric) return undefined;
  const number = Number(time);
  const date = new Date(Math.abs(number) >= FIRST_MILLISECONDS ? number : number * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
