import type { IDataObject } from 'n8n-workflow';
import { isObject, textOf } from '../json';
import { namesRecord } from './recordId';
import { meaningOfCode, USUAL_CODES } from './resultCodes';
import type { ResultCodes } from './resultCodes';
import { visit } from './visit';
import type { Visitor } from './visit';
import { isFailedWord, isSuccessWord, meaningOfWords, saysFailure } from './words';

/** What an answer says about its request. Part of errors and of the outcome of a send. */
export interface ServiceStatement {
  code?: number | string;
  msg?: string;
  requestId?: string;
  httpStatus?: number;
}

/** The fields that say it. */
export const STATEMENT_FIELDS = ['code', 'msg', 'message', 'request_id'];

/**
 * Reads what an answer says about its request. It may say so inside arrays, because some lists of the
 * specification are in arrays.
 */
export function readStatement(answer: unknown): ServiceStatement {
  const body = withoutArrays(answer) ?? {};
  const { code, msg = body.message, request_id } = body;
  // In an array, it may be a record that also has a field `code`.
  if (body !== answer && (code === undefined || msg === undefined)) return {};
  return { code: readCode(code), msg: readText(msg) || undefined, requestId: readText(request_id) };
}

const MAX_ARRAYS = 3;

/** The answer if it is an object, or the only object in an array. */
export function withoutArrays(answer: unknown): IDataObject | undefined {
  let body = answer;
  for (let depth = 0; depth < MAX_ARRAYS; depth++) {
    if (Array.isArray(body) && body.length === 1) [body] = body as unknown[];
  }
  return isObject(body) ? body : undefined;
}

/** `code` as a number if it is one. Some gateways send it as text. */
function readCode(code: unknown): number | string | undefined {
  if (code === undefined || code === null || code === '') return undefined;
  if (typeof code === 'number') return code;
  const text = typeof code === 'string' ? code.trim() : JSON.stringify(code);
  return /^-?\d+$/.test(text) ? Number(text) : readable(text);
}

function readText(text: unknown): string | undefined {
  return typeof text === 'string' ? readable(text) : undefined;
}

export const MAX_WORDS_LENGTH = 300;

/**
 * Makes the service's words fit to be shown. Masks hexadecimal as long as X-Sign, because a service that
 * complains about a request signature may quote it. Then cuts, so that no half of a secret stays.
 */
function readable(words: string): string {
  const masked = words.replace(/[\da-f]{64}/gi, '[hidden]');
  if (masked.length <= MAX_WORDS_LENGTH) return masked;
  // Not in the middle of a character that takes two places.
  return `${masked.slice(0, MAX_WORDS_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Fields that may hold words, or the result as a word. */
const WORD_FIELD =
  /^(?:(?:sub|err|error|status|result|ret|return|resp|rsp)?_?(?:msg|message|desc|description|info|reason|detail|text|tips?)|message_cn|errors?|exception|cause|(?:err|error|sub)?_?code|status|state|result|data)$/i;

/** An error may be inside an error. */
const MAX_WORDS_NESTING = 3;

/** The words of an answer, one text for each field. A code may be a word too. */
export function wordsIn(answer: unknown): string[] {
  return textsIn(withoutArrays(answer));
}

function textsIn(value: unknown): string[] {
  return visit(value, TEXTS, null, MAX_WORDS_NESTING);
}

const TEXTS: Visitor<string[], null> = {
  object: (value, inside) =>
    Object.entries(value).flatMap(([name, field]) =>
      WORD_FIELD.test(name) && !(STATE.test(name) && isSuccessWord(field))
        ? inside(field, null)
        : [],
    ),
  list: (values, inside) => values.slice(0, 1).flatMap((value) => inside(value, null)),
  leaf: (value) => (typeof value === 'string' && !/^[\s\d.-]*$/.test(value) ? [value] : []),
};

/**
 * How the answer says that its request ended:
 *
 * - `done`: `code` is one of success, and nothing contradicts it;
 * - `refused`: another `code`, or no `code` and words of failure;
 * - `contradictory`: a `code` of success beside words of failure, or beside words of success or partial
 *   success a `code` that is unknown or means "too fast";
 * - `unsaid`: there is no `code`, as in some answers of the specification.
 */
export type Ending = 'done' | 'refused' | 'contradictory' | 'unsaid';

/** @param codes what the credential says about codes */
export function endingOf(body: unknown, codes: ResultCodes = USUAL_CODES): Ending {
  const { code } = readStatement(body);
  if (code === undefined) return hasFailed(body, codes) ? 'refused' : 'unsaid';
  const meaning = meaningOfCode(code, codes);
  if (meaning === 'success') return hasFailed(body, codes) ? 'contradictory' : 'done';
  // The credential says that nothing was done, or that nobody knows: words do not change that.
  if (meaning === 'empty' || meaning === 'unclear') return 'refused';
  const saysSuccess = isSuccessWord(code) || meaningOfWords(wordsIn(body)) === 'success';
  return saysSuccess ? 'contradictory' : 'refused';
}

/** Whether an answer has a code. In an accepted answer it is one of success. */
export function hasCode(answer: unknown): boolean {
  return readStatement(answer).code !== undefined;
}

/** Whether an accepted answer says that its request was done: by a code, a flag or a word of success. */
export function saysDone(answer: unknown): boolean {
  const { code, msg } = readStatement(answer);
  return (
    code !== undefined ||
    isSuccessWord(msg) ||
    Object.entries(withoutArrays(answer) ?? {}).some((field) => isSign(SUCCESSES, field))
  );
}

/**
 * Whether an answer has words for the user, and does not say that its request was done. It may be a
 * refusal in a form that is not known, so it proves nothing.
 */
export function isDoubtful(body: unknown): boolean {
  return readStatement(body).msg !== undefined && !saysDone(body);
}

/** Names of fields, and the values under them that say how the request ended. */
type Signs = [names: RegExp, says: (value: unknown, codes: ResultCodes) => boolean][];

function isSign(
  signs: Signs,
  [name, value]: [name: string, value: unknown],
  codes: ResultCodes = USUAL_CODES,
): boolean {
  return signs.some(([names, says]) => names.test(name) && says(value, codes));
}

const matches = (pattern: RegExp) => (value: unknown) => pattern.test(textOf(value));

const isYes = matches(/^(?:true|yes|1)$/i);
const isNo = matches(/^(?:false|no?|0)$/i);

/** Whether a value is a whole number, as number or text, and not 0. */
export const isOtherThanZero = matches(/^-?0*[1-9]\d*$/);

const FLAG = /^(?:is_?)?(?:success|ok)$/i;

/** Some services write "ok" here in every answer. */
export const STATE = /^(?:status|state|result)$/i;

/** Other names for `code`. A record has none of them. */
const OTHER_CODE = /^(?:Code|errcode|err_code|errCode|error_code|errno|ret)$/;

const SUCCESSES: Signs = [
  [FLAG, isYes],
  [/^(?:created|updated|deleted)$/i, isYes],
  [STATE, isSuccessWord],
];

/** In any answer. Its fields may be data, so fewer names and values count than in `DENIALS` below. */
const FAILURES: Signs = [
  [/^(?:success|ok)$/, (flag) => flag === false || flag === 'false'],
  // Not every word of failure: a template may be rejected.
  [/^status$/, (word) => typeof word === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(word)],
  [/^errors?$/, isReason],
  [OTHER_CODE, isOtherThanZero],
  [/^data$/, (data, codes) => data === false || isRefusedPart(data, codes)],
];

/** In an answer to a send or a change. In other answers these fields may be data. */
const DENIALS: Signs = [
  [FLAG, isNo],
  [/^(?:is_?)?fail(?:ed|ure)?$/i, matches(/^true$/)],
  [/^(?:result|ret|return|resp|rsp|sub|err|error|biz)_?code$|^errno$/i, isErrorCode],
  [/^err(?:or)?_?(?:msg|message)$/i, isErrorCode],
  [STATE, isFailedWord],
  [/^data$/i, isFailedWord],
  [/^(?:msg|message)$/i, (words) => isFailedWord(words) || saysFailure(textOf(words))],
];

/** In an answer to a change. An answer to a send may count failed messages in some of them. */
const OBJECTIONS: Signs = [
  ...DENIALS,
  [OTHER_CODE, isErrorCode],
  [/^(?:errors?|err|fail(?:ed|ures?)?)$/i, isError],
];

/** Fields that a record may have. They are not about its change. */
const OF_RECORD = /^(?:stat(?:us|e)|fail(?:ed|ures?)?)$/i;

/** Whether an answer says in another way than by its `code` that the request failed. */
function hasFailed(answer: unknown, codes: ResultCodes): boolean {
  const body = withoutArrays(answer) ?? {};
  return !('id' in body) && Object.entries(body).some((field) => isSign(FAILURES, field, codes));
}

/** What may be around the subject of an answer. */
export const OUTER = /^(?:data|result|response|body)$/i;

/** Whether a field says that the request was not done, whatever the code says. */
export function isDenial(name: string, value: unknown, codes: ResultCodes): boolean {
  return isSign(DENIALS, [name, value], codes);
}

/** Whether a value inside an answer has a code of its own, and not one of success. */
function isRefusedPart(value: unknown, codes: ResultCodes): boolean {
  const isAnswer = isObject(value) && !('id' in value) && hasCode(value);
  return isAnswer && endingOf(value, codes) === 'refused';
}

const NO_ERROR = /^(?:[\s.-]*|0*|200|ok|no|none|null|false|n\/a|无|success|(?:操作)?成功)$/i;

function isErrorCode(value: unknown, codes: ResultCodes): boolean {
  const text = textOf(value);
  const isFine = meaningOfCode(text, codes) === 'success' || meaningOfWords([text]) === 'success';
  return !NO_ERROR.test(text) && !isFine;
}

/**
 * Finds what an accepted answer says against its own change: the words of the service, or else a field.
 * Undefined if nothing does. Records in a list are not read, because their fields are about themselves.
 *
 * @param done the field in which such an answer may say whether it was done, such as `deleted`
 * @param codes what the credential says about codes
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
    STATE.test(name) || isNo(value) ? [] : textsIn(value),
  );
  const [name, value] = first;
  return readable(words ?? `'${name}' is ${textOf(value) || JSON.stringify(value)}`);
}

/** The fields that say that a change was not done. */
function objectionsOf(part: IDataObject, done: string, codes: ResultCodes): [string, unknown][] {
  const isOwn = (name: string) => OF_RECORD.test(name) && namesRecord(part);
  return Object.entries(part).filter(
    ([name, value]) =>
      !isOwn(name) && (name === done ? isNo(value) : isSign(OBJECTIONS, [name, value], codes)),
  );
}

function isError(error: unknown): boolean {
  return isReason(error) || error === true || (typeof error === 'number' && error !== 0);
}

function isReason(error: unknown): boolean {
  if (typeof error === 'string') return !NO_ERROR.test(error.trim());
  if (Array.isArray(error)) return error.length > 0;
  return isObject(error) && Object.values(error).some(isError);
}
