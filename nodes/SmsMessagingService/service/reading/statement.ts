import type { IDataObject } from 'n8n-workflow';
import { isObject, textOf } from '../json';
import { namesRecord } from './recordId';
import { meaningOfCode, USUAL_CODES } from './resultCodes';
import type { ResultCodes } from './resultCodes';
import { FAILED_WORD, isSuccessWord, meaningOfWords, saysFailure } from './words';

/** What an answer says about its request. Part of errors and of the outcome of a send. */
export interface ServiceStatement {
  code?: number | string;
  msg?: string;
  requestId?: string;
  httpStatus?: number;
}

/** The fields in which an answer says it. */
export const STATEMENT_FIELDS = ['code', 'msg', 'message', 'request_id'];

/**
 * Reads what an answer says about its request. It may say so inside arrays, because some lists of the
 * specification are in arrays.
 */
export function readStatement(answer: unknown): ServiceStatement {
  const body = withoutArrays(answer);
  if (body === undefined) return {};
  const { code, msg = body.message } = body;
  // In an array it may be a record that has a field `code` too.
  if (body !== answer && (code === undefined || msg === undefined)) return {};
  return {
    ...(code === undefined || code === null || code === '' ? {} : { code: readCode(code) }),
    ...(typeof msg === 'string' && msg !== '' ? { msg: readable(msg) } : {}),
    ...(typeof body.request_id === 'string' ? { requestId: readable(body.request_id) } : {}),
  };
}

const MAX_ARRAYS = 3;

/** The object that an answer is, or that is alone in an array. */
export function withoutArrays(answer: unknown): IDataObject | undefined {
  let body = answer;
  for (let depth = 0; depth < MAX_ARRAYS; depth++) {
    if (Array.isArray(body) && body.length === 1) [body] = body as unknown[];
  }
  return isObject(body) ? body : undefined;
}

/** `code` as a number where it is one. Some gateways send it as text. */
function readCode(code: unknown): number | string {
  if (typeof code === 'number') return code;
  const text = typeof code === 'string' ? code.trim() : JSON.stringify(code);
  return /^-?\d+$/.test(text) ? Number(text) : readable(text);
}

export const MAX_WORDS_LENGTH = 300;

/**
 * What is kept of the service's words. Masks hexadecimal as long as X-Sign: a service that complains about
 * a request signature may quote it. Then cuts, so that no half of a secret stays.
 */
function readable(words: string): string {
  const masked = words.replace(/[\da-f]{64}/gi, '[hidden]');
  if (masked.length <= MAX_WORDS_LENGTH) return masked;
  // Not in the middle of a character that takes two places.
  return `${masked.slice(0, MAX_WORDS_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The fields in which an answer may speak, also of its own result in words. */
const WORD_FIELD =
  /^(?:(?:sub|err|error|status|result|ret|return|resp|rsp)?_?(?:msg|message|desc|description|info|reason|detail|text|tips?)|message_cn|errors?|exception|cause|(?:err|error|sub)?_?code|status|state|result|data)$/i;

/** An error in an error. */
const WORDS_NESTING = 3;

/** What an answer says in words, one text for each field. A code may be a word too. */
export function wordsIn(answer: unknown): string[] {
  return textsIn(withoutArrays(answer), WORDS_NESTING);
}

function textsIn(value: unknown, nesting: number): string[] {
  if (typeof value === 'string') return /^[\s\d.-]*$/.test(value) ? [] : [value];
  if (typeof value !== 'object' || value === null || nesting === 0) return [];
  if (Array.isArray(value))
    return value.slice(0, 1).flatMap((entry) => textsIn(entry, nesting - 1));
  return Object.entries(value).flatMap(([name, field]) =>
    WORD_FIELD.test(name) && !(STATE.test(name) && isSuccessWord(field))
      ? textsIn(field, nesting - 1)
      : [],
  );
}

/** Some services write "ok" here in every answer. */
const STATE = /^(?:status|state|result)$/i;

/**
 * How the answer says that its request ended:
 *
 * - `done`: `code` is one of success, and nothing contradicts it;
 * - `refused`: another `code`, or no `code` and words of failure;
 * - `contradictory`: a `code` of success beside words of failure, or one that is not known or too fast
 *   beside words of success, also in part;
 * - `unsaid`: there is no `code`, as in some answers of the specification.
 */
export type Ending = 'done' | 'refused' | 'contradictory' | 'unsaid';

/** @param codes what the credential says of codes */
export function endingOf(body: unknown, codes: ResultCodes = USUAL_CODES): Ending {
  const { code } = readStatement(body);
  if (code === undefined) return hasFailed(body, codes) ? 'refused' : 'unsaid';
  const meaning = meaningOfCode(code, codes);
  if (meaning === 'success') return hasFailed(body, codes) ? 'contradictory' : 'done';
  if (meaning && meaning !== 'throttled') return 'refused';
  const saysSuccess = isSuccessWord(code) || meaningOfWords(wordsIn(body)) === 'success';
  return saysSuccess ? 'contradictory' : 'refused';
}

/** Whether an answer has a code. One that was taken has a code of success then. */
export function hasCode(answer: unknown): boolean {
  return readStatement(answer).code !== undefined;
}

/** Whether an answer that was taken says that its request was done: by a code, a flag or a word of success. */
export function saysDone(answer: unknown): boolean {
  const isYes = ([name, value]: [string, unknown]) =>
    (FLAG.test(name) && /^(?:true|yes|1)$/i.test(textOf(value))) ||
    (STATE.test(name) && isSuccessWord(value));
  const { code, msg } = readStatement(answer);
  const body = withoutArrays(answer) ?? {};
  return code !== undefined || isSuccessWord(msg) || Object.entries(body).some(isYes);
}

const FLAG = /^(?:(?:is_?)?(?:success|ok)|created|updated|deleted)$/i;

/**
 * Whether an answer has words for the user, and does not say that its request was done. It may be a
 * refusal in a form that is not known, so it proves nothing.
 */
export function isDoubtful(body: unknown): boolean {
  return readStatement(body).msg !== undefined && !saysDone(body);
}

/** Other names for `code`. A record has none of them. */
const OTHER_CODES = ['Code', 'errcode', 'err_code', 'errCode', 'error_code', 'errno', 'ret'];

/** Whether an answer says in another way than by its `code` that the request failed. */
function hasFailed(answer: unknown, codes: ResultCodes): boolean {
  const body = withoutArrays(answer);
  if (body === undefined || isRecord(body)) return false;
  const { success, ok = success, status, error, errors = error, data } = body;
  return (
    [success, ok].some((flag) => flag === false || flag === 'false') ||
    (typeof status === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(status)) ||
    isReason(errors) ||
    isReason(error) ||
    data === false ||
    OTHER_CODES.some((name) => /^-?0*[1-9]\d*$/.test(textOf(body[name]))) ||
    (isObject(data) &&
      !isRecord(data) &&
      readStatement(data).code !== undefined &&
      endingOf(data, codes) === 'refused')
  );
}

/** What may stand around what an answer is about. */
export const OUTER = /^(?:data|result|response|body)$/i;

/** Whether a field says that the request was not done, whatever the code says. */
export function isDenial(name: string, value: unknown, codes: ResultCodes): boolean {
  const text = textOf(value);
  if (/^(?:is_?)?(?:success|ok)$/i.test(name)) return isNo(text);
  if (/^(?:is_?)?fail(?:ed|ure)?$/i.test(name)) return text === 'true';
  if (ERROR_NAME.test(name)) return isErrorCode(text, codes);
  if (!/^(?:status|state|result|data|msg|message)$/i.test(name)) return false;
  return FAILED_WORD.test(text) || (/^m/i.test(name) && saysFailure(text));
}

/** The result by another name than `code`. */
const ERROR_NAME =
  /^(?:result|ret|return|resp|rsp|sub|err|error|biz)_?code$|^errno$|^err(?:or)?_?(?:msg|message)$/i;

const NO_ERROR = /^(?:[\s.-]*|0*|200|ok|no|none|null|false|n\/a|无|success|(?:操作)?成功)$/i;

function isErrorCode(text: string, codes: ResultCodes): boolean {
  const isFine = meaningOfCode(text, codes) === 'success' || meaningOfWords([text]) === 'success';
  return !NO_ERROR.test(text) && !isFine;
}

function isNo(text: string): boolean {
  return /^(?:false|no?|0)$/i.test(text);
}

/**
 * What an answer that was taken says against the change that it is about: the words of the service, or
 * else a field. Undefined if nothing does. Records in a list are not read: what is in them is their own.
 *
 * @param done the field in which such an answer may say whether it was done, such as `deleted`
 * @param codes what the credential says of codes
 */
export function objectionIn(
  answer: unknown,
  done: string,
  codes: ResultCodes = USUAL_CODES,
): string | undefined {
  const body = withoutArrays(answer) ?? {};
  const inner = Object.entries(body).flatMap(([name, value]) => (OUTER.test(name) ? [value] : []));
  const parts = [body, ...inner].filter(isObject);
  const against = parts.flatMap((part) => objectionsOf(part, done, codes));
  const [first] = against;
  if (first === undefined) return undefined;
  const [msg] = parts.flatMap((part) => readStatement(part).msg ?? []);
  if (msg !== undefined && !isSuccessWord(msg)) return msg;
  const [words] = against.flatMap(([name, value]) =>
    STATE.test(name) || isNo(textOf(value)) ? [] : textsIn(value, WORDS_NESTING),
  );
  const [name, value] = first;
  return readable(words ?? `'${name}' is ${textOf(value) || JSON.stringify(value)}`);
}

/** The fields that say that a change was not done. The status of a record is its own, as are its failures. */
function objectionsOf(part: IDataObject, done: string, codes: ResultCodes): [string, unknown][] {
  const isOwn = namesRecord(part);
  return Object.entries(part).filter(([name, value]) => {
    if (isOwn && /^(?:stat(?:us|e)|fail(?:ed|ures?)?)$/i.test(name)) return false;
    if (name === done) return isNo(textOf(value));
    if (OTHER_CODES.includes(name)) return isErrorCode(textOf(value), codes);
    const isFailure = /^(?:errors?|err|fail(?:ed|ures?)?)$/i.test(name);
    return isFailure ? isError(value) : isDenial(name, value, codes);
  });
}

function isError(error: unknown): boolean {
  return isReason(error) || error === true || (typeof error === 'number' && error !== 0);
}

function isRecord(value: unknown): value is IDataObject {
  return isObject(value) && 'id' in value;
}

function isReason(error: unknown): boolean {
  if (typeof error === 'string') return !NO_ERROR.test(error.trim());
  if (Array.isArray(error)) return error.length > 0;
  return isObject(error) && Object.values(error).some(isError);
}
