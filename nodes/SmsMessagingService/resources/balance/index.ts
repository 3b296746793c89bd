import type { Resource } from '../../operations/operation';
import { get } from './get';

export const balance: Resource = {
  option: { name: 'Balance', value: 'balance' },
  operations: [get],
  defaultOperation: get,
};
