import { pullOperation } from '../../pulling/pullOperation';
import type { Resource } from '../../shared/operation';

export const deliveryReport: Resource = {
  option: { name: 'Delivery Report', value: 'deliveryReport' },
  operations: [pullOperation('deliveryReport')],
};
