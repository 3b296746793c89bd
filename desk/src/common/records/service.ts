/** What pages read of the table sms_service. */
import type { Fields } from '../../../../builder/code/n8n';

/** A template or a signature, as the service gives it. */
export type ServiceRecord = Record<'id' | 'sign_id' | 'param_count' | 'status', unknown> &
  Partial<Record<'name' | 'content', string>>;

/** The templates or signatures of a row. */
export function recordsIn({ records }: Fields): ServiceRecord[] {
  return JSON.parse(String(records || '[]')) as ServiceRecord[];
}

/** Approved ones are enabled. What the numbers of the review mean, the specification does not show. */
export function isEnabled({ id, status }: Pick<ServiceRecord, 'id' | 'status'>): boolean {
  return Boolean(id) && ![false, 0, '0', 'false'].includes(status as never);
}
