import { documented } from '../../operations/endpoint';
import { createOperation } from '../../operations/records/create';
import { signatureLocator } from '../../parameters/locators';
import { LEAD, LEAD_FIELDS } from './record';

/** Create lead, and submit it for reporting (§4.12). */
export const create = createOperation(LEAD, {
  endpoint: documented('/openapi/lead/create'),
  required: {
    sign_id: {
      type: 'reference',
      locator: signatureLocator,
      description: 'The signature that messages with the link or phone number are sent under',
    },
  },
  additionalFields: {
    ...LEAD_FIELDS,
    report_type: {
      type: 'integer',
      displayName: 'Report Type',
      description: 'Code of the reporting type. The values are not documented; ask the operator.',
    },
  },
});
