/** The records as JSON has them in requests and answers. openapi.yaml describes them too. */

/** A delivery report: the outcome of one message. `time` in Unix seconds, `split_count` in message parts. */
export interface DeliveryReport {
  time: number;
  batch_id: string;
  status: string;
  status_desc: string;
  phone_data: string;
  phone_number: string;
  user_data: string;
  split_count: number;
}

/** A reply from a phone (upstream message). Only here the phone number (`mobile`) is a number. */
export interface Reply {
  batch_id: string;
  sms_content: string;
  time: number;
  ext_no: string;
  content: string;
  mobile: number;
}

/** One page of a list. `total` counts the records of all pages. */
export interface Paged<T = unknown> {
  list: T[];
  page: number;
  page_size: number;
  total: number;
}
