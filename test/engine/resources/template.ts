import { byId } from '../../kit/engine/locators';
import { FIRST_PAGE, ofOneRecord, pick } from './cases';
import type { Cases, Item } from './cases';

// Guess: id-0
const TEMPLATE_PARAMETERS = {
  type: 2,
  signatureId: byId(202),
  leadId: byId(0),
  remark: 'Sent at login',
};

const SIMPLE = [
  'id',
  'name',
  'content',
  'status',
  'param_count',
  'audit_status',
  'sign_id',
  'type',
  'lead_id',
  'remark',
];

const TEXTS = { name: '={{ $json.name }}', content: 'Your code is ${code}' };

const templateBody = ({ name }: Item) => ({
  ...TEXTS,
  name,
  type: 2,
  sign_id: 202,
  lead_id: 0,
  remark: 'Sent at login',
});

export const template: Cases = {
  ...ofOneRecord('template', ({ state }) => state.templates, {
    full: { parameters: { ...TEXTS, ...TEMPLATE_PARAMETERS }, body: templateBody },
    // Guess: partial-edit
    minimal: { parameters: { remark: '' }, body: () => ({ remark: '' }) },
    records: (item, { state }) => {
      const record = { ...state.templates.get(item.id), ...templateBody(item), param_count: 1 };
      return [pick(record, SIMPLE)];
    },
  }),
  create: {
    full: {
      parameters: { ...TEXTS, additionalFields: TEMPLATE_PARAMETERS },
      body: templateBody,
    },
    minimal: {
      parameters: { name: 'n', content: 'c' },
      body: () => ({ name: 'n', content: 'c' }),
    },
    records: (item) => [
      {
        id: expect.any(Number),
        ...templateBody(item),
        param_count: 1,
        audit_status: 2,
        status: true,
      },
    ],
  },
  getAll: {
    full: {
      parameters: { returnAll: true, filters: { name: '发货' } },
      body: () => ({ name: '发货', ...FIRST_PAGE }),
    },
    minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
    records: (_, { state }) => [pick(state.templates.get(302), SIMPLE)],
  },
};
