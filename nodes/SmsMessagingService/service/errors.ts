import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';
import { unreplaced } from '../n8n/errors';
import { CREDENTIAL_LABELS } from './connection';
import type { Unanswered } from './answer';
import { CODE_LISTS, CUSTOM_CODES } from './resultCodes';
import { sentences } from './sentences';
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
  /** Whether this advice is about key and request signature already. */
  isAboutSender?: boolean;
  /** What to do if a code in no list of the credential is no refusal. */
  otherMeaning?: string;
}

/** A refusal may be about the request signature: the specification does not show which code says so. */
const IF_ALL_ARE_REFUSED =
  'If every operation is refused, check the credential, also its Custom Request Signing.';

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

/** What the user can do about a request without a usable answer. */
export function adviceFor(problem: Unanswered, own: OperationAdvice = {}): string {
  const situation = situationOf(problem);
  const advice =
    own[situation] ?? (situation === 'refused' ? own.check || undefined : ADVICE[situation]);
  return sentences(
    problem.kind !== 'unclear' && own.nothing,
    advice,
    adviceOnCode(problem, situation, own),
    situation === 'refused' && mayBeAboutSender(problem, advice, own) && IF_ALL_ARE_REFUSED,
    own.unclear !== undefined && isElsewhere(problem) && "Check the credential's Base URL",
  );
}

/** Whether a refusal may be about key or request signature. No code is known to say so. */
function mayBeAboutSender(
  { codeMeaning }: Unanswered,
  advice: string | undefined,
  { isAboutSender = false }: OperationAdvice,
): boolean {
  if (isAboutSender) return false;
  // An operation with an empty advice knows that it is not.
  return advice === undefined || (advice !== '' && codeMeaning === 'other');
}

/** Whether an answer that may have done something seems to come from another address than the service's. */
function isElsewhere({ kind, httpStatus = 0, body, isRedirect }: Unanswered): boolean {
  const isPage = httpStatus >= 200 && httpStatus < 300 && body === undefined;
  return kind === 'unclear' && (isRedirect === true || isPage);
}

/** Which setting gave a code its meaning, or could give it one. Not if the HTTP status says more. */
function adviceOnCode(
  { kind, code, codeMeaning = 'none', httpStatus = 0 }: Unanswered,
  situation: Situation,
  { otherMeaning = OTHER_MEANING }: OperationAdvice,
): string | false {
  const mayDecide = ['refused', 'throttled', 'unclear'].includes(situation);
  const decides = httpStatus < 300 || codeMeaning === kind || situation === 'refused';
  if (!mayDecide || !decides || codeMeaning === 'none') return false;
  return codeMeaning === 'other'
    ? sentences(`Code ${code} is in no list of the credential`, otherMeaning)
    : `Code ${code} is among '${CODE_LISTS[codeMeaning].label}' of the credential`;
}

const { success, throttled, unclear } = CODE_LISTS;

/** What to do with a code in no list, if it means something else than the error says. */
export const OTHER_MEANING = `If it means something else, add it under '${CUSTOM_CODES}' to '${success.label}', '${throttled.label}' or '${unclear.label}'`;

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
