import { ofRecords } from './cases';

export const template = ofRecords('template', {
  recordsOf: ({ state }) => state.templates,
  simple: [
    ...['id', 'name', 'content', 'status', 'param_count', 'audit_status', 'sign_id', 'type'],
    ...['lead_id', 'remark'],
  ],
  created: { param_count: 0, audit_status: 2, status: true },
  updated: { param_count: 0 },
  filters: { name: '发货' },
  found: 302,
});
