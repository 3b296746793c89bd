import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { unreplaced } from '../n8n/errors';
import { CREDENTIAL_LABELS } from './connection';
import type { Unanswered } from './answer';
import { CODE_LISTS, CUSTOM_CODES } from './resultCodes';
import { sentences } from './sentences';
import { is2xx } from './statement';
import type { ServiceStatement } from './statement';

/** Why there is no usable answer. Each situation has its own advice. */
type Situation =
  | Exclude<Unanswered['kind'], 'empty'>
  | 'unauthorised'
  | 'unknownAddress'
  | 'redirected'
  | 'needsHttp';

/** What an operation adds to the advice, so that it fits what the user sees. */
export interface OperationAdvice extends Partial<Record<Situation, string>> {
  /** Says that nothing happened, if the request had no effect. Undefined for operations that only read. */
  nothing?: string;
  /** What to check if the service refuses the request. */
  check?: string;
  /** Whether `refused` says all about a refusal, so that nothing is added. */
  isWhole?: boolean;
  /** What to do if a code in no list of the credential is no refusal. */
  otherMeaning?: string;
}

/** A refusal may be about the request signature: the specification does not show which code says so. */
const IF_ALL_ARE_REFUSED =
  'If every operation is refused, check the credential, also its Custom Request Signing.';

/**
 * What codes in no list mean in the public manual from which `resultCodes.ts` has its defaults. They decide
 * only what is advised first.
 */
const COMMON_REFUSALS: Record<number, string> = {
  1: 'Check API Key and API Secret in the credential, also its Custom Request Signing: code 1 often means that one of them is wrong.',
  15: 'Check the balance of the account: code 15 often means that it is used up.',
  10006: 'Ask your SMS provider: code 10006 often means that the account has no channel.',
};

/** What the user can do in each situation except a refusal. `unclear` is for operations that only read. */
const ADVICE: Record<Exclude<Situation, 'refused'>, string> = {
  unauthorised:
    "Check API Key and API Secret in the credential. If they are right, compare its Custom Request Signing with your provider's manual.",
  unknownAddress:
    "Check the credential's Base URL: it must be the address that your SMS provider gave you, with its path prefix if it has one.",
  redirected:
    "Set the credential's Base URL to the address that the service redirects to, up to /sendsms or /openapi.",
  needsHttp: `Check the port in the credential's Base URL. If the service has no https, the Base URL must start with http://, and ${CREDENTIAL_LABELS.allowHttp} must be on.`,
  throttled: 'Wait a moment and try again.',
  unreachable: "Check the credential's Base URL and that this n8n can reach the service.",
  unclear:
    "The service may be out of order: try again later. If it never works, check the credential's Base URL.",
};

/**
 * The error of a request without a usable answer. Message and description are always set, because n8n would
 * otherwise set its own. It contains nothing of the request.
 */
export function exchangeError(
  node: INode,
  problem: Unanswered,
  { itemIndex, advice }: { itemIndex?: number; advice?: OperationAdvice } = {},
): NodeApiError {
  return serviceError(node, problem.reason, problem, {
    description: sentences(
      adviceFor(problem, advice),
      problem.requestId && `Request ID of the service: ${problem.requestId}`,
    ),
    httpCode: problem.httpStatus && problem.httpStatus >= 400 ? `${problem.httpStatus}` : undefined,
    itemIndex: itemIndex === 0 && isAboutAll(problem) ? undefined : itemIndex,
    failure: failureOf(problem),
  });
}

/** An error about an answer of the service, or about a missing one. */
export function serviceError(
  node: INode,
  words: string,
  { code, msg, requestId, httpStatus }: ServiceStatement,
  options: NodeApiErrorOptions & { description: string },
): NodeApiError {
  const message = unreplaced(words);
  const description = unreplaced(options.description);
  const error = new NodeApiError(node, { message }, { ...options, message, description });
  // n8n before 2.37 does not take it from the options.
  error.failure = options.failure;
  error.context.service = { code, msg, request_id: requestId, http_status: httpStatus };
  return error;
}

type NodeApiErrorOptions = NonNullable<ConstructorParameters<typeof NodeApiError>[2]>;

/** What the user can do about a request without a usable answer. What is most likely comes first. */
export function adviceFor(problem: Unanswered, own: OperationAdvice = {}): string {
  const { kind, codeMeaning, httpStatus } = problem;
  const situation = situationOf(problem);
  if (situation === 'refused') return adviceOnRefusal(problem, own);
  return sentences(
    kind !== 'unclear' && own.nothing,
    own[situation] ?? ADVICE[situation],
    // Otherwise the HTTP status says more.
    (codeMeaning === kind || is2xx(httpStatus)) && adviceOnCode(problem, own.otherMeaning),
    own.unclear !== undefined && isElsewhere(problem) && "Check the credential's Base URL",
  );
}

/** @param own with an empty `refused`, the operation knows that the account is not refused */
function adviceOnRefusal(problem: Unanswered, own: OperationAdvice): string {
  const { nothing, refused } = own;
  const isOther = problem.codeMeaning === 'other' && refused !== '';
  if (isOther && isLikeStatus(problem)) return sentences(adviceOnCode(problem, IF_LIKE_STATUS));
  if (own.isWhole) return sentences(nothing, refused);
  const common = isOther && COMMON_REFUSALS[Number(problem.code)];
  if (common) return sentences(nothing, common, adviceOnCode(problem));
  const advice = refused ?? (own.check || undefined);
  return sentences(
    nothing,
    advice,
    (isOther || advice === undefined) && IF_ALL_ARE_REFUSED,
    adviceOnCode(problem, own.otherMeaning),
  );
}

/** Whether an answer that may have done something seems to come from another address than the service's. */
function isElsewhere({ kind, httpStatus, body, isRedirect }: Unanswered): boolean {
  const isPage = is2xx(httpStatus) && body === undefined;
  return kind === 'unclear' && (isRedirect === true || isPage);
}

/** Which setting gave a code its meaning, or could give it one. */
function adviceOnCode(
  { code, codeMeaning = 'none' }: Unanswered,
  otherMeaning = OTHER_MEANING,
): string | false {
  if (codeMeaning === 'none') return false;
  return codeMeaning === 'other'
    ? sentences(`Code ${code} is in no list of the credential`, otherMeaning)
    : `Code ${code} is among '${CODE_LISTS[codeMeaning].label}' of the credential`;
}

const TO_SUCCESS = `add it under '${CUSTOM_CODES}' to '${CODE_LISTS.success.label}'`;

const OTHER_MEANING = `If it means success, ${TO_SUCCESS}; other meanings have lists of their own`;

/** No other list: a code of success is also that of an empty queue, and of a send. */
const IF_LIKE_STATUS = `If it means success, as such an HTTP status does, the request was done: ${TO_SUCCESS}`;

/** Whether a code is an HTTP status of success, beside one. Many services repeat the status so. */
function isLikeStatus({ code, httpStatus }: Unanswered): boolean {
  return is2xx(Number(code)) && is2xx(httpStatus);
}

function situationOf({ kind, httpStatus, isRedirect, needs }: Unanswered): Situation {
  if (kind === 'unclear' || kind === 'throttled') return kind;
  if (needs) return 'needsHttp';
  if (isUnauthorised(httpStatus)) return 'unauthorised';
  if (isRedirect) return 'redirected';
  if (httpStatus === 404) return 'unknownAddress';
  return kind === 'empty' ? 'refused' : kind;
}

/** Whether any item would have met this. n8n writes the item beside the message. */
function isAboutAll(problem: Unanswered): boolean {
  return !['refused', 'unclear'].includes(situationOf(problem));
}

/** Whether the service rejected the account, not the request. */
export function isUnauthorised(httpStatus?: number): boolean {
  return httpStatus === 401 || httpStatus === 403;
}

/** The class of the failure. The trigger decides by it, and so does n8n's back-off for polls. */
function failureOf({ kind, httpStatus, retryAfterMs }: Unanswered) {
  if (kind === 'throttled') return { cause: 'rate-limited' as const, retryAfterMs };
  if (isUnauthorised(httpStatus)) return { cause: 'credential-invalid' as const };
  return kind === 'refused' || kind === 'empty'
    ? undefined
    : { cause: 'temporarily-unavailable' as const };
}
