import { pullOperation } from '../../pulling/pullOperation';
import type { Resource } from '../../shared/operation';

const pull = pullOperation('reply');

export const reply: Resource = {
  option: { name: 'Reply', value: 'reply' },
  operations: [pull],
  defaultOperation: pull,
};
