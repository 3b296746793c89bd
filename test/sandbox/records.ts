/** The records of the specification, as they travel (§2). */

/** §2.2 */
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

/** §2.3; `mobile` is a number there, unlike every other phone number. */
export interface Reply {
  batch_id: string;
  sms_content: string;
  time: number;
  ext_no: string;
  content: string;
  mobile: number;
}

/** §2.4 */
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

/** §2.5 */
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

/** §2.6 */
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

/** §2.7 */
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

/** §2.8 */
export interface Paged<T = unknown> {
  list: T[];
  page: number;
  page_size: number;
  total: number;
}
