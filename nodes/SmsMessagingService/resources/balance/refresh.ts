import { documented } from '../../operations/endpoint';
import type { RequestOperation } from '../../operations/operation';
import { get } from './get';

/** Refresh the balance. */
export const refresh: RequestOperation = {
  ...get,
  option: {
    name: 'Refresh',
    value: 'refresh',
    action: 'Refresh balance',
    description: 'Count the balance anew',
  },
  endpoint: documented('/sendsms/balance/refresh'),
};
