/** What pages read of the table sms.service. */
import type { Fields } from '../../../../builder/code/n8n';

export type ServiceRecord = Record<'id' | 'sign_id' | 'param_count' | 'status', unknown> &
  Record<'name' | 'content', string>;

/** The templates or signatures of a row, as the service gave them. What has no text has an empty one. */
export function recordsIn({ records }: Fields): ServiceRecord[] {
  const all = JSON.parse(String(records || '[]')) as ServiceRecord[];
  return all.map((each) => ({ ...each, name: each.name ?? '', content: each.content ?? '' }));
}

/** Approved ones are enabled. What the numbers of the review mean, the specification does not show. */
export function isEnabled({ id, status }: Pick<ServiceRecord, 'id' | 'status'>): boolean {
  return Boolean(id) && ![false, 0, '0', 'false'].includes(status as never);
}
