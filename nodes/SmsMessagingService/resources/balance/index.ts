import type { Resource } from '../../operations/operation';
import { get } from './get';

export const balance: Resource = {
  option: { name: 'Balance', value: 'balance', description: 'What is left in the account' },
  operations: [get],
  defaultOperation: get,
};
