import type { IDataObject } from 'n8n-workflow';

export type EventName = 'deliveryReport' | 'reply';

/** What can be pulled from the service. */
export interface EventDescription {
  name: EventName;
  /** As in a sentence: "Pulling delivery reports …". */
  plural: string;
  /** Path under the Base URL. */
  path: string;
  /** Made-up records with the fields of real ones, to build a workflow with. */
  samples: IDataObject[];
}

export const EVENTS: Record<EventName, EventDescription> = {
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
