import type { Resource } from '../../operations/operation';
import { get } from './get';
import { refresh } from './refresh';

export const balance: Resource = {
  option: { name: 'Balance', value: 'balance', description: 'What is left in the account' },
  operations: [get, refresh],
  defaultOperation: get,
};
