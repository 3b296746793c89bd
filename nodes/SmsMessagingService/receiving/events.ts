import type {
  IDataObject,
  INode,
  INodeExecutionData,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { itemJson } from '../operations/output';
import { isObject } from '../service/json';
import { isUnreadable } from '../service/pull';
import { sentences } from '../service/sentences';
import { DELIVERY_REPORT, REPLY } from '../service/wire';
import type { WireFields, WireObject } from '../service/wire';

/* The events: what can be pulled, the items of pulled records, and work on several events. */

export type EventName = 'deliveryReport' | 'reply';

/** What can be pulled from the service. */
export interface EventDescription {
  name: EventName;
  /** As in a sentence: "… while pulling delivery reports". */
  plural: string;
  /** Path under the Base URL. */
  path: string;
  /** The fields of a record. */
  fields: WireFields;
  /** Made-up records with these fields, to build a workflow with. */
  samples: IDataObject[];
}

const DELIVERED: WireObject<typeof DELIVERY_REPORT> = {
  time: 1767225600,
  batch_id: 'sample-batch-1',
  status: 'DELIVRD',
  status_desc: 'Received successfully',
  phone_data: '',
  phone_number: '13800138000',
  user_data: 'order-1001',
  split_count: 1,
};

const NOT_DELIVERED = { time: 1767225604, status: 'UNDELIV', status_desc: 'Not delivered' };

const OPT_OUT: WireObject<typeof REPLY> = {
  batch_id: 'sample-batch-1',
  sms_content: 'Your order 1001 has shipped. Reply STOP to opt out.',
  time: 1767225660,
  ext_no: '01',
  content: 'STOP',
  mobile: 13800138000,
};

/** The two events, by name. */
export const EVENTS: Record<EventName, EventDescription> = {
  deliveryReport: {
    name: 'deliveryReport',
    plural: 'delivery reports',
    path: '/sendsms/report/pull',
    fields: DELIVERY_REPORT,
    samples: [DELIVERED, { ...DELIVERED, ...NOT_DELIVERED, phone_number: '13900139000' }],
  },
  reply: {
    name: 'reply',
    plural: 'replies',
    path: '/sendsms/mo/pull',
    fields: REPLY,
    samples: [OPT_OUT],
  },
};

/**
 * The items of pulled records.
 *
 * @param pageId goes into each item as `page_id`
 */
export function toItems(
  event: EventDescription,
  records: unknown[],
  pageId?: string,
): INodeExecutionData[] {
  const page = pageId === undefined ? {} : { page_id: pageId };
  return records.map((record) => ({
    json: { ...itemJson(normaliseRecord(event, record)), ...page },
  }));
}

/** The items of an event's sample records. A workflow can tell them from real ones by the field `sample`. */
export function sampleItems(event: EventDescription, pageId?: string): INodeExecutionData[] {
  return toItems(event, event.samples, pageId).map(({ json }) => ({
    json: { ...json, sample: true },
  }));
}

/**
 * A pulled record as the workflow gets it: the service's own fields, `event` and `time_iso`. A field that is
 * text in the specification is text even if the service writes a number, because workflows join it with
 * texts. So is `mobile` of a reply, which is also given as `phone_number`, as in reports. A record that is
 * not an object is kept under `value`, and an `event` of the service under `service_event`.
 */
function normaliseRecord({ name: event, fields }: EventDescription, record: unknown): IDataObject {
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

/** In milliseconds. The service has no older record, so a smaller number is not a time. */
const FIRST_TIME = Date.UTC(2000);

/** A clock may be wrong. A time much later than now is digits of a date, such as 2601010800. */
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** A date with its time zone. Without one, the moment is not known. */
const ZONED_DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * A time as ISO 8601 in UTC: of a Unix time in seconds or milliseconds, or of a date with its time zone.
 * Undefined for anything else, and for a time before the year 2000 or more than a year from now.
 */
function toIsoTime(time: unknown): string | undefined {
  const text =
    typeof time === 'number' ? String(time) : typeof time === 'string' ? time.trim() : '';
  const number = text === '' ? NaN : Number(text);
  // No number is a time since 2000 both in seconds and in milliseconds.
  const times = ZONED_DATE.test(text) ? [Date.parse(text)] : [number * 1000, number];
  const found = times.find((each) => each >= FIRST_TIME && each <= Date.now() + YEAR_MS);
  return found === undefined ? undefined : new Date(found).toISOString();
}

/**
 * Works on the events side by side, so that a failure of one does not hold back the other.
 *
 * @returns one error that says for each event what stopped it; undefined if nothing failed. n8n's
 * back-off follows the first failure.
 */
export async function forEachEvent(
  node: INode,
  events: EventDescription[],
  work: (event: EventDescription) => Promise<void>,
): Promise<NodeApiError | NodeOperationError | undefined> {
  const results = await Promise.allSettled(events.map(work));
  const failures = events.flatMap(({ plural }, index) => {
    const result = results[index];
    return result?.status === 'rejected'
      ? [{ plural, error: toNodeError(node, result.reason) }]
      : [];
  });
  const [first] = failures;
  if (first === undefined) return undefined;
  const byReason = new Map<string, { plurals: string[]; advice: string }>();
  for (const { plural, error } of failures) {
    const said = byReason.get(error.message) ?? { plurals: [], advice: error.description ?? '' };
    said.plurals.push(plural);
    byReason.set(error.message, said);
  }
  const reasons = Array.from(
    byReason,
    ([reason, { plurals }]) => `${reason}, while pulling ${plurals.join(' and ')}`,
  );
  first.error.message = reasons.join('. ');
  first.error.description = sentences(...Array.from(byReason.values(), ({ advice }) => advice));
  return first.error;
}
