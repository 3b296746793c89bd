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

/** The fields of Create a signature, without `signature_id`, which Edit does not accept. */
export const SIGNATURE_FIELDS = {
  name: {
    type: 'string',
    displayName: 'Name',
    placeholder: 'e.g. Example Tech',
    description: 'The signature itself: the name of the sender that recipients see',
  },
  certification_id: {
    type: 'reference',
    locator: qualificationLocator,
    description: 'The qualification that the signature belongs to',
  },
  apply_comment: {
    type: 'string',
    displayName: 'Apply Comment',
    placeholder: 'e.g. Order notifications of our shop',
    description: 'What the signature is for, for those who review it',
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
    description: 'Callback address of yours. When the service calls it is not documented.',
  },
  more_data: {
    type: 'stringList',
    displayName: 'More Data',
    placeholder: 'e.g. https://files.example.com/trademark.pdf',
    description:
      'Supplementary material, one entry per line. An expression may also give an array.',
  },
  type: {
    type: 'integer',
    displayName: 'Type',
    description:
      'Code of the signature type. The values are not documented; ask your SMS provider.',
  },
  use: {
    type: 'integer',
    displayName: 'Use',
    description: 'Code of the usage. The values are not documented; ask your SMS provider.',
  },
} as const satisfies Fields;
