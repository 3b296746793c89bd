import type { IDataObject } from 'n8n-workflow';
import { byId } from '../../kit/engine/locators';
import { FIRST_PAGE, bodyOf, ofOneRecord, pick } from './cases';
import type { Cases, Item } from './cases';

const LEAD_PARAMETERS = {
  customerCallUrl: 'https://example.com/callback',
  domain: 'example.com',
  isFinancialLending: 1,
  phone1: '={{ $json.phone }}',
  phone2: '02160000002',
  template: 'See https://example.com/help',
  url: 'https://example.com/help',
  urlExt: '?from=sms',
};

const { url, phone1, template, ...OTHERS } = LEAD_PARAMETERS;
const IN_FORM = { url, phone1, template };

/** Simplify puts the carriers beside the other fields. */
const simplified = ({ report_info, ...record }: IDataObject) => {
  const names = ['id', 'sign_id', 'sign_name', 'url', 'phone_1', 'phone_2', 'report_type'];
  return { ...pick(record, names), ...(report_info as object) };
};

const FILTERS = { queryPhone1: '4008000002', queryPhone2: '0871', queryUrl: 'yunling' };

const leadBody = (item: Item) => bodyOf(LEAD_PARAMETERS, { phone_1: item.phone });

export const lead: Cases = {
  ...ofOneRecord(
    'lead',
    ({ state }) => state.leads,
    {
      full: { parameters: LEAD_PARAMETERS, body: leadBody },
      // Guess: partial-edit
      minimal: { parameters: { urlExt: '' }, body: () => ({ url_ext: '' }) },
      records: (item, { state }) => [
        simplified({ ...state.leads.get(item.id), ...leadBody(item) } as IDataObject),
      ],
    },
    'lead_id',
  ),
  create: {
    full: {
      parameters: {
        signatureId: byId(202),
        ...IN_FORM,
        additionalFields: { ...OTHERS, reportType: 2 },
      },
      body: (item) => ({ sign_id: 202, ...leadBody(item), report_type: 2 }),
    },
    minimal: {
      parameters: { signatureId: byId(201), url: '', phone1: '4008000001', template: '' },
      body: () => ({ sign_id: 201, phone_1: '4008000001' }),
    },
    records: (item) => [
      simplified({
        ...leadBody(item),
        id: expect.any(Number),
        sign_id: 202,
        sign_name: '云岭商城',
        report_type: 2,
        report_info: { mobile_report: false, telecom_report: false, unicom_report: false },
      }),
    ],
  },
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
    records: (_, { state }) => [simplified(state.leads.get(402) as IDataObject)],
  },
};
