import { isTooDeep, MAX_JSON_NESTING, parseJson } from '../json';
import { meaningOfCode, USUAL_CODES } from './resultCodes';
import type { CodeMeaning, ResultCodes } from './resultCodes';
import type { SecretMask } from '../secrets';
import { insideSentence } from '../sentences';
import { endingOf, readStatement, wordsIn } from './statement';
import type { Ending, ServiceStatement } from './statement';
import { meaningOfWords } from './words';

/** Whether the service refused the content of a request, and not its sender or its address. */
export function refusesContent({ kind, code, httpStatus }: Unanswered): boolean {
  if (kind !== 'refused') return false;
  return (code !== undefined && isSuccess(httpStatus)) || httpStatus === 400 || httpStatus === 422;
}

/** The service answered and did what was asked. */
export interface Answered {
  kind: 'answered';
  body: unknown;
  /** What the credential says of codes, if it does. */
  codes?: ResultCodes;
}

/**
 * A request without a usable answer. The kinds differ in whether the request may have taken effect:
 *
 * - `refused`: the service said no and did nothing (a `code` that is not one of success, or HTTP 4xx,
 *   or a redirect to another address);
 * - `throttled`: the service did nothing and asks to wait (HTTP 429, or a `code` that means the same);
 * - `unreachable`: no connection was opened, so nothing was sent;
 * - `unclear`: anything else. The request may have taken effect.
 */
export interface Unanswered extends ServiceStatement {
  kind: 'refused' | 'throttled' | 'unreachable' | 'unclear';
  /** What happened, as a sentence without a final period. Free of secrets. */
  reason: string;
  /** The refusal says that there is nothing to pull. */
  isEmpty?: boolean;
  /** The answer did not come in time. */
  isTimeout?: boolean;
  /** The service named another address. A refusal is then about the address. */
  isRedirect?: boolean;
  /** The protocol that the address speaks. The request was made with the other one. */
  needs?: 'http' | 'https';
  /** How many milliseconds the service asked to wait (Retry-After). */
  retryAfterMs?: number;
  /** The answer, where it was JSON; or as text, where only a part of the JSON came or it is too deep. */
  body?: unknown;
  /** What the credential says of codes, if it does. */
  codes?: ResultCodes;
}

export type Exchange = Answered | Unanswered;

/** A full answer, as n8n's request helpers give it. */
export interface RawAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  /** Text, or the parsed value where a helper has parsed it. */
  body: unknown;
}

/**
 * Reads the business result of an answer. `code` decides: one of success, as number or text, is success
 * at any HTTP status. Any other code means what the credential says, or else what its words say. Without
 * a readable `code` the HTTP status decides.
 *
 * A 5xx is `unclear` whatever its words: the service may have done the work before it failed. JSON that
 * was cut off, or is too deep to be read, is `unclear` too: its `code` may have been 0.
 *
 * @param path of the request, under the Base URL
 * @param mask hides the credential's secrets, which the service may quote
 * @param codes what the credential says of codes
 */
export function readAnswer(
  { statusCode, headers, body: raw }: RawAnswer,
  path: string,
  mask: SecretMask,
  codes: ResultCodes = USUAL_CODES,
): Exchange {
  const text = (typeof raw === 'string' ? raw : JSON.stringify(raw ?? '')).trim();
  const parsed = isWebPage(text) ? undefined : parseJson(text);
  const body = mask.mayBeIn(text) ? mask.hide(parsed) : parsed;
  const statement: ServiceStatement = { ...readStatement(body), httpStatus: statusCode };
  const said = describeStatement(statement);
  const given = codes === USUAL_CODES ? {} : { codes };
  const answered = (value: unknown): Answered => ({ kind: 'answered', body: value, ...given });
  const unanswered = (kind: Unanswered['kind'], reason: string): Unanswered => ({
    kind,
    reason,
    ...statement,
    ...given,
    // A part of an answer may hold records, and so may one with other text around it.
    body: body ?? (mayHoldData(text, statusCode) ? mask.hideData(text) : undefined),
    ...(kind === 'throttled' ? { retryAfterMs: readRetryAfter(headers) } : {}),
  });

  if (statusCode === 204) return answered({});
  const ending = endingOf(body, codes);
  const listed = meaningOfCode(statement.code, codes);
  if (ending === 'done') return answered(body);
  if (ending === 'contradictory') {
    return unanswered('unclear', listed ? CONTRADICTION + said : describeUnknownCode(statement));
  }
  if (body === undefined && (isSuccess(statusCode) || isJsonLike(text))) {
    return unanswered('unclear', describeUnreadable(text));
  }
  if (ending === 'unsaid' && isSuccess(statusCode)) return answered(body);
  const meaning = listed ?? meaningBySaying(body, ending, statusCode);
  const status = isSuccess(statusCode) ? '' : ` (HTTP ${statusCode})`;
  const refusal = `The service refused the request${status}${said}`;
  if (meaning === 'empty') return { ...unanswered('refused', refusal), isEmpty: true };
  if (meaning === 'throttled' || (statusCode === 429 && meaning === undefined)) {
    return unanswered('throttled', `The service asks to slow down${status}${said}`);
  }
  if (meaning === 'unclear') return unanswered('unclear', UNSURE + status + said);
  if (isSuccess(statusCode)) return unanswered('refused', refusal);
  if (statusCode === 400 && HTTPS_ONLY.test(text)) {
    const reason =
      'The service speaks https at this address, and the Base URL says http (HTTP 400)';
    return { ...unanswered('refused', reason), needs: 'https' };
  }
  if (isRefusal(statusCode, statement)) {
    const unknown = `The service does not know this address${status}${said}`;
    return unanswered('refused', statusCode === 404 ? unknown : refusal);
  }
  if (statusCode >= 300 && statusCode < 400) {
    const target = redirectTarget(headers.location);
    // Masked before it is taken apart and cut, or a part of a secret would stay.
    const shown = redirectTarget(mask.hideWords(headers.location)).slice(0, MAX_TARGET_LENGTH);
    const where = shown || 'another address';
    const kind = isMoved(statusCode, target, path) ? 'refused' : 'unclear';
    const notFollowed = kind === 'unclear' ? ', which is not followed' : '';
    const reason = `The service redirects to ${where}${status}${notFollowed}${said}`;
    return { ...unanswered(kind, reason), isRedirect: true };
  }
  return unanswered('unclear', `The service could not complete the request${status}${said}`);
}

/** Whether the words of an answer count at an HTTP status. 401, 403 and 404 are about sender and address. */
function mayMean(httpStatus: number): boolean {
  if (isSuccess(httpStatus)) return true;
  return httpStatus >= 400 && httpStatus < 500 && ![401, 403, 404, 408].includes(httpStatus);
}

/** What the words of a refusal say of it, so that it is none of the service as such. */
function meaningBySaying(
  body: unknown,
  ending: Ending,
  httpStatus: number,
): Exclude<CodeMeaning, 'success'> | 'refused' | undefined {
  const meaning = meaningOfWords(wordsIn(body));
  // A proxy that repeats a request may get these words at any status.
  if (meaning === 'success' || meaning === 'repeated') return 'unclear';
  if (ending !== 'refused' || !mayMean(httpStatus)) return undefined;
  if (meaning === 'tooOften') return 'refused';
  // With this status, "busy" asks to slow down.
  return httpStatus === 429 && meaning === 'unclear' ? undefined : meaning;
}

/**
 * Whether an HTTP status says that nothing was done. 409 and 499 prove nothing by themselves: 409 may
 * follow what was done before, and 499 is of a proxy that no longer waited. A `code` beside them is the
 * service's own verdict, as it is with HTTP 200.
 */
function isRefusal(httpStatus: number, { code }: ServiceStatement): boolean {
  if (httpStatus === 409 || httpStatus === 499) return code !== undefined;
  return httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408;
}

const UNSURE = 'The service does not say whether it did what was asked';

/** What nginx, Apache and Go answer to plain http on a port that speaks https. */
const HTTPS_ONLY =
  /plain HTTP (?:request was sent )?to (?:an )?(?:HTTPS|SSL)|HTTP request to an HTTPS/i;

const CONTRADICTION =
  'The answer of the service contradicts itself: one part says success, another failure';

/** Beside words of success. */
function describeUnknownCode({ code, msg }: ServiceStatement): string {
  return `The service speaks of success${describeStatement({ msg })}. But code ${code} is not known as a success code (if it is one, enter it under 'Custom Result Codes' in the credential)`;
}

function isSuccess(httpStatus = 0): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

/**
 * Whether a redirect says that nothing was done here: 301, 307 and 308 name the address of the same
 * operation (RFC 9110, section 15.4). 302 often does too, but may also follow a request that was done,
 * as 303 does. It is taken for the former only where it leads to the same path.
 */
function isMoved(httpStatus: number, target: string, path: string): boolean {
  return [301, 307, 308].includes(httpStatus) || (httpStatus === 302 && target.endsWith(path));
}

/** The address in a Location header, without user, password and query, which may hold anything. */
function redirectTarget(location: unknown): string {
  const [address = ''] = typeof location === 'string' ? location.split(/[?#]/) : [];
  return address.replace(/\/\/[^/]*@/, '//');
}

const MAX_TARGET_LENGTH = 200;

/** Quotes the service inside a sentence: `: <msg> (code <code>)`, or nothing. */
function describeStatement({ code, msg = '' }: ServiceStatement): string {
  const words = insideSentence(msg);
  const quoted = words ? `: ${words}` : '';
  return code === undefined ? quoted : `${quoted} (code ${code})`;
}

function mayHoldData(text: string, httpStatus: number): boolean {
  return isJsonLike(text) || (isSuccess(httpStatus) && text !== '' && !isWebPage(text));
}

function isWebPage(text: string): boolean {
  return /^<(?:!doctype|html|head|body)/i.test(text);
}

function isJsonLike(text: string): boolean {
  return /^[{[]/.test(text);
}

/** Says what came instead of JSON. Does not quote it: it may hold anything. */
function describeUnreadable(text: string): string {
  if (text === '') return 'The service sent an empty answer';
  if (isWebPage(text)) return 'The service sent a web page instead of JSON';
  if (isTooDeep(text)) {
    return `The answer of the service has more than ${MAX_JSON_NESTING} lists or objects in each other (${text.length} characters)`;
  }
  if (isJsonLike(text)) {
    return `The answer of the service is cut off or is not valid JSON (${text.length} characters)`;
  }
  return `The answer of the service is not a JSON object (${text.length} characters)`;
}

/** Retry-After as milliseconds: a number of seconds or an HTTP date, by the clock of the service. */
function readRetryAfter(headers: Record<string, unknown>): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date)
    ? undefined
    : Math.max(0, date - (Date.parse(String(headers.date)) || Date.now()));
}
