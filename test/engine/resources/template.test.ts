import { byId } from '../harness/locators';
import { FIRST_PAGE, THE_ITEMS_ID, checkOperations, getAndDelete } from './operationChecks';
import type { Item } from './operationChecks';

// Guess: id-0
const TEMPLATE_PARAMETERS = { type: 2, signatureId: byId(202), leadId: byId(0), remark: '' };

const TEXTS = { name: '={{ $json.name }}', content: 'Your code is ${code}' };

const templateBody = ({ name }: Item) => ({
  ...TEXTS,
  name,
  type: 2,
  sign_id: 202,
  lead_id: 0,
  remark: '',
});

checkOperations({
  resource: 'template',
  firstId: 301,
  cases: {
    ...getAndDelete('template', ({ state }) => state.templates),
    create: {
      operationId: 'template.create',
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
      operationId: 'template.query',
      full: {
        parameters: { returnAll: true, filters: { name: '发货' } },
        body: () => ({ name: '发货', ...FIRST_PAGE }),
      },
      // Guess: picker-pages
      minimal: { parameters: {}, body: () => ({ page: 1, page_size: 50 }) },
      records: (_, { state }) => [state.templates.get(302)],
    },
    update: {
      operationId: 'template.update',
      full: {
        parameters: {
          templateId: THE_ITEMS_ID,
          updateFields: { ...TEXTS, ...TEMPLATE_PARAMETERS },
        },
        body: (item) => ({ id: item.id, ...templateBody(item) }),
      },
      minimal: {
        // Guess: partial-edit, empty-text
        parameters: { templateId: THE_ITEMS_ID, updateFields: { remark: '' } },
        body: ({ id }) => ({ id, remark: '' }),
      },
      records: (item, { state }) => [
        { ...state.templates.get(item.id), ...templateBody(item), param_count: 1 },
      ],
    },
  },
});
