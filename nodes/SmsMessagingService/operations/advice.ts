import type { OperationAdvice } from '../service/errors';
import { sentences } from '../service/sentences';
import { endpointAdvice } from './endpoint';
import type { ListOperation, RequestOperation } from './operation';

/** Fields that say how records are shown. They are not sent. */
const NOT_SENT = ['returnAll', 'limit', 'simplify', 'output', 'fields'];

const OF_A_CHANGE: OperationAdvice = {
  nothing: 'Nothing was changed.',
  unclear:
    'The change may have been made all the same. Look at the service before you make it again.',
};

/** The advice in the errors of an operation. It names the fields that the operation has. */
export function adviceOf(operation: RequestOperation | ListOperation): OperationAdvice {
  const advice = endpointAdvice(operation.endpoint);
  const fields = operation.properties
    .filter(({ type, name }) => type !== 'notice' && !NOT_SENT.includes(name))
    .map(({ displayName }) => `'${displayName}'`);
  const [last, ...others] = fields.reverse();
  const all = others.length > 0 ? `${others.reverse().join(', ')} and ${last}` : last;
  return {
    ...(operation.kind === 'request' && operation.change ? OF_A_CHANGE : {}),
    ...advice,
    check: sentences(all && `Check ${all}`, advice.check),
  };
}
