import { parseJson } from '../json';
import { meaningOfCode, USUAL_CODES } from './resultCodes';
import type { CodeMeaning, ResultCodes } from './resultCodes';
import type { SecretMask } from '../secrets';
import { insideSentence } from '../sentences';
import { endingOf, readStatement, wordsIn } from './statement';
import type { Ending, ServiceStatement } from './statement';
import { meaningOfWords } from './words';

/** The service answered, and did what was asked. */
export interface Answered {
  kind: 'answered';
  body: unknown;
  /** What the credential says about codes, if anything. */
  codes?: ResultCodes;
}

/**
 * A request without a usable answer. The kinds differ in whether the request may have taken effect:
 *
 * - `refused`: the service said no and did nothing (a `code` that is not one of success, HTTP 4xx, or a
 *   redirect to another address);
 * - `throttled`: the service did nothing and asks to wait (HTTP 429, or a `code` that means the same);
 * - `unreachable`: no connection was opened, so nothing was sent;
 * - `unclear`: anything else. The request may have taken effect.
 */
export interface Unanswered extends ServiceStatement {
  kind: 'refused' | 'throttled' | 'unreachable' | 'unclear';
  /** What happened, as a sentence without a final period. Free of secrets. */
  reason: string;
  /** Whether the refusal says that there is nothing to pull. */
  isEmpty?: boolean;
  /** Whether the answer did not come in time. */
  isTimeout?: boolean;
  /** Whether the service named another address. A refusal is then about the address. */
  isRedirect?: boolean;
  /** The protocol that the address speaks. The request was made with the other one. */
  needs?: 'http' | 'https';
  /** How many milliseconds the service asked to wait (Retry-After). */
  retryAfterMs?: number;
  /** The answer, if it was JSON; as text, if only a part of the JSON came or it is too deep. */
  body?: unknown;
  /** What the credential says about codes, if anything. */
  codes?: ResultCodes;
}

export type Exchange = Answered | Unanswered;

/** A full answer, as n8n's request helpers give it. */
export interface RawAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  /** Text, or the parsed value if a helper has parsed it. */
  body: unknown;
}

/**
 * Reads the business result of an answer. A `code` of success, as number or text, is success at any HTTP
 * status. Any other code means what the credential says about it, or else what the words of the answer
 * mean. Without a readable `code`, the HTTP status decides.
 *
 * A 5xx is `unclear` whatever its words are: the service may have done the work before it failed. JSON that
 * is cut off, or too deep to be read, is `unclear` too: its `code` may have been 0.
 *
 * @param path of the request, under the Base URL
 * @param mask hides the credential's secrets, which the service may quote
 * @param codes what the credential says about codes
 */
export function readAnswer(
  answer: RawAnswer,
  path: string,
  mask: SecretMask,
  codes: ResultCodes = USUAL_CODES,
): Exchange {
  const facts = factsOf(answer, path, mask, codes);
  const { body, text, is2xx, statement } = facts;
  const [, conclude = incomplete] = RULES.find(([applies]) => applies(facts)) ?? [];
  const verdict: Verdict = conclude(facts);
  const given = codes === USUAL_CODES ? {} : { codes };
  if (verdict.kind === 'answered') return { kind: 'answered', body, ...given };
  return {
    ...verdict,
    ...statement,
    ...given,
    // A part of an answer may hold records, and so may one with other text around it.
    body: body ?? (mayHoldData(text, is2xx) ? mask.hideData(text) : undefined),
    ...(verdict.kind === 'throttled' ? { retryAfterMs: readRetryAfter(answer.headers) } : {}),
  };
}

/** Whether the service refused the content of a request, not its sender or its address. */
export function refusesContent({ kind, code, httpStatus }: Unanswered): boolean {
  if (kind !== 'refused') return false;
  return (
    (code !== undefined && familyOf(httpStatus) === 2) || httpStatus === 400 || httpStatus === 422
  );
}

type Facts = ReturnType<typeof factsOf>;

/** What an answer shows. The rules decide by it. */
function factsOf(
  { statusCode: httpStatus, headers, body: raw }: RawAnswer,
  path: string,
  mask: SecretMask,
  codes: ResultCodes,
) {
  const text = (typeof raw === 'string' ? raw : JSON.stringify(raw ?? '')).trim();
  // HTTP 204 has no content.
  const parsed = httpStatus === 204 ? {} : isWebPage(text) ? undefined : parseJson(text);
  const body = mask.hide(parsed);
  const statement: ServiceStatement = { ...readStatement(body), httpStatus };
  const ending = endingOf(body, codes);
  const listed = meaningOfCode(statement.code, codes);
  const is2xx = familyOf(httpStatus) === 2;
  const meaning = listed ?? meaningBySaying(body, ending, httpStatus);
  return {
    httpStatus,
    is2xx,
    location: headers.location,
    path,
    mask,
    text,
    body,
    statement,
    ending,
    listed,
    meaning,
    // A code without a meaning is a refusal anyway.
    hasMeaning: meaning !== undefined && meaning !== 'refused',
    // For the texts of reasons.
    status: is2xx ? '' : ` (HTTP ${httpStatus})`,
    said: describeStatement(statement),
  };
}

/** What a rule concludes. The statement and the body of the answer are added to it. */
type Verdict = Pick<Answered, 'kind'> | Unanswered;

type Rule = [applies: (facts: Facts) => boolean, conclude: (facts: Facts) => Verdict];

/** A verdict whose reason ends with the HTTP status and the words of the service. */
const because =
  (kind: Unanswered['kind'], reason: string) =>
  ({ status, said }: Facts) => ({ kind, reason: reason + status + said });

const answered = () => ({ kind: 'answered' as const });
const refused = because('refused', 'The service refused the request');
const throttled = because('throttled', 'The service asks to slow down');
const unsure = because('unclear', 'The service does not say whether it did what was asked');
const unknownAddress = because('refused', 'The service does not know this address');
const incomplete = because('unclear', 'The service could not complete the request');

/** The first rule that applies decides. */
const RULES: Rule[] = [
  // The specification: code 0, no code as in its lists, and any other code.
  [({ ending }) => ending === 'done', answered],
  [({ ending, is2xx, body }) => ending === 'unsaid' && is2xx && body !== undefined, answered],
  [({ ending, is2xx, hasMeaning }) => ending === 'refused' && is2xx && !hasMeaning, refused],
  // Success and failure in one answer, or no JSON.
  [({ ending }) => ending === 'contradictory', contradicted],
  [({ body, is2xx, text }) => body === undefined && (is2xx || isJsonLike(text)), unread],
  // What the credential says about the code, or else what the words mean.
  [({ meaning }) => meaning === 'empty', (facts) => ({ ...refused(facts), isEmpty: true })],
  [({ meaning }) => meaning === 'throttled', throttled],
  [({ meaning }) => meaning === 'unclear', unsure],
  // The HTTP status.
  [({ httpStatus, meaning }) => httpStatus === 429 && meaning === undefined, throttled],
  [({ httpStatus, text }) => httpStatus === 400 && HTTPS_ONLY.test(text), needsHttps],
  [({ httpStatus }) => httpStatus === 404, unknownAddress],
  [isRefusedByStatus, refused],
  [({ httpStatus }) => familyOf(httpStatus) === 3, redirected],
];

function contradicted({ listed, said, statement }: Facts): Verdict {
  const reason = listed ? CONTRADICTION + said : describeUnknownCode(statement);
  return { kind: 'unclear', reason };
}

function unread({ text }: Facts): Verdict {
  return { kind: 'unclear', reason: describeUnreadable(text) };
}

function needsHttps(): Verdict {
  const reason = 'The service speaks https at this address, and the Base URL says http (HTTP 400)';
  return { kind: 'refused', reason, needs: 'https' };
}

function redirected({ httpStatus, status, said, location, path, mask }: Facts): Verdict {
  // Masked before it is taken apart and cut, or a part of a secret would stay.
  const shown = addressIn(mask.hideWords(location)).slice(0, MAX_TARGET_LENGTH);
  const isElsewhere = isMoved(httpStatus, addressIn(location), path);
  const notFollowed = isElsewhere ? '' : ', which is not followed';
  return {
    kind: isElsewhere ? 'refused' : 'unclear',
    reason: `The service redirects to ${shown || 'another address'}${status}${notFollowed}${said}`,
    isRedirect: true,
  };
}

/** What the words of an answer mean, if the credential says nothing about its code. */
function meaningBySaying(
  body: unknown,
  ending: Ending,
  httpStatus: number,
): CodeMeaning | 'refused' | undefined {
  // Such an answer, for instance a list, is settled without its words, which take long to read.
  if (ending === 'unsaid' && familyOf(httpStatus) === 2) return undefined;
  const meaning = meaningOfWords(wordsIn(body));
  // A proxy that repeats a request may get these words at any status.
  if (meaning === 'success' || meaning === 'repeated') return 'unclear';
  if (ending !== 'refused' || !doWordsCount(httpStatus)) return undefined;
  if (meaning === 'tooOften') return 'refused';
  // With this status, "busy" asks to slow down.
  return httpStatus === 429 && meaning === 'unclear' ? undefined : meaning;
}

/** Whether words count at this status. 401, 403 and 404 are about sender and address, 408 is from a proxy. */
function doWordsCount(httpStatus: number): boolean {
  return [2, 4].includes(familyOf(httpStatus)) && ![401, 403, 404, 408].includes(httpStatus);
}

/**
 * Whether an HTTP status says that nothing was done. 409 and 499 prove nothing by themselves: 409 may
 * follow what was done before, and 499 comes from a proxy that stopped waiting. A `code` beside them is
 * the service's own verdict, as it is with HTTP 200.
 */
function isRefusedByStatus({ httpStatus, statement }: Facts): boolean {
  if (httpStatus === 409 || httpStatus === 499) return statement.code !== undefined;
  return familyOf(httpStatus) === 4 && httpStatus !== 408;
}

/** What nginx, Apache and Go answer if a port for https gets plain http. */
const HTTPS_ONLY =
  /plain HTTP (?:request was sent )?to (?:an )?(?:HTTPS|SSL)|HTTP request to an HTTPS/i;

const CONTRADICTION =
  'The answer of the service contradicts itself: one part says success, another failure';

/** The reason for an unknown code beside words of success. */
function describeUnknownCode({ code, msg }: ServiceStatement): string {
  return `The service speaks of success${describeStatement({ msg })}. But code ${code} is not known as a success code (if it is one, enter it under 'Custom Result Codes' in the credential)`;
}

/** 2 for HTTP 2xx, 4 for HTTP 4xx. */
function familyOf(httpStatus = 0): number {
  return Math.floor(httpStatus / 100);
}

/**
 * Whether a redirect says that nothing was done here: 301, 307 and 308 name the address of the same
 * operation (RFC 9110, section 15.4). 302 often does too, but may also follow a request that was done,
 * as 303 does. It counts as the same operation only if it leads to the same path.
 */
function isMoved(httpStatus: number, target: string, path: string): boolean {
  return [301, 307, 308].includes(httpStatus) || (httpStatus === 302 && target.endsWith(path));
}

/** The address in a Location header, without user, password and query, which may hold anything. */
function addressIn(location: unknown): string {
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

function mayHoldData(text: string, is2xx: boolean): boolean {
  return isJsonLike(text) || (is2xx && text !== '' && !isWebPage(text));
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
