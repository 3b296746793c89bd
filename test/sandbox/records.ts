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

/** A company's qualification. */
export interface Qualification {
  id: number;
  name: string;
  company_name: string;
  unified_social_credit_code: string;
  certificate_type: number;
  certificate_file: string;
  legal_person: string;
  legal_person_certificate: string;
  legal_person_identity_card_front: string;
  legal_person_identity_card_verso: string;
  legal_mobile: string;
  operator: string;
  operator_certificate: string;
  operator_identity_card_front: string;
  operator_identity_card_verso: string;
  authorization_file: string[];
  company_authorization_file: string[];
  operator_mobile: string;
  more_data: string[];
  use: number;
  created_at: string;
}

/** A signature: the sender's name before a text. */
export interface Signature {
  id: number;
  certification_id: number;
  name: string;
  apply_comment: string;
  brings_data: string;
  customer_call_url: string;
  more_data: string[];
  type: number;
  use: number;
}

/** A text with placeholders. `status`: whether it is enabled. */
export interface Template {
  id: number;
  name: string;
  content: string;
  param_count: number;
  audit_status: number;
  status: boolean;
  type: number;
  sign_id: number;
  lead_id: number;
  remark: string;
}

/** Links and phone numbers that are reported to the carriers. */
export interface Lead {
  id: number;
  customer_call_url: string;
  domain: string;
  is_financial_lending: number;
  phone_1: string;
  phone_2: string;
  report_type: number;
  report_info: { mobile_report: boolean; telecom_report: boolean; unicom_report: boolean };
  sign_id: number;
  sign_name: string;
  template: string;
  url: string;
  url_ext: string;
}

/** One page of a list. `total` counts the records of all pages. */
export interface Paged<T = unknown> {
  list: T[];
  page: number;
  page_size: number;
  total: number;
}
