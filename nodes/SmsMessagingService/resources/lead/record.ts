import { documented } from '../../operations/endpoint';
import type { Fields } from '../../parameters/fields';
import type { RecordKind } from '../../operations/records/kind';
import { namesOf } from '../../operations/records/output';
import { isObject } from '../../service/json';
import { leadLocator } from '../../parameters/locators';

/** The fields that both Create lead and Update lead accept. */
export const LEAD_FIELDS = {
  customer_call_url: {
    type: 'string',
    displayName: 'Customer Call URL',
    placeholder: 'e.g. https://example.com/sms-callback',
    description: 'Your own callback address. When the service calls it is not documented.',
  },
  domain: {
    type: 'string',
    displayName: 'Domain',
    placeholder: 'e.g. example.com',
    description: 'Domain of the link',
  },
  is_financial_lending: {
    type: 'code',
    displayName: 'Financial Lending',
    description: 'Code that says whether the business is financial lending',
  },
  phone_1: {
    type: 'string',
    displayName: 'Phone 1',
    placeholder: 'e.g. 4008000001',
    description: 'First phone number that messages may contain',
  },
  phone_2: {
    type: 'string',
    displayName: 'Phone 2',
    placeholder: 'e.g. 02160000002',
    description: 'Second phone number that messages may contain',
  },
  template: {
    type: 'string',
    displayName: 'Template Text',
    rows: 4,
    placeholder: 'e.g. Read more at https://example.com/help',
    description: 'Text of the message that contains the link or phone number',
  },
  url: {
    type: 'string',
    displayName: 'URL',
    placeholder: 'e.g. https://example.com/help',
    description: 'Link that messages may contain',
  },
  url_ext: {
    type: 'string',
    displayName: 'URL Extension',
    placeholder: 'e.g. ?from=sms',
    description: 'Extension of the link',
  },
} as const satisfies Fields;

/** The flags of `report_info`, one per carrier. */
const REPORT_FLAGS = {
  mobile_report: 'Mobile Report',
  telecom_report: 'Telecom Report',
  unicom_report: 'Unicom Report',
};

/** A lead: a link or phone numbers that are reported to the carriers. */
export const LEAD: RecordKind = {
  noun: 'lead',
  plural: 'leads',
  locator: leadLocator,
  list: { endpoint: documented('/openapi/lead/info'), idField: 'lead_id' },
  output: {
    noun: 'lead',
    fields: {
      ...namesOf(LEAD_FIELDS),
      ...REPORT_FLAGS,
      report_type: 'Report Type',
      sign_id: 'Signature ID',
      sign_name: 'Signature Name',
    },
    simple: [
      'id',
      'sign_name',
      'url',
      'phone_1',
      'phone_2',
      'sign_id',
      'report_type',
      ...Object.keys(REPORT_FLAGS),
    ],
    // Beside the other fields, an IF node finds the flags.
    flatten: (record) =>
      isObject(record.report_info) ? { ...record.report_info, ...record } : record,
  },
};
