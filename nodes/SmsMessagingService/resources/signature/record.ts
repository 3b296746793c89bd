import { inferred } from '../../operations/endpoint';
import type { Fields } from '../../parameters/fields';
import type { RecordKind } from '../../operations/records/kind';
import { qualificationLocator, signatureLocator } from '../../parameters/locators';

/** An SMS signature: the sender's name on a message. */
export const SIGNATURE: RecordKind = {
  noun: 'signature',
  plural: 'signatures',
  locator: signatureLocator,
  list: { endpoint: inferred('/openapi/sign/info') },
};

/** The fields of Create signature, without `signature_id`, which Update does not accept. */
export const SIGNATURE_FIELDS = {
  name: {
    type: 'string',
    displayName: 'Name',
    placeholder: 'e.g. Example Tech',
    description: 'Name of the sender that recipients see',
  },
  certification_id: {
    type: 'reference',
    locator: qualificationLocator,
    description: 'Qualification that the signature belongs to',
  },
  apply_comment: {
    type: 'string',
    displayName: 'Apply Comment',
    placeholder: 'e.g. Order notifications of our shop',
    description: 'What the signature is for, as information for its reviewers',
  },
  brings_data: {
    type: 'string',
    displayName: 'Brings Data',
    description: 'Sent as brings_data. Its meaning is not documented; ask your SMS provider.',
  },
  customer_call_url: {
    type: 'string',
    displayName: 'Customer Call URL',
    placeholder: 'e.g. https://example.com/sms-callback',
    description: 'Your own callback address. When the service calls it is not documented.',
  },
  more_data: {
    type: 'stringList',
    displayName: 'More Data',
    placeholder: 'e.g. https://files.example.com/trademark.pdf',
    description: 'Further material, one entry per line. An expression may also give an array.',
  },
  type: {
    type: 'code',
    displayName: 'Type',
    description: 'Code of the signature type',
  },
  use: {
    type: 'code',
    displayName: 'Use',
    description: 'Code of the usage',
  },
} as const satisfies Fields;
