import { documented } from '../../operations/endpoint';
import type { RequestOperation } from '../../operations/operation';
import { BALANCE_PATH, balanceIn } from '../../service/balance';
import { shapeError } from '../../service/reading/shapes';
import { isObject } from '../../service/json';
import { isDoubtful } from '../../service/reading/statement';

/** Get the balance. */
export const get: RequestOperation = {
  kind: 'request',
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get balance',
    description: 'Retrieve the balance of the account',
  },
  properties: [],
  endpoint: documented(BALANCE_PATH),
  records: (answer) => {
    // Some services have the fields of every answer under `data`.
    const found =
      isObject(answer) && isObject(answer.data) ? { ...answer, ...answer.data } : answer;
    const hasBalance = isObject(found) && balanceIn(found) !== undefined;
    if (hasBalance && !isDoubtful(answer)) return [found];
    throw shapeError(answer, "a field 'balance'");
  },
};
