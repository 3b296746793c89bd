import type { RequestOperation, Resource } from '../operations/operation';
import { BALANCE_PATH, balanceIn } from '../service/balance';
import { isObject } from '../service/json';
import { shapeError } from '../service/reading/shapes';
import { isDoubtful } from '../service/reading/statement';

/** Also the test of a credential. */
export const getBalance: RequestOperation = {
  kind: 'request',
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get balance',
    description: 'Retrieve the balance of the account',
  },
  properties: [],
  endpoint: { heading: 'Get the balance', path: BALANCE_PATH, source: 'documented' },
  records: (answer) => {
    // Some services put the fields of every answer under `data`.
    const found =
      isObject(answer) && isObject(answer.data) ? { ...answer, ...answer.data } : answer;
    const hasBalance = isObject(found) && balanceIn(found) !== undefined;
    if (hasBalance && !isDoubtful(answer)) return [found];
    throw shapeError(answer, "a field 'balance'");
  },
};

/** The balance of the account. */
export const balance: Resource = {
  option: { name: 'Balance', value: 'balance', description: 'What is left in the account' },
  operations: [getBalance],
  defaultOperation: getBalance,
};
