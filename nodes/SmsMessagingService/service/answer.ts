import { meaningOf } from './answerMeaning';
import type { AnswerMeaning, Purpose } from './answerMeaning';
import { parseJson, readDigits } from './json';
import { readBatch, showsBatch } from './messageBatch';
import type { MessageBatch } from './messageBatch';
import { meaningOfCode } from './resultCodes';
import type { CodeMeaning, ResultCodes } from './resultCodes';
import type { SecretMask } from './secrets';
import { insideSentence } from './sentences';
import { is2xx, readStatement } from './statement';
import type { ServiceStatement } from './statement';

/** The service answered, and did what was asked, if the shape of the answer fits. */
export interface Answered {
  kind: 'answered';
  body: unknown;
  /** All bytes of the answer, one character each (Latin-1), if some are none in its charset. */
  bytes?: string;
  /** Masks the API key, too. To be called with what was not understood. */
  hide?: <T>(value: T) => T;
  /** Whether an answer without any field says that nothing is waiting. */
  isNothingEmpty?: boolean;
}

/** A request without a usable answer. `unreachable`: no connection was opened, so nothing was sent. */
export interface Unanswered extends ServiceStatement, Pick<Answered, 'bytes' | 'hide'> {
  kind: Exclude<AnswerMeaning, 'done'> | 'unreachable';
  /** What happened, as a sentence without a final period. Free of secrets. */
  reason: string;
  /** The list of the credential that has the code. Undefined if no answer came. */
  codeMeaning?: CodeMeaning;
  /** Whether the service named another address. A refusal is then about the address. */
  isRedirect?: boolean;
  /** The protocol that the address speaks. The request was made with the other one. */
  needs?: 'http';
  /** How many milliseconds the service asked to wait (Retry-After, in seconds). */
  retryAfterMs?: number;
  /** The answer, if it was JSON; as text, if it is not JSON but may hold data. */
  body?: unknown;
  /** What it says about a batch: the ID is exact, also where it has the API key. */
  batch?: Pick<MessageBatch, 'batch_id' | 'batch_count'>;
}

export type Exchange = Answered | Unanswered;

export interface RawAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  /** Bytes, or what a helper has made of them: text, or the parsed value. */
  body: unknown;
}

export interface Reading {
  purpose: Purpose;
  /** Hides the secrets of the credential, which the service may quote. */
  mask: SecretMask;
  codes: ResultCodes;
}

/** Reads the business result of an answer, by the table of `answerMeaning.ts`. */
export function readAnswer(answer: RawAnswer, { purpose, mask, codes }: Reading): Exchange {
  const { statusCode: httpStatus, headers } = answer;
  // HTTP 204 has no content.
  const { text, bytes } = httpStatus === 204 ? { text: '' } : decode(answer);
  const body = mask.hide(text === '' ? {} : parseJson(text));
  const statement = { ...readStatement(body), httpStatus };
  const codeMeaning = meaningOfCode(statement.code, codes);
  const [means, sentence] = meaningOf({
    purpose,
    status: httpStatus,
    code: codeMeaning,
    others: codes.others,
    showsBatch: showsBatch(body),
    isJson: body !== undefined,
  });
  const hide = <T>(value: T) => mask.hideWords(value);
  const arrived = { body, bytes, hide };
  if (means === 'done') {
    const isNothingEmpty = codes.isNothingEmpty || httpStatus === 204;
    return { kind: 'answered', ...arrived, isNothingEmpty };
  }
  const { batch_id, batch_count } = readBatch(body);
  const problem: Unanswered = {
    kind: means,
    reason: sentence + describe(statement),
    ...statement,
    codeMeaning,
    ...arrived,
    // Beside a refusal of a pull there may be records.
    body: purpose === 'pull' ? body : hide(body),
    batch: { batch_id, batch_count },
    retryAfterMs: (readDigits(headers['retry-after']) ?? 0) * 1000 || undefined,
  };
  const whole = body === undefined ? noJson(problem, text, mask) : problem;
  const isRedirect = Math.floor(httpStatus / 100) === 3;
  return isRedirect ? redirected(whole, headers, mask) : whole;
}

/** The text of an answer, in the charset that it names or in UTF-8; and its bytes, if some are none in it. */
function decode({ headers, body }: RawAnswer): { text: string; bytes?: string } {
  if (!Buffer.isBuffer(body)) {
    return { text: (typeof body === 'string' ? body : (JSON.stringify(body) ?? '')).trim() };
  }
  const [, charset] =
    /charset\s*=\s*["']?([^\s"';,]+)/i.exec(String(headers['content-type'])) ?? [];
  try {
    // A stream: half a character at the end is no wrong byte, but where the answer was cut off.
    return { text: decoderOf(charset, { fatal: true }).decode(body, { stream: true }).trim() };
  } catch {
    return {
      text: decoderOf(charset).decode(body).trim(),
      bytes: body.toString('latin1'),
    };
  }
}

function decoderOf(charset?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
  try {
    return new TextDecoder(charset, options);
  } catch {
    return new TextDecoder('utf-8', options);
  }
}

/** Ends a sentence: ` (HTTP <status>): <msg> (code <code>)`, as far as there is something to say, once. */
function describe({ httpStatus = 0, code, msg = '' }: ServiceStatement): string {
  const words = insideSentence(msg);
  const shown = is2xx(httpStatus) ? undefined : httpStatus;
  return [
    shown !== undefined && ` (HTTP ${shown})`,
    words && `: ${words}`,
    code !== undefined && code !== shown && ` (code ${code})`,
  ]
    .filter(Boolean)
    .join('');
}

const MAX_TARGET_LENGTH = 200;

function redirected(
  problem: Unanswered,
  { location }: RawAnswer['headers'],
  mask: SecretMask,
): Unanswered {
  // Masked before it is taken apart and cut, or a part of a secret would stay.
  const [address = ''] = String(mask.hideWords(location) ?? '').split(/[?#]/);
  // Without user, password and query, which may hold anything.
  const target = address.replace(/\/\/[^/]*@/, '//').slice(0, MAX_TARGET_LENGTH);
  const reason = `The service redirects to ${target || 'another address'}, which is not followed`;
  return { ...problem, isRedirect: true, reason: reason + describe(problem) };
}

/** An answer that is not JSON. What may hold data, a part of JSON or a text, is kept for a person to read. */
function noJson(problem: Unanswered, text: string, mask: SecretMask): Unanswered {
  const isPage = /^<(?:!doctype|html|head|body)/i.test(text);
  const isJsonLike = /^[{[]/.test(text);
  const isExpected = is2xx(problem.httpStatus);
  const found = isPage
    ? 'The service sent a web page instead of JSON'
    : `The answer of the service is ${isJsonLike ? 'cut off or is not valid JSON' : 'not a JSON object'} (${text.length} characters)`;
  return {
    ...problem,
    reason: isExpected ? found : problem.reason,
    body: isJsonLike || (isExpected && !isPage) ? mask.hideWords(text) : undefined,
  };
}
