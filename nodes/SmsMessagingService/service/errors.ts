import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import type { ServiceStatement, Unanswered } from './answer';
import { failedItem } from '../n8n/olderVersions';

/** Why there is no usable answer, as far as it makes a difference to what a person can do. */
type Situation = Unanswered['kind'] | 'unauthorised' | 'unknownAddress';

/** What to say in some situations instead of the usual. */
export type SpecialAdvice = Partial<Record<Situation, string>>;

/** What a person can do in each situation. */
const ADVICE: Record<Situation, string> = {
  unauthorised: 'Nothing was changed. Check API Key and API Secret in the credential.',
  unknownAddress:
    "Check the credential's Base URL: it must be the address that the operator gave you, with its path prefix if it has one.",
  refused:
    "Nothing was changed. Check the values of this operation; the operator's manual lists what the code means.",
  throttled: 'Nothing was changed. Wait a moment and run again, or send less often.',
  unreachable:
    "Nothing was sent. Check the credential's Base URL and that this n8n can reach the service.",
  unclear:
    'The request may have taken effect. Look at the service before you repeat an operation that changes something.',
};

/**
 * The error for a request that brought no usable answer. Message and description are given
 * explicitly, because n8n would put its own texts in their place, and nothing of the request is in it.
 */
export function apiError(
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

/** An error of the service, with what it said for whoever reads the item. */
export function serviceError(
  node: INode,
  message: string,
  { code, msg, requestId, httpStatus }: ServiceStatement,
  options: NodeApiErrorOptions,
): NodeApiError {
  const error = new NodeApiError(node, { message }, { message, ...options });
  // n8n replaces a text that happens to contain, say, "EEXIST" ("preexisting"); the service's words stay.
  error.message = message;
  // n8n before 2.37 does not take it from the options.
  error.failure = options?.failure;
  error.context.service = { code, msg, request_id: requestId, http_status: httpStatus };
  return error;
}

type NodeApiErrorOptions = ConstructorParameters<typeof NodeApiError>[2];

/** The error for input that cannot be used as it is. */
export function inputError(
  node: INode,
  message: string,
  options: { itemIndex?: number; description?: string } = {},
): NodeOperationError {
  return new NodeOperationError(node, message, { level: 'warning', ...options });
}

/**
 * Any error as one of n8n's two. A check that knows no node throws a UserError; it gets the node and
 * the item it belongs to.
 */
export function toNodeError(
  node: INode,
  error: unknown,
  itemIndex?: number,
): NodeOperationError | NodeApiError {
  if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
  const { message, description } = error as { message: string; description?: string | null };
  return inputError(node, message, { itemIndex, description: description ?? undefined });
}

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

/** What a person can do about it. */
export function adviceFor(problem: Unanswered, special: SpecialAdvice = {}): string {
  const situation = situationOf(problem);
  return special[situation] ?? ADVICE[situation];
}

function situationOf({ kind, httpStatus }: Unanswered): Situation {
  if (httpStatus === 401 || httpStatus === 403) return 'unauthorised';
  return httpStatus === 404 ? 'unknownAddress' : kind;
}

/** The class of the failure: the trigger goes by it, and so does n8n's back-off for polls. */
function failureOf(problem: Unanswered) {
  if (problem.kind === 'throttled') {
    return { cause: 'rate-limited' as const, retryAfterMs: problem.retryAfterMs };
  }
  if (situationOf(problem) === 'unauthorised') return { cause: 'credential-invalid' as const };
  if (problem.kind === 'refused') return undefined;
  return { cause: 'temporarily-unavailable' as const };
}
