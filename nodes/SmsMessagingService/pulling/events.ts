import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../shared/answer';

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
 * `mobile` as text like `phone_number`. A record that is not an object is kept under `value`.
 */
export function normaliseRecord(event: EventName, record: unknown): IDataObject {
  if (!isObject(record)) return { event, value: record as IDataObject[string] };
  const timeIso = toIsoTime(record.time);
  return {
    ...record,
    ...(typeof record.mobile === 'number' ? { mobile: String(record.mobile) } : {}),
    event,
    ...(timeIso === undefined ? {} : { time_iso: timeIso }),
  };
}

/** Unix seconds as ISO 8601 in UTC, or undefined for what is not a time. */
function toIsoTime(time: unknown): string | undefined {
  const isNumeric = typeof time === 'number' || (typeof time === 'string' && time.trim() !== '');
  if (!isNumeric) return undefined;
  const date = new Date(Number(time) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
