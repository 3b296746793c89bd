import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { unreplaced } from '../n8n/errors';
import { adviceOn, isUnauthorised } from './advice';
import type { Asked } from './advice';
import type { Unanswered } from './answer';
import { sentences } from './sentences';
import type { ServiceStatement } from './statement';

/**
 * The error of a request without a usable answer. Message and description are always set, because n8n would
 * otherwise set its own. It contains nothing of the request.
 */
export function exchangeError(
  node: INode,
  problem: Unanswered,
  asked: Asked,
  itemIndex?: number,
): NodeApiError {
  return serviceError(node, problem.reason, problem, {
    description: sentences(
      adviceOn(problem, asked),
      problem.requestId && `Request ID of the service: ${problem.requestId}`,
    ),
    httpCode: problem.httpStatus && problem.httpStatus >= 400 ? `${problem.httpStatus}` : undefined,
    itemIndex,
    failure: failureOf(problem),
  });
}

export function serviceError(
  node: INode,
  words: string,
  { code, msg, requestId, httpStatus }: ServiceStatement,
  options: NonNullable<ConstructorParameters<typeof NodeApiError>[2]> & { description: string },
): NodeApiError {
  const message = unreplaced(words);
  const description = unreplaced(options.description);
  const error = new NodeApiError(node, { message }, { ...options, message, description });
  // n8n before 2.37 does not take it from the options.
  error.failure = options.failure;
  error.context.service = { code, msg, request_id: requestId, http_status: httpStatus };
  return error;
}

/** The class of the failure. The trigger decides by it, and so does n8n's back-off for polls. */
function failureOf({ kind, httpStatus, retryAfterMs }: Unanswered) {
  if (kind === 'throttled') return { cause: 'rate-limited' as const, retryAfterMs };
  if (isUnauthorised(httpStatus)) return { cause: 'credential-invalid' as const };
  return kind === 'refused' || kind === 'empty'
    ? undefined
    : { cause: 'temporarily-unavailable' as const };
}
