import { inferred } from '../../operations/endpoint';
import type { RequestOperation } from '../../operations/operation';
import { targetOf } from '../../operations/records/kind';
import { LEAD } from './record';

/** Restore a deleted lead. The specification only names this operation. */
export const restore: RequestOperation = {
  kind: 'request',
  option: {
    name: 'Restore',
    value: 'restore',
    action: 'Restore lead',
    description: 'Bring back a lead that was deleted',
  },
  properties: [LEAD.locator],
  change: 'updated',
  endpoint: inferred('/openapi/lead/restore'),
  target: targetOf(LEAD.locator),
  records: (_, id) => [{ id }],
};
