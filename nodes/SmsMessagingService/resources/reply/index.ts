import { pullOperation } from '../../pulling/pullOperation';
import type { Resource } from '../../shared/operation';

export const reply: Resource = {
  option: { name: 'Reply', value: 'reply' },
  operations: [pullOperation('reply')],
};
