import type { IDataObject } from 'n8n-workflow';

/** What the tests of polls and pulls share. */

export { EVENTS, sampleItems } from '../../../nodes/SmsMessagingService/receiving/events';

/** The paths of the two pulls, by event. */
export const PATHS = { deliveryReport: '/sendsms/report/pull', reply: '/sendsms/mo/pull' } as const;
export const REPORTS = PATHS.deliveryReport;
export const REPLIES = PATHS.reply;

export type EventName = keyof typeof PATHS;

/** The trigger's parameters for delivery reports without replies. */
export const REPORTS_ONLY = { events: ['deliveryReport'] };

/** Reports that differ in their batch. */
export const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ batch_id: `b-${from + index}`, time: 1e9 }));

const identityOf = ({ event, batch_id, phone_number, mobile, content, time }: IDataObject) =>
  JSON.stringify([event, batch_id, phone_number ?? mobile, content, time]);

/** Counts the different records. */
export const countDistinct = (records: IDataObject[]) => new Set(records.map(identityOf)).size;
