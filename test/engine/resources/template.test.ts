import { byId } from '../harness/locators';
import { FIRST_PAGE, THE_ITEMS_ID, checkOperations, getAndDelete } from './operationChecks';

// Guess: id-0
const TEMPLATE_PARAMETERS = { type: 2, signatureId: byId(202), leadId: byId(0), remark: '' };

const TEMPLATE_BODY = { type: 2, sign_id: 202, lead_id: 0, remark: '' };

checkOperations({
  resource: 'template',
  firstId: 301,
  cases: {
    ...getAndDelete('template', ({ state }) => state.templates),
    create: {
      operationId: 'template.create',
      full: {
        parameters: {
          name: '={{ $json.name }}',
          content: 'Your code is ${code}',
          additionalFields: TEMPLATE_PARAMETERS,
        },
        body: (item) => ({ name: item.name, content: 'Your code is ${code}', ...TEMPLATE_BODY }),
      },
      minimal: {
        parameters: { name: 'n', content: 'c' },
        body: () => ({ name: 'n', content: 'c' }),
      },
      records: (item) => [
        {
          id: expect.any(Number),
          name: item.name,
          content: 'Your code is ${code}',
          ...TEMPLATE_BODY,
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
          updateFields: {
            name: '={{ $json.name }}',
            content: 'No parameters',
            ...TEMPLATE_PARAMETERS,
          },
        },
        body: (item) => ({
          id: item.id,
          name: item.name,
          content: 'No parameters',
          ...TEMPLATE_BODY,
        }),
      },
      minimal: {
        // Guess: partial-edit, empty-text
        parameters: { templateId: THE_ITEMS_ID, updateFields: { remark: '' } },
        body: ({ id }) => ({ id, remark: '' }),
      },
      records: (item, { state }) => [
        {
          ...state.templates.get(item.id),
          name: item.name,
          content: 'No parameters',
          ...TEMPLATE_BODY,
          param_count: 0,
        },
      ],
    },
  },
});
