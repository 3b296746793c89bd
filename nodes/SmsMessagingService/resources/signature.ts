import type { RecordKind } from '../operations/operation';
import { namesOf } from '../operations/output';
import { recordResource } from '../operations/records';
import { code, COLLECTIONS, list, reference, text } from '../parameters/fields';
import type { Fields } from '../parameters/fields';
import { qualificationLocator, signatureLocator } from '../parameters/locators';
import { CREDENTIAL_LABELS } from '../service/connection';

/** The fields that both Create and Update accept. */
export const SIGNATURE_FIELDS = {
  name: text('Name', 'Example Tech', 'Name of the sender that recipients see'),
  certification_id: reference(qualificationLocator, 'Qualification that the signature belongs to'),
  apply_comment: text(
    'Application Comment',
    'Order notifications of our shop',
    'Note to the reviewers, if they read it (not documented)',
  ),
  type: code('Type', 'Code of the signature type'),
  use: code('Usage Code', 'Code of what the signature is used for'),
  brings_data: {
    displayName: 'Brings Data',
    description:
      'What it is for is not documented. Fill it in only if your SMS provider tells you what to enter.',
  },
  customer_call_url: text(
    'Callback URL',
    'https://example.com/sms-callback',
    'Your own callback address. When the service calls it is not documented.',
  ),
  more_data: list(
    'Supporting Material',
    'https://files.example.com/trademark.pdf',
    'Material that supports the application, one entry per line',
  ),
} satisfies Fields;

const { name, certification_id } = SIGNATURE_FIELDS;

/** The sender's name on a message. */
export const SIGNATURE: RecordKind = {
  value: 'signature',
  noun: 'signature',
  locator: signatureLocator,
  fields: SIGNATURE_FIELDS,
  list: {
    endpoint: { path: '/openapi/sign/info', isGuess: true },
    filters: {
      name: {
        ...name,
        description: 'Name of the signature, or a part of it if the service searches for parts',
      },
    },
  },
  output: {
    fields: namesOf(SIGNATURE_FIELDS),
    simple: ['id', ...Object.keys(SIGNATURE_FIELDS)],
  },
};

export const signature = recordResource(SIGNATURE, {
  create: {
    endpoint: {
      path: '/openapi/sign/create',
      // The only operation that the specification shows with an `authorization` header.
      isAuthorized: true,
      warning: `The service may require '${qualificationLocator.displayName}', all '${COLLECTIONS.additionalFields.displayName}', and the credential's '${CREDENTIAL_LABELS.authorizationToken}'`,
    },
    form: { name, certification_id: { ...certification_id, mayBeEmpty: true } },
    more: {
      signature_id: reference(
        signatureLocator,
        'Sent as signature_id. What it does here is not documented; ask your SMS provider.',
      ),
    },
  },
  delete: { path: '/openapi/sign/delete', isGuess: true },
  update: { path: '/openapi/sign/update', isGuess: true },
});
