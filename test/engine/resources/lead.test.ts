import type { Gateway } from '../../sandbox/gateway';
import { byId } from '../harness/locators';
import { FIRST_PAGE, SMALL_PAGE, THE_ITEMS_ID, checkOperations } from './operationChecks';
import type { Item } from './operationChecks';

const LEAD_PARAMETERS = {
  customerCallUrl: 'https://example.com/callback',
  domain: 'example.com',
  isFinancialLending: 1,
  phone1: '={{ $json.phone }}',
  phone2: '',
  template: 'See https://example.com/help',
  url: 'https://example.com/help',
  urlExt: '?from=sms',
};

const leadBody = (item: Item) => ({
  customer_call_url: 'https://example.com/callback',
  domain: 'example.com',
  is_financial_lending: 1,
  phone_1: item.phone,
  phone_2: '',
  template: 'See https://example.com/help',
  url: 'https://example.com/help',
  url_ext: '?from=sms',
});

/** What Simplify leaves of the record with an ID. */
function shortLead(gateway: Gateway, id: number) {
  const record = gateway.state.leads.get(id);
  if (!record) throw new TypeError(`No lead ${id}`);
  const { sign_id, sign_name, url, phone_1, phone_2, report_type, report_info } = record;
  return { id, sign_id, sign_name, url, phone_1, phone_2, report_type, ...report_info };
}

const { gateway, execute } = checkOperations({
  resource: 'lead',
  firstId: 401,
  cases: {
    create: {
      operationId: 'lead.create',
      full: {
        parameters: {
          signatureId: byId(202),
          additionalFields: { ...LEAD_PARAMETERS, reportType: 2 },
        },
        body: (item) => ({ sign_id: 202, ...leadBody(item), report_type: 2 }),
      },
      minimal: { parameters: { signatureId: byId(201) }, body: () => ({ sign_id: 201 }) },
      records: (item) => [
        {
          id: expect.any(Number),
          sign_id: 202,
          sign_name: '云岭商城',
          ...leadBody(item),
          report_type: 2,
          report_info: { mobile_report: false, telecom_report: false, unicom_report: false },
        },
      ],
    },
    delete: {
      operationId: 'lead.delete',
      takesAnyObject: true,
      full: { parameters: { leadId: THE_ITEMS_ID }, body: ({ id }) => ({ id }) },
      records: ({ id }) => [{ deleted: true, id }],
    },
    get: {
      operationId: 'lead.query',
      full: {
        // Guess: one-record
        parameters: { leadId: THE_ITEMS_ID, simplify: false },
        body: ({ id }) => ({ lead_id: id, ...SMALL_PAGE }),
      },
      records: ({ id }, { state }) => [state.leads.get(id)],
    },
    getAll: {
      operationId: 'lead.query',
      full: {
        parameters: {
          returnAll: true,
          filters: {
            queryPhone1: '4008000002',
            queryPhone2: '0871',
            queryUrl: 'yunling',
            signatureId: byId(202),
          },
        },
        body: () => ({
          query_phone1: '4008000002',
          query_phone2: '0871',
          query_url: 'yunling',
          sign_id: 202,
          ...FIRST_PAGE,
        }),
      },
      minimal: {
        // Guess: empty-filter
        parameters: { limit: 2, filters: { queryPhone1: '', signatureId: byId('') } },
        body: () => ({ page: 1, page_size: 2 }),
      },
      records: (_, used) => [shortLead(used, 402)],
    },
    update: {
      operationId: 'lead.update',
      full: {
        parameters: { leadId: THE_ITEMS_ID, updateFields: LEAD_PARAMETERS },
        body: (item) => ({ id: item.id, ...leadBody(item) }),
      },
      minimal: {
        // Guess: partial-edit, empty-text
        parameters: { leadId: THE_ITEMS_ID, updateFields: { urlExt: '' } },
        body: ({ id }) => ({ id, url_ext: '' }),
      },
      records: (item, { state }) => [{ ...state.leads.get(item.id), ...leadBody(item) }],
    },
  },
});

test('Simplify puts the carriers of a lead beside its other fields', async () => {
  const { json } = await execute({ resource: 'lead', operation: 'get', leadId: byId(401) });
  expect(json).toEqual([
    expect.objectContaining({ mobile_report: true, telecom_report: true, unicom_report: false }),
  ]);
  expect(Object.keys(json[0] ?? {})).toHaveLength(10);
});

describe('an edited lead', () => {
  const edit = { resource: 'lead', operation: 'update', updateFields: { url: 'x' } };

  // Guess: reported-lead
  test('may count as reported: the service decides', async () => {
    await execute({ ...edit, leadId: byId(401) });
    expect(gateway.requests.map(({ body }) => body)).toEqual([{ id: 401, url: 'x' }]);
  });

  // Guess: edited-lead
  test('that is not in the answer: all leads in it come out', async () => {
    const list = [{ id: 401 }, { id: 403 }];
    gateway.fault({ kind: 'wrongShape', body: { list, total: 2 } });
    expect((await execute({ ...edit, leadId: byId(402) })).json).toEqual(list);
  });
});
