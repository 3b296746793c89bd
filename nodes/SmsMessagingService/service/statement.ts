import type { IDataObject } from 'n8n-workflow';
import { isObject } from './json';

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

const MOST_ARRAYS = 3;

/** The object that an answer is, or that is alone in an array. */
function withoutArrays(answer: unknown): IDataObject | undefined {
  let body = answer;
  for (let depth = 0; depth < MOST_ARRAYS; depth++) {
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

const LONGEST_WORDS = 300;

/**
 * What is kept of the service's words. Masks hexadecimal as long as X-Sign: a service that complains about
 * a request signature may quote it. Then cuts, so that no half of a secret stays.
 */
function readable(words: string): string {
  const masked = words.replace(/[\da-f]{64}/gi, '[hidden]');
  if (masked.length <= LONGEST_WORDS) return masked;
  // Not in the middle of a character that takes two places.
  return `${masked.slice(0, LONGEST_WORDS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * How the answer says that its request ended:
 *
 * - `done`: `code` is 0, and nothing contradicts it;
 * - `refused`: another `code`, or no `code` and words of failure;
 * - `contradictory`: `code` is 0 beside words of failure, or another beside words of success;
 * - `unsaid`: there is no `code`, as in some answers of the specification.
 */
export type Ending = 'done' | 'refused' | 'contradictory' | 'unsaid';

export function endingOf(body: unknown): Ending {
  const { code, msg } = readStatement(body);
  if (code === 0) return hasFailed(body) ? 'contradictory' : 'done';
  if (code === undefined) return hasFailed(body) ? 'refused' : 'unsaid';
  return isSuccessWord(msg) || isSuccessWord(code) ? 'contradictory' : 'refused';
}

/**
 * Whether an answer has words for the user, but neither `code` 0 nor a word of success. It may be a
 * refusal in a form that is not known, so it proves nothing.
 */
export function isDoubtful(body: unknown): boolean {
  const { code, msg } = readStatement(body);
  return code === undefined && msg !== undefined && !isSuccessWord(msg);
}

function isSuccessWord(text: unknown): boolean {
  return /^(?:ok|true|success(?:ful(?:ly)?)?|succeed(?:ed)?|(?:操作|提交|发送|请求|处理)?成功)[!.。!]?$/i.test(
    String(text ?? ''),
  );
}

/** Other names for `code`. A record has none of them. */
const OTHER_CODES = ['Code', 'errcode', 'err_code', 'errCode', 'error_code', 'errno', 'ret'];

/** Whether an answer says in another way than by its `code` that the request failed. */
function hasFailed(answer: unknown): boolean {
  const body = withoutArrays(answer);
  if (body === undefined || isRecord(body)) return false;
  const { success, ok = success, status, error, errors = error, data } = body;
  return (
    [success, ok].some((flag) => flag === false || flag === 'false') ||
    (typeof status === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(status)) ||
    isReason(errors) ||
    isReason(error) ||
    data === false ||
    OTHER_CODES.some((name) => /^-?0*[1-9]\d*$/.test(String(body[name]))) ||
    (isObject(data) &&
      !isRecord(data) &&
      readStatement(data).code !== undefined &&
      endingOf(data) === 'refused')
  );
}

function isRecord(value: unknown): value is IDataObject {
  return isObject(value) && 'id' in value;
}

function isReason(error: unknown): boolean {
  if (typeof error === 'string') return !/^\s*(?:|0|ok|no|none|null|success)\s*$/i.test(error);
  return typeof error === 'object' && error !== null && Object.keys(error).length > 0;
}
