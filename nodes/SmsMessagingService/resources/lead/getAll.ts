import { getManyOperation } from '../../operations/records/getMany';
import { signatureLocator } from '../../parameters/locators';
import { LEAD } from './record';

/** Query leads. */
export const getAll = getManyOperation(LEAD, {
  filters: {
    query_phone1: {
      type: 'string',
      displayName: 'Phone 1',
      placeholder: 'e.g. 4008000001',
      description: 'First phone number of the lead',
    },
    query_phone2: {
      type: 'string',
      displayName: 'Phone 2',
      placeholder: 'e.g. 02160000002',
      description: 'Second phone number of the lead',
    },
    query_url: {
      type: 'string',
      displayName: 'URL',
      placeholder: 'e.g. https://example.com/help',
      description: 'Link of the lead',
    },
    sign_id: {
      type: 'reference',
      locator: signatureLocator,
      description: 'Signature that the lead belongs to',
    },
  },
});
