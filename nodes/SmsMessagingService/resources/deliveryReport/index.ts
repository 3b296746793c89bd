import { pullOperation } from '../../receiving/pullOperation';
import type { Resource } from '../../operations/operation';

const pull = pullOperation('deliveryReport');

export const deliveryReport: Resource = {
  option: { name: 'Delivery Report', value: 'deliveryReport' },
  operations: [pull],
  defaultOperation: pull,
};
