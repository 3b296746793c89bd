import { NodeApiError } from 'n8n-workflow';
import type { IDataObject, INode, INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { inputError } from '../n8n/errors';
import { failedItem } from '../n8n/olderVersions';
import type { Unanswered } from './answer';
import type { ServiceStatement } from './statement';

/** Why there is no usable answer. For each situation there is other advice. */
type Situation = Unanswered['kind'] | 'unauthorised' | 'unknownAddress' | 'redirected';

/** Advice that replaces the usual one in some situations. */
export type SpecialAdvice = Partial<Record<Situation, string>>;

/** A refusal may be about the request signature: which code says so is not shown. */
export const IF_ALL_ARE_REFUSED =
  'If every operation is refused, check the credential, also its Custom Request Signing.';

/** What the user can do in each situation. */
const ADVICE: Record<Situation, string> = {
  unauthorised:
    "Nothing was changed. Check API Key and API Secret in the credential. If they are right, compare its Custom Request Signing with your provider's manual.",
  unknownAddress:
    "Check the credential's Base URL: it must be the address that your SMS provider gave you, with its path prefix if it has one.",
  redirected:
    "Nothing was done. Set the credential's Base URL to the address that the service redirects to, up to /sendsms or /openapi.",
  refused: `Nothing was changed. Check the values of this operation; your provider's manual lists what the code means. ${IF_ALL_ARE_REFUSED}`,
  throttled: 'Nothing was changed. Wait a moment and run again, or send less often.',
  unreachable:
    "Nothing was sent. Check the credential's Base URL and that this n8n can reach the service.",
  unclear:
    'The request may have taken effect. Look at the service before you repeat an operation that changes something.',
};

/**
 * The error of a request without a usable answer. Message and description are given explicitly, or
 * n8n would put its own texts there. Nothing of the request is in it.
 */
export function unansweredError(
  node: INode,
  problem: Unanswered,
  { itemIndex, advice }: { itemIndex?: number; advice?: SpecialAdvice } = {},
): NodeApiError {
  const requestId = problem.requestId ? ` Request ID of the service: ${problem.requestId}.` : '';
  return serviceError(node, problem.reason, problem, {
    description: adviceFor(problem, advice) + requestId,
    httpCode: problem.httpStatus && problem.httpStatus >= 400 ? `${problem.httpStatus}` : undefined,
    itemIndex,
    failure: failureOf(problem),
  });
}

/**
 * The error that stops a run in which something failed.
 *
 * @param statement what the service said; undefined where no request was made
 */
export function stopError(
  node: INode,
  message: string,
  options: { itemIndex: number; description: string },
  statement?: ServiceStatement,
): NodeApiError | NodeOperationError {
  return statement
    ? serviceError(node, message, statement, options)
    : inputError(node, message, options);
}

function serviceError(
  node: INode,
  message: string,
  { code, msg, requestId, httpStatus }: ServiceStatement,
  options: NodeApiErrorOptions,
): NodeApiError {
  const error = new NodeApiError(node, { message }, { message, ...options });
  // n8n replaces a message that contains the name of an error code, as "preexisting" contains "EEXIST".
  error.message = message;
  // n8n before 2.37 does not take it from the options.
  error.failure = options?.failure;
  error.context.service = { code, msg, request_id: requestId, http_status: httpStatus };
  return error;
}

type NodeApiErrorOptions = ConstructorParameters<typeof NodeApiError>[2];

/** The item that stands for a failure, in the shape that n8n sends to the error branch. */
export function failureItem(
  node: INode,
  error: NodeOperationError | NodeApiError,
  itemIndex: number,
): INodeExecutionData {
  const { message, description, context } = error;
  const details = { description, ...(context.service as IDataObject) };
  return failedItem(node, { error: message, message, details }, itemIndex);
}

/** What the user can do about a request without a usable answer. */
export function adviceFor(problem: Unanswered, special: SpecialAdvice = {}): string {
  const situation = situationOf(problem);
  return special[situation] ?? ADVICE[situation];
}

function situationOf({ kind, httpStatus, isRedirect }: Unanswered): Situation {
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorised';
  if (isRedirect) return 'redirected';
  return httpStatus === 404 ? 'unknownAddress' : kind;
}

/** The class of the failure. The trigger decides by it, and so does n8n's back-off for polls. */
function failureOf(problem: Unanswered) {
  if (problem.kind === 'throttled') {
    return { cause: 'rate-limited' as const, retryAfterMs: problem.retryAfterMs };
  }
  if (situationOf(problem) === 'unauthorised') return { cause: 'credential-invalid' as const };
  if (problem.kind === 'refused') return undefined;
  return { cause: 'temporarily-unavailable' as const };
}
