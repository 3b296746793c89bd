import { documented } from '../../operations/endpoint';
import { createOperation } from '../../operations/records/create';
import { signatureLocator } from '../../parameters/locators';
import { LEAD, LEAD_FIELDS } from './record';

/** Create a lead, which submits it for reporting. */
export const create = createOperation(LEAD, {
  endpoint: documented('/openapi/lead/create'),
  required: {
    sign_id: {
      type: 'reference',
      locator: signatureLocator,
      description: 'Signature of the messages that contain the link or phone number',
    },
  },
  additionalFields: {
    ...LEAD_FIELDS,
    report_type: {
      type: 'code',
      displayName: 'Report Type',
      description: 'Code of the reporting type',
    },
  },
});
