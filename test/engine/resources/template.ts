import { byId } from '../../kit/engine/locators';
import { FIRST_PAGE, ofRecords } from './cases';

export const template = ofRecords('template', {
  recordsOf: ({ state }) => state.templates,
  simple: [
    ...['id', 'name', 'content', 'status', 'param_count', 'audit_status', 'sign_id', 'type'],
    ...['lead_id', 'remark'],
  ],
  // Guess: id-0
  both: {
    parameters: { type: 2, signatureId: byId(202), leadId: byId(0) },
    body: () => ({ type: 2, sign_id: 202, lead_id: 0 }),
  },
  create: {
    made: { param_count: 0, audit_status: 2, status: true },
    minimal: {
      parameters: { name: 'n', content: 'c' },
      body: () => ({ name: 'n', content: 'c' }),
    },
  },
  update: {
    made: { param_count: 0 },
    // Guess: partial-edit
    minimal: { parameters: { remark: '' }, body: () => ({ remark: '' }) },
  },
  getAll: {
    full: {
      parameters: { returnAll: true, filters: { name: '发货' } },
      body: () => ({ name: '发货', ...FIRST_PAGE }),
    },
    minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
    found: 302,
  },
});
