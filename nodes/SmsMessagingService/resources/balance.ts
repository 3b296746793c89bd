import type { RequestOperation, Resource } from '../operations/operation';
import { isObject, textOf } from '../service/json';
import { shapeError } from '../service/shapes';

/** Also the test of a credential. */
export const getBalance: RequestOperation = {
  kind: 'request',
  repetition: 'reads',
  option: {
    name: 'Get',
    value: 'get',
    action: 'Get balance',
    description: 'Retrieve the balance of the account',
  },
  properties: [],
  endpoint: { path: '/sendsms/balance' },
  records: (answer) => {
    // Some services put the fields of every answer under `data`.
    const found =
      isObject(answer) && isObject(answer.data) ? { ...answer, ...answer.data } : answer;
    if (isObject(found) && balanceIn(found) !== undefined) return [found];
    throw shapeError(answer, 'balance', "a field 'balance'");
  },
};

export const balance: Resource = {
  option: { name: 'Balance', value: 'balance', description: 'What is left in the account' },
  operations: [getBalance],
  defaultOperation: getBalance,
};

/** The balance in an answer: at the top, as the specification shows, or under `data`. Undefined if there is none. */
export function balanceIn(answer: unknown): number | undefined {
  if (!isObject(answer)) return undefined;
  const { data, balance: stated = isObject(data) ? data.balance : undefined } = answer;
  const text = textOf(stated);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
