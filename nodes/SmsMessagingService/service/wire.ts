import type { IDataObject } from 'n8n-workflow';

/*
 * The objects that the specification shows in answers: their fields and types. A test compares them with
 * the contract.
 */

interface WireTypes {
  integer: number;
  string: string;
  boolean: boolean;
  array: unknown[];
  object: IDataObject;
}

type WireType = keyof WireTypes;

export type WireFields = Readonly<Record<string, WireType>>;

export type WireObject<F extends WireFields> = { [K in keyof F]: WireTypes[F[K]] };

function all<T extends WireType>(type: T) {
  return <N extends string>(...names: N[]) =>
    Object.fromEntries(names.map((name) => [name, type])) as Record<N, T>;
}

const [integers, strings, arrays] = [all('integer'), all('string'), all('array')];

export const DELIVERY_REPORT = {
  ...integers('time', 'split_count'),
  ...strings('batch_id', 'status', 'status_desc', 'phone_number', 'phone_data', 'user_data'),
};

export const REPLY = {
  ...integers('time', 'mobile'),
  ...strings('batch_id', 'sms_content', 'ext_no', 'content'),
};

export const QUALIFICATION = {
  ...integers('id', 'certificate_type', 'use'),
  ...strings('name', 'company_name', 'unified_social_credit_code', 'created_at'),
  ...strings('certificate_file', 'legal_person', 'legal_person_certificate', 'legal_mobile'),
  ...strings('legal_person_identity_card_front', 'legal_person_identity_card_verso'),
  ...strings('operator', 'operator_certificate', 'operator_mobile'),
  ...strings('operator_identity_card_front', 'operator_identity_card_verso'),
  ...arrays('authorization_file', 'company_authorization_file', 'more_data'),
};

export const SIGNATURE = {
  ...integers('id', 'certification_id', 'type', 'use'),
  ...strings('name', 'apply_comment', 'brings_data', 'customer_call_url'),
  ...arrays('more_data'),
};

export const TEMPLATE = {
  ...integers('id', 'type', 'sign_id', 'lead_id', 'param_count', 'audit_status'),
  ...strings('name', 'content', 'remark'),
  ...all('boolean')('status'),
};

export const LEAD = {
  ...integers('id', 'is_financial_lending', 'report_type', 'sign_id'),
  ...strings('url', 'url_ext', 'domain', 'phone_1', 'phone_2'),
  ...strings('customer_call_url', 'template', 'sign_name'),
  ...all('object')('report_info'),
};
