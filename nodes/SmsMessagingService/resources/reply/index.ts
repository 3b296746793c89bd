import { pullOperation } from '../../receiving/pullOperation';
import type { Resource } from '../../operations/operation';

const pull = pullOperation('reply');

export const reply: Resource = {
  option: { name: 'Reply', value: 'reply' },
  operations: [pull],
  defaultOperation: pull,
};
