import { EVENT_OPTIONS } from '../../receiving/triggerFields';
import { pullOperation } from '../../receiving/pullOperation';
import type { Resource } from '../../operations/operation';

const pull = pullOperation('deliveryReport');

export const deliveryReport: Resource = {
  option: EVENT_OPTIONS.deliveryReport,
  operations: [pull],
  defaultOperation: pull,
};
