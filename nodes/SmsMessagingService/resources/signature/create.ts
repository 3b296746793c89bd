import { documented } from '../../operations/endpoint';
import { createOperation } from '../../operations/records/create';
import { CREATE_SIGNATURE_PATH } from '../../service/connection';
import { signatureLocator } from '../../parameters/locators';
import { SIGNATURE, SIGNATURE_FIELDS } from './record';

const { name, ...others } = SIGNATURE_FIELDS;

/** Create a signature. */
export const create = createOperation(SIGNATURE, {
  endpoint: documented(
    CREATE_SIGNATURE_PATH,
    'The specification calls the fields required as a whole: the service may want all of Additional Fields. A token of your SMS provider belongs into the credential, as Authorization Token, with Bearer in front if the manual shows that.',
  ),
  required: { name },
  additionalFields: {
    ...others,
    signature_id: {
      type: 'reference',
      locator: signatureLocator,
      description:
        'Sent as signature_id. What it is for when a signature is created is not documented; ask your SMS provider.',
    },
  },
});
