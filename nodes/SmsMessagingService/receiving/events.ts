import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { itemJson } from '../operations/output';
import { parsePhoneNumbers } from '../parameters/phoneNumbers';
import { isObject, textOf } from '../service/json';
import { isUnreadable } from '../service/pull';
import { sentences } from '../service/sentences';

/* The events: what can be pulled, the items of pulled records, and work on several events. */

export type EventName = 'deliveryReport' | 'reply';

export interface EventDescription {
  name: EventName;
  /** As in a sentence: "… while pulling delivery reports". */
  plural: string;
  path: string;
  /** A record with every field that the specification shows, in its type. */
  fields: IDataObject;
  samples: IDataObject[];
}

const DELIVERED = {
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

const OPT_OUT = {
  batch_id: 'sample-batch-1',
  sms_content: 'Your order 1001 has shipped. Reply STOP to opt out.',
  time: 1767225660,
  ext_no: '01',
  content: 'STOP',
  mobile: 13800138000,
};

export const EVENTS: Record<EventName, EventDescription> = {
  deliveryReport: {
    name: 'deliveryReport',
    plural: 'delivery reports',
    path: '/sendsms/report/pull',
    fields: DELIVERED,
    samples: [DELIVERED, { ...DELIVERED, ...NOT_DELIVERED, phone_number: '13900139000' }],
  },
  reply: {
    name: 'reply',
    plural: 'replies',
    path: '/sendsms/mo/pull',
    fields: OPT_OUT,
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
 * texts. So is `mobile` of a reply, which is also given as `phone_number`, as in reports. There a mainland
 * mobile has 11 digits, so that a look-up finds it. A record that is not an object is kept under `value`, and an
 * `event` of the service under `service_event`.
 */
function normaliseRecord({ name: event, fields }: EventDescription, record: unknown): IDataObject {
  if (isUnreadable(record)) return record;
  if (!isObject(record)) return { event, value: record as IDataObject[string] };
  const isText = (name: string) => name === 'mobile' || typeof fields[name] === 'string';
  const own: IDataObject = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'number' && isText(name) ? String(value) : value,
    ]),
  );
  const time = timeOf(record);
  return {
    ...own,
    ...(Object.hasOwn(record, 'event') ? { service_event: record.event } : {}),
    ...phoneNumberOf(own),
    event,
    ...(time === undefined || Object.hasOwn(record, 'time_iso')
      ? {}
      : { time_iso: new Date(time).toISOString() }),
  };
}

/** `phone_number` of a record, and what it was if it is changed and no other field has that. */
function phoneNumberOf({ mobile, phone_number: own = mobile }: IDataObject): IDataObject {
  if (own === undefined) return {};
  const text = textOf(own);
  const { valid, invalid } = parsePhoneNumbers(text, 'mainlandMobile');
  if (valid.length !== 1 || invalid.length > 0) return { phone_number: own };
  const [digits] = valid;
  const isKept = digits === text || own === mobile;
  return { phone_number: digits, ...(isKept ? {} : { phone_number_original: own }) };
}

/** In milliseconds. The service has no older record: a smaller number is digits of a date, such as 1231235959. */
const FIRST_TIME = Date.UTC(2010);

/** A clock may be wrong. A time much later than now is digits of a date, such as 2601010800. */
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** A date with its time zone, as in ISO 8601 and in RFC 2822. Without the zone, the moment is not known. */
const ZONED_DATE =
  /^(?:\d{4}-\d\d-\d\d[T ]|(?:[a-z]{3},)? *\d{1,2} +[a-z]{3} +\d{4} +)\d\d:\d\d(?::\d\d(?:\.\d+)?)? *(?:Z|GMT|UTC?|[+-]\d\d:?\d\d)$/i;

/**
 * The time of a pulled record in milliseconds: from a Unix time in seconds or milliseconds, or from a date with
 * its time zone. Undefined for anything else, and for a time before the year 2010 or more than a year from now.
 */
export function timeOf(record: unknown): number | undefined {
  const text = isObject(record) ? textOf(record.time) : '';
  const number = text === '' ? NaN : Number(text);
  // No number is a time since 2010 both in seconds and in milliseconds.
  const times = ZONED_DATE.test(text) ? [Date.parse(text)] : [number * 1000, number];
  return times.find((each) => each >= FIRST_TIME && each <= Date.now() + YEAR_MS);
}

/** One error that says for each event what stopped it, from what became of each. Undefined if nothing did. */
export function failureOf(
  node: INode,
  ends: { event: EventDescription; error?: unknown }[],
): NodeError | undefined {
  const failures = ends
    .filter(({ error }) => error !== undefined)
    .map(({ event: { plural }, error }) => ({ plural, error: toNodeError(node, error) }));
  const byReason = [...new Set(failures.map(({ error }) => error.message))].map((reason) => {
    const same = failures.filter(({ error }) => error.message === reason);
    const plurals = same.map(({ plural }) => plural).join(' and ');
    const advice = same[0]?.error.description ?? '';
    return { said: `${reason}, while pulling ${plurals}`, advice };
  });
  // n8n's back-off follows the first failure.
  const [{ error: failure } = {}] = failures;
  if (!failure) return undefined;
  failure.message = byReason.map(({ said }) => said).join('. ');
  failure.description = sentences(...byReason.map(({ advice }) => advice));
  return failure;
}
