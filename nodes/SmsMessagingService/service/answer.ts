import type { IDataObject } from 'n8n-workflow';
import type { SecretMask } from './secrets';

/** What the service said, where it said something. Part of errors and of the outcome of a send. */
export interface ServiceStatement {
  code?: number | string;
  msg?: string;
  requestId?: string;
  httpStatus?: number;
}

/** Whether the service refused a request for what was in it, not for who sent it, or where to. */
export function refusesContent({ code, httpStatus }: ServiceStatement): boolean {
  return (httpStatus === 200 && code !== undefined) || httpStatus === 400 || httpStatus === 422;
}

/** The service answered and did what was asked. */
export interface Answered {
  kind: 'answered';
  body: unknown;
}

/**
 * Why a request did not bring a usable answer. What matters most is whether it may have taken effect:
 *
 * - `refused`: the service said no (a `code` other than 0, or an HTTP 4xx); it did nothing;
 * - `throttled`: HTTP 429; it did nothing, and asks to wait;
 * - `unreachable`: no connection was ever opened, so nothing was sent;
 * - `unclear`: anything else: the request may have taken effect.
 */
export interface Unanswered extends ServiceStatement {
  kind: 'refused' | 'throttled' | 'unreachable' | 'unclear';
  /** What happened, as a sentence without a final period. Free of secrets. */
  reason: string;
  /** The time was up before the answer came. */
  isTimeout?: boolean;
  /** Milliseconds the service asked to wait (Retry-After). */
  retryAfterMs?: number;
  /** What the service answered, where that was JSON, or as text the part of it that came. */
  body?: unknown;
}

export type Exchange = Answered | Unanswered;

/** A full answer, as n8n's request helpers give it. */
export interface RawAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  /** Text; where a helper took the liberty to parse it, what came of it. */
  body: unknown;
}

/**
 * Reads the business result of an answer (§7): `code` decides; absent or 0, as number or text, is
 * success, whatever the HTTP status. Without a readable `code` the HTTP status decides.
 *
 * A 5xx is `unclear` even with a `code` other than 0: something behind the gateway may have done the
 * work before it broke. So is JSON that was cut off: its `code` may have been 0.
 *
 * @param mask hides the credential's secrets, which the service may quote
 */
export function readAnswer(
  { statusCode, headers, body: raw }: RawAnswer,
  mask: SecretMask,
): Exchange {
  const text = (typeof raw === 'string' ? raw : JSON.stringify(raw ?? '')).trim();
  const parsed = parseJson(text);
  const body = mask.mayBeIn(text) ? mask.hide(parsed) : parsed;
  const statement: ServiceStatement = { ...readStatement(body), httpStatus: statusCode };
  const said = describeStatement(statement);
  const unanswered = (kind: Unanswered['kind'], reason: string): Unanswered => ({
    kind,
    reason,
    ...statement,
    // Half of an answer may hold half of the records.
    body: body ?? (isJsonLike(text) ? mask.hide(text, true) : undefined),
  });

  if (statement.code === 0) return { kind: 'answered', body };
  const isSuccess = statusCode >= 200 && statusCode < 300;
  if (body === undefined && (isSuccess || isJsonLike(text))) {
    return unanswered('unclear', describeUnreadable(text));
  }
  if (isSuccess) {
    return statement.code === undefined
      ? { kind: 'answered', body }
      : unanswered('refused', `The service refused the request${said}`);
  }
  if (statusCode === 429) {
    return {
      ...unanswered('throttled', `The service asks to slow down (HTTP 429)${said}`),
      retryAfterMs: readRetryAfter(headers['retry-after']),
    };
  }
  if (statusCode >= 400 && statusCode < 500 && statusCode !== 408) {
    const what = statusCode === 404 ? 'does not know this address' : 'refused the request';
    return unanswered('refused', `The service ${what} (HTTP ${statusCode})${said}`);
  }
  return unanswered(
    'unclear',
    statusCode >= 300 && statusCode < 400
      ? `The service redirected the request (HTTP ${statusCode}), which is not followed`
      : `The service could not complete the request (HTTP ${statusCode})${said}`,
  );
}

/** The sentence part that quotes the service: `: <msg> (code <code>)`, or nothing. */
function describeStatement({ code, msg }: ServiceStatement): string {
  const quoted = msg ? `: ${msg}` : '';
  return code === undefined || code === 0 ? quoted : `${quoted} (code ${code})`;
}

/** What the service says of itself in an answer (§7). */
export function readStatement(body: unknown): ServiceStatement {
  if (!isObject(body)) return {};
  const { code, msg } = body;
  return {
    ...(code === undefined || code === null ? {} : { code: readCode(code) }),
    ...(typeof msg === 'string' && msg !== '' ? { msg: redact(msg) } : {}),
    ...(typeof body.request_id === 'string' ? { requestId: redact(body.request_id) } : {}),
  };
}

/** `code` as a number where it is one; some gateways send it as text. */
function readCode(code: unknown): number | string {
  if (typeof code === 'number') return code;
  const text = typeof code === 'string' ? code.trim() : JSON.stringify(code);
  return /^-?\d+$/.test(text) ? Number(text) : redact(text);
}

/** A service that complains about a signature may quote it; hexadecimal of that length is masked. */
function redact(text: string): string {
  return text.replace(/[\da-f]{64}/gi, '[hidden]');
}

/** An object or array from JSON, long numbers in it as text; undefined for anything else. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(keepDigits(text));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const JSON_TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Makes text of whole numbers that are too long for a number of JavaScript: none of their digits is lost. */
function keepDigits(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  return json.replace(JSON_TEXT_OR_NUMBER, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}

function isJsonLike(text: string): boolean {
  return /^[{[]/.test(text);
}

/** Says what came instead of JSON, without quoting it: it may hold anything. */
function describeUnreadable(text: string): string {
  if (text === '') return 'The service sent an empty answer';
  if (text.startsWith('<')) return 'The service sent a web page instead of JSON';
  if (isJsonLike(text)) {
    return `The answer of the service is cut off or is not valid JSON (${text.length} characters)`;
  }
  return `The answer of the service is not a JSON object (${text.length} characters)`;
}

/** Retry-After as milliseconds: a number of seconds or an HTTP date. */
function readRetryAfter(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

export function isObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
