import { ofRecords } from './cases';

export const signature = ofRecords('signature', {
  recordsOf: ({ state }) => state.signatures,
  simple: [
    ...['id', 'name', 'certification_id', 'type', 'use', 'apply_comment'],
    ...['brings_data', 'customer_call_url', 'more_data'],
  ],
  changed: ['certification_id', 'id', 'name'],
  filters: { name: '云岭' },
  found: 202,
});
