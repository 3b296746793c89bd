import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/answer';
import { isUnreadable } from './recognise';

export type EventName = 'deliveryReport' | 'reply';

/** What can be pulled from the service. */
export interface EventDescription {
  name: EventName;
  /** As in a sentence: "Pulling delivery reports …". */
  plural: string;
  /** Path under the base URL, as in §4. */
  path: string;
  /** Records shaped like the real ones, to build a workflow with. */
  samples: IDataObject[];
}

export const EVENTS: Record<EventName, EventDescription> = {
  /** Delivery status reports (§4.4, §2.2). */
  deliveryReport: {
    name: 'deliveryReport',
    plural: 'delivery reports',
    path: '/sendsms/report/pull',
    samples: [
      {
        time: 1767225600,
        batch_id: 'sample-batch-1',
        status: 'DELIVRD',
        status_desc: 'Received successfully',
        phone_data: '',
        phone_number: '13800138000',
        user_data: 'order-1001',
        split_count: 1,
      },
      {
        time: 1767225604,
        batch_id: 'sample-batch-1',
        status: 'UNDELIV',
        status_desc: 'Not delivered',
        phone_data: '',
        phone_number: '13900139000',
        user_data: 'order-1001',
        split_count: 1,
      },
    ],
  },
  /** Upstream messages (§4.5, §2.3). */
  reply: {
    name: 'reply',
    plural: 'replies',
    path: '/sendsms/mo/pull',
    samples: [
      {
        batch_id: 'sample-batch-1',
        sms_content: 'Your order 1001 has shipped. Reply STOP to opt out.',
        time: 1767225660,
        ext_no: '01',
        content: 'STOP',
        mobile: 13800138000,
      },
    ],
  },
};

/**
 * A pulled record as the workflow gets it: the service's own fields, plus `event` and `time_iso`, and
 * of a reply `mobile` as text, which is `phone_number` too, as in a report. A record that is not an
 * object is kept under `value`, and the service's own `event` under `service_event`.
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

/** Later than the year 5000 in seconds; such a time is in milliseconds. */
const MILLISECONDS_FROM = 1e11;

/** Unix seconds as ISO 8601 in UTC, or undefined for what is not a time. */
function toIsoTime(time: unknown): string | undefined {
  const isNumeric = typeof time === 'number' || (typeof time === 'string' && time.trim() !== '');
  if (!isNumeric) return undefined;
  const number = Number(time);
  const date = new Date(Math.abs(number) >= MILLISECONDS_FROM ? number : number * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
