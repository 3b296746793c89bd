import type { Resource } from '../../shared/operation';
import { get } from './get';

export const balance: Resource = {
  option: { name: 'Balance', value: 'balance' },
  operations: [get],
  defaultOperation: get,
};
