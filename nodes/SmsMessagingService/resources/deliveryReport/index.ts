import { pullOperation } from '../../pulling/pullOperation';
import type { Resource } from '../../shared/operation';

const pull = pullOperation('deliveryReport');

export const deliveryReport: Resource = {
  option: { name: 'Delivery Report', value: 'deliveryReport' },
  operations: [pull],
  defaultOperation: pull,
};
