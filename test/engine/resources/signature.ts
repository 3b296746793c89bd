import { byId } from '../../kit/engine/locators';
import { FIRST_PAGE, ofRecords } from './cases';

export const signature = ofRecords('signature', {
  recordsOf: ({ state }) => state.signatures,
  simple: [
    ...['id', 'name', 'certification_id', 'type', 'use', 'apply_comment'],
    ...['brings_data', 'customer_call_url', 'more_data'],
  ],
  changed: ['certification_id', 'id', 'name'],
  // Guess: update-id
  both: {
    parameters: {
      qualificationId: byId(102),
      moreData: '={{ ["x", $json.name] }}',
      type: 2,
      use: 0,
    },
    body: ({ name }) => ({ certification_id: 102, more_data: ['x', name], type: 2, use: 0 }),
  },
  create: {
    more: { parameters: { signatureId: byId(201) }, body: () => ({ signature_id: 201 }) },
    made: {},
    minimal: {
      parameters: { name: 'n', qualificationId: byId('') },
      body: () => ({ name: 'n' }),
    },
  },
  update: { minimal: { parameters: { applyComment: '' }, body: () => ({ apply_comment: '' }) } },
  getAll: {
    full: {
      parameters: { returnAll: true, filters: { name: '云岭' } },
      body: () => ({ name: '云岭', ...FIRST_PAGE }),
    },
    minimal: { parameters: { limit: 1 }, body: () => ({ page: 1, page_size: 1 }) },
    found: 202,
  },
});
