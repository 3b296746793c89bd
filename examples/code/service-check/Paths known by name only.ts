import { INFERRED } from '../inferred';
import type { Item, N8n } from '../n8n';

/** What to compare their answers with: a path that surely exists, and one that surely does not. */
const KNOWN = [{ path: '/sendsms/balance' }, { path: '/openapi/sms-service-check/no-such-path' }];

/** What is asked without key and signature: such a request belongs to no account and changes nothing. */
export default function paths({ $ }: N8n): Item[] {
  const baseUrl = String($('First contact').first().json['Base URL']).trim().replace(/\/+$/, '');
  return [...KNOWN, ...INFERRED].map((each) => ({ json: { ...each, url: baseUrl + each.path } }));
}
