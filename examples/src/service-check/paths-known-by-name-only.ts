import { INFERRED } from './inferred';
import { BALANCE, NOWHERE } from './known';
import type { Item, N8n } from '../../../builder/code/n8n';

/** What is asked without key and signature: such a request belongs to no account and changes nothing. */
export default function paths({ $ }: N8n): Item[] {
  const baseUrl = String($('First contact').first().json['Base URL']).trim().replace(/\/+$/, '');
  // With the two that their answers are compared with.
  const asked = [{ path: BALANCE }, { path: NOWHERE }, ...INFERRED];
  return asked.map((each) => ({ json: { ...each, url: baseUrl + each.path } }));
}
