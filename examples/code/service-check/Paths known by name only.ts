import type { Item, N8n } from '../n8n';

/** The operations whose paths the specification does not show. */
const INFERRED = [
  { path: '/openapi/cert/create', operations: 'Qualification: Create' },
  { path: '/openapi/cert/update', operations: 'Qualification: Update' },
  { path: '/openapi/sign/info', operations: 'Signature: Get, Get Many' },
  { path: '/openapi/sign/update', operations: 'Signature: Update' },
  { path: '/openapi/sign/delete', operations: 'Signature: Delete' },
  { path: '/openapi/template/create', operations: 'Template: Create' },
  { path: '/openapi/template/update', operations: 'Template: Update' },
  { path: '/openapi/lead/delete', operations: 'Lead: Delete' },
];

/** What to compare their answers with: a path that surely exists, and one that surely does not. */
const KNOWN = [{ path: '/sendsms/balance' }, { path: '/openapi/sms-service-check/no-such-path' }];

/** What is asked without key and signature: such a request belongs to no account and changes nothing. */
export default function paths({ $ }: N8n): Item[] {
  const baseUrl = String($('First contact').first().json['Base URL']).trim().replace(/\/+$/, '');
  return [...KNOWN, ...INFERRED].map((each) => ({ json: { ...each, url: baseUrl + each.path } }));
}
