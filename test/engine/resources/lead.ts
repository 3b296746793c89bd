import { byId } from '../../kit/engine/locators';
import { FIRST_PAGE, ofRecords } from './cases';

const FILTERS = { queryPhone1: '4008000002', queryPhone2: '0871', queryUrl: 'yunling' };

export const lead = ofRecords('lead', {
  recordsOf: ({ state }) => state.leads,
  simple: [
    ...['id', 'sign_id', 'sign_name', 'url', 'phone_1', 'phone_2', 'report_type'],
    ...['mobile_report', 'telecom_report', 'unicom_report'],
  ],
  both: {
    parameters: { isFinancialLending: 1, phone1: '={{ $json.phone }}' },
    body: ({ phone }) => ({ is_financial_lending: 1, phone_1: phone }),
  },
  create: {
    more: {
      parameters: { signatureId: byId(202), reportType: 2 },
      body: () => ({ sign_id: 202, report_type: 2 }),
    },
    made: {
      sign_name: '云岭商城',
      report_info: { mobile_report: false, telecom_report: false, unicom_report: false },
    },
    minimal: {
      parameters: { signatureId: byId(201), url: '', phone1: '4008000001', template: '' },
      body: () => ({ sign_id: 201, phone_1: '4008000001' }),
    },
  },
  // Guess: partial-edit
  update: { minimal: { parameters: { urlExt: '' }, body: () => ({ url_ext: '' }) } },
  getAll: {
    full: {
      parameters: { returnAll: true, filters: { ...FILTERS, signatureId: byId(202) } },
      body: () => ({
        query_phone1: '4008000002',
        query_phone2: '0871',
        query_url: 'yunling',
        sign_id: 202,
        ...FIRST_PAGE,
      }),
    },
    minimal: {
      parameters: { limit: 2, filters: { queryPhone1: '', signatureId: byId('') } },
      body: () => ({ page: 1, page_size: 2 }),
    },
    found: 402,
  },
  idOfGet: 'lead_id',
});
