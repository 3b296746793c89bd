import { documented } from '../../operations/endpoint';
import type { RequestOperation } from '../../operations/operation';
import { unexpectedShape } from '../../service/shapes';
import { isObject } from '../../service/json';

/** Get the balance. */
export const get: RequestOperation = {
  kind: 'request',
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get the balance',
    description: 'Get the balance of the account',
  },
  properties: [],
  endpoint: documented('/sendsms/balance'),
  records: (answer) => {
    if (isObject(answer) && answer.balance !== undefined && answer.balance !== null)
      return [answer];
    throw unexpectedShape(answer, "a field 'balance'");
  },
};
