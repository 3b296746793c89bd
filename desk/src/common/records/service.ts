/** What pages read of the table sms_service. */
import type { Fields } from '../../../../builder/code/n8n';

/** The templates or signatures of a row. */
export function recordsIn({ records }: Fields): Fields[] {
  return JSON.parse(String(records || '[]')) as Fields[];
}

/** Approved ones are enabled. What the numbers of the review mean, the specification does not show. */
export function isEnabled({ id, status }: Fields): boolean {
  return Boolean(id) && ![false, 0, '0', 'false'].includes(status as never);
}
