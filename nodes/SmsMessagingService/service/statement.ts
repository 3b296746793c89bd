import type { IDataObject } from 'n8n-workflow';
import { isObject, textOf } from './json';

/** What an answer says about its request. Part of errors and of the outcome of a send. */
export interface ServiceStatement {
  code?: number | string;
  msg?: string;
  requestId?: string;
  httpStatus?: number;
}

/** The fields that say it, in words that errors quote. All other fields hold data. */
export const STATEMENT_FIELDS = ['code', 'msg', 'message', 'request_id'];

/**
 * Reads what an answer says about its request. Its words, which some services have under `message`, are for
 * the user, and are never interpreted.
 */
export function readStatement(answer: unknown): ServiceStatement {
  const { code, msg, message, request_id } = outerObject(answer) ?? {};
  return {
    code: readCode(code),
    msg: readText(msg) ?? readText(message),
    requestId: shown(textOf(request_id)) || undefined,
  };
}

export function is2xx(httpStatus = 0): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

export function hasCode(answer: unknown): boolean {
  return readStatement(answer).code !== undefined;
}

/** The documented lists are in two arrays. */
const MAX_ARRAYS = 3;

/**
 * The object that is the answer: the answer itself, or the only object in nested arrays if it has `code` and
 * `msg`. Any other object in an array is a record, which may have a field `code` too.
 */
export function outerObject(answer: unknown): IDataObject | undefined {
  if (isObject(answer)) return answer;
  let inner = answer;
  for (let depth = 0; depth < MAX_ARRAYS && Array.isArray(inner) && inner.length === 1; depth++) {
    [inner] = inner as unknown[];
  }
  return isObject(inner) && ['code', 'msg'].every((name) => Object.hasOwn(inner, name))
    ? inner
    : undefined;
}

/** A code is a number or a text. An empty one is none. */
function readCode(code: unknown): number | string | undefined {
  if (typeof code === 'number') return code;
  const text = typeof code === 'string' ? code.trim() : '';
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  return text === '' ? undefined : shown(text);
}

function readText(text: unknown): string | undefined {
  return typeof text === 'string' ? shown(text.trim()) || undefined : undefined;
}

export const MAX_WORDS_LENGTH = 300;

/** What stands in place of a secret. */
export const HIDDEN = '[hidden]';

/** Words as they are shown. A service may quote the request signature that it expected. */
function shown(words: string): string {
  // Masked before they are cut, so that no half of a signature stays.
  const masked = words.replace(/[\da-f]{64}/gi, HIDDEN);
  if (masked.length <= MAX_WORDS_LENGTH) return masked;
  // Not in the middle of a character that takes two places.
  return `${masked.slice(0, MAX_WORDS_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
