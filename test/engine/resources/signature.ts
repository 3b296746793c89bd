import { byId } from '../../kit/engine/locators';
import { FIRST_PAGE, bodyOf, ofOneRecord, pick } from './cases';
import type { Cases, Item } from './cases';

const SIGNATURE_PARAMETERS = {
  applyComment: 'for orders',
  bringsData: 'b',
  customerCallUrl: 'https://example.com/callback',
  moreData: '={{ ["x", $json.name] }}',
  type: 2,
  use: 0,
};

const SIMPLE = [
  ...['id', 'name', 'certification_id', 'type', 'use', 'apply_comment'],
  ...['brings_data', 'customer_call_url', 'more_data'],
];

const QUALIFICATION = { qualificationId: byId(102) };

const signatureBody = (item: Item) =>
  bodyOf(SIGNATURE_PARAMETERS, { certification_id: 102, more_data: ['x', item.name] });

export const signature: Cases = {
  ...ofOneRecord('signature', ({ state }) => state.signatures, {
    full: {
      parameters: { name: '={{ $json.name }}', ...SIGNATURE_PARAMETERS, ...QUALIFICATION },
      // Guess: update-id
      body: (item) => ({ name: item.name, ...signatureBody(item) }),
    },
    minimal: { parameters: { applyComment: '' }, body: () => ({ apply_comment: '' }) },
    records: (item) => [{ certification_id: 102, id: item.id, name: item.name }],
  }),
  create: {
    full: {
      parameters: {
        name: '={{ $json.name }}',
        ...QUALIFICATION,
        additionalFields: { ...SIGNATURE_PARAMETERS, signatureId: byId(201) },
      },
      body: (item) => ({ name: item.name, ...signatureBody(item), signature_id: 201 }),
    },
    minimal: {
      parameters: { name: 'n', qualificationId: byId('') },
      body: () => ({ name: 'n' }),
    },
    records: (item) => [{ certification_id: 102, id: expect.any(Number), name: item.name }],
  },
  getAll: {
    full: {
      parameters: { returnAll: true, filters: { name: '云岭' } },
      body: () => ({ name: '云岭', ...FIRST_PAGE }),
    },
    minimal: { parameters: { limit: 1 }, body: () => ({ page: 1, page_size: 1 }) },
    records: (_, { state }) => [pick(state.signatures.get(202), SIMPLE)],
  },
};
