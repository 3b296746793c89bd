import type { RecordKind } from '../operations/operation';
import { namesOf } from '../operations/output';
import { recordResource } from '../operations/records';
import { code, reference, text } from '../parameters/fields';
import type { Fields } from '../parameters/fields';
import { leadLocator, signatureLocator } from '../parameters/locators';
import { isObject } from '../service/json';

/** The fields that both Create and Update accept. */
export const LEAD_FIELDS = {
  customer_call_url: text(
    'Callback URL',
    'https://example.com/sms-callback',
    'Your own callback address. When the service calls it is not documented.',
  ),
  domain: text('Domain', 'example.com', 'Domain of the link'),
  is_financial_lending: code(
    'Financial Lending',
    'Code that says whether the business is financial lending',
  ),
  phone_1: text('Phone 1', '4008000001', 'First phone number that messages may contain'),
  phone_2: text('Phone 2', '02160000002', 'Second phone number that messages may contain'),
  template: {
    displayName: 'Template Text',
    rows: 4,
    hasPlaceholders: true,
    placeholder: 'e.g. Read more at https://example.com/help',
    description: 'Text of the message that contains the link or phone number',
  },
  url: text('URL', 'https://example.com/help', 'Link that messages may contain'),
  url_ext: {
    displayName: 'URL Extension',
    description: 'Extension of the link. Its form is not documented; ask your SMS provider.',
  },
} satisfies Fields;

const { url, phone_1, phone_2, template } = LEAD_FIELDS;

/** The flags of `report_info`, one per carrier. */
const REPORT_FLAGS = {
  mobile_report: 'Mobile Report',
  telecom_report: 'Telecom Report',
  unicom_report: 'Unicom Report',
};

/** A link or phone numbers that are reported to the carriers. */
export const LEAD: RecordKind = {
  value: 'lead',
  noun: 'reported link',
  locator: leadLocator,
  fields: LEAD_FIELDS,
  list: {
    endpoint: { path: '/openapi/lead/info' },
    idField: 'lead_id',
    filters: {
      query_phone1: {
        ...phone_1,
        description: 'First phone number of the reported link',
      },
      query_phone2: {
        ...phone_2,
        description: 'Second phone number of the reported link',
      },
      query_url: {
        ...url,
        description: 'Link, or a part of it if the service searches for parts',
      },
      sign_id: reference(signatureLocator, 'Signature that the reported link belongs to'),
    },
  },
  output: {
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
    // An IF node can use the flags more easily if they are beside the other fields.
    flatten: (record) =>
      isObject(record.report_info) ? { ...record.report_info, ...record } : record,
  },
};

export const lead = recordResource(LEAD, {
  // Create also submits the reported link for reporting.
  create: {
    endpoint: { path: '/openapi/lead/create' },
    form: {
      sign_id: reference(
        signatureLocator,
        'Signature of the messages that contain the link or phone number',
      ),
      url: {
        ...url,
        mayBeEmpty: true,
        description: 'Link that messages may contain. Fill in this, a phone number, or both.',
      },
      phone_1: { ...phone_1, mayBeEmpty: true },
      template: { ...template, mayBeEmpty: true },
    },
    oneOf: { url, phone_1, phone_2 },
    more: { report_type: code('Report Type', 'Code of the reporting type') },
  },
  delete: { path: '/openapi/lead/delete', isGuess: true },
  update: {
    path: '/openapi/lead/update',
    warning: 'It can be changed only as long as it was not reported to any carrier',
  },
});
