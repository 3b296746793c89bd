import type { IDataObject } from 'n8n-workflow';
import { DELIVERY_REPORT, REPLY } from '../service/reading/wire';
import type { WireFields, WireObject } from '../service/reading/wire';

export type EventName = 'deliveryReport' | 'reply';

/** What can be pulled from the service. */
export interface EventDescription {
  name: EventName;
  /** As in a sentence: "Pulling delivery reports …". */
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
