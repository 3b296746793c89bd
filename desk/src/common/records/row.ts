import type { Row } from '../../../tables.mjs';

/** A delivery report, as the inbox hands it over. */
export type Report = Partial<Row<'sms_inbox'>>;

/** Neighbouring rows. */
export interface Range {
  from: number;
  to: number;
}

/** The id of the row that a report is about. The send gives it along as "phone_data". */
export function rowOf({ phone_data }: Report): number {
  return Number(/^sms_recipients:(\d{1,15})$/.exec(phone_data ?? '')?.[1]);
}
