import { ofRecords } from './cases';

export const lead = ofRecords('lead', {
  recordsOf: ({ state }) => state.leads,
  simple: [
    ...['id', 'sign_id', 'sign_name', 'url', 'phone_1', 'phone_2', 'report_type'],
    ...['mobile_report', 'telecom_report', 'unicom_report'],
  ],
  needed: ['phone_1'],
  created: {
    sign_name: '云岭商城',
    report_info: { mobile_report: false, telecom_report: false, unicom_report: false },
  },
  filters: { query_phone1: '4008000002', query_phone2: '0871', query_url: 'yunling', sign_id: 202 },
  found: 402,
  idOfGet: 'lead_id',
});
