/** The records as JSON has them in requests and answers. openapi.yaml describes them too. */

const now = () => Math.floor(Date.now() / 1000);

/** Returns a function that makes a record, with made-up values for the fields that are not given. */
const maker =
  <Fields>(made: () => Fields) =>
  (fields: Partial<Fields>): Fields => ({ ...made(), ...fields });

/** A delivery report: the outcome of one message. `time` in Unix seconds, `split_count` in message parts. */
export type DeliveryReport = ReturnType<typeof deliveryReport>;

export const deliveryReport = maker(() => ({
  time: now(),
  batch_id: 'made-up',
  status: 'DELIVRD',
  status_desc: '接收成功',
  phone_data: '',
  phone_number: '13900000000',
  user_data: '',
  split_count: 1,
}));

/** A reply from a phone (upstream message). Only here the phone number (`mobile`) is a number. */
export type Reply = ReturnType<typeof reply>;

export const reply = maker(() => ({
  batch_id: 'made-up',
  sms_content: '您的订单已发货。回复TD退订',
  time: now(),
  ext_no: '',
  content: 'TD',
  mobile: 13_900_000_000,
}));

/** One page of a list. `total` counts the records of all pages. */
export interface Paged {
  list: unknown[];
  page: number;
  page_size: number;
  total: number;
}
