import { documented } from '../../operations/endpoint';
import { createOperation } from '../../operations/records/create';
import { CREATE_SIGNATURE_PATH } from '../../service/connection';
import { signatureLocator } from '../../parameters/locators';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

const { name, ...others } = SIGNATURE_FIELDS;

/** Create a signature. */
export const create = createOperation(SIGNATURE, {
  endpoint: {
    ...documented(
      CREATE_SIGNATURE_PATH,
      "The service may require all 'Additional Fields', and the credential's 'Authorization Token'",
    ),
    isAuthorized: true,
  },
  required: { name },
  additionalFields: {
    ...others,
    signature_id: {
      type: 'reference',
      locator: signatureLocator,
      description:
        'Sent as signature_id. What it does here is not documented; ask your SMS provider.',
    },
  },
});
