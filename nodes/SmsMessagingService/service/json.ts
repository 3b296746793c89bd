import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object with named fields, so not an array or null. */
export function isObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A single value as text. Empty for an object: it may have a field `toString`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Reads a number of digits only, without sign, point or exponent. Undefined if the value is anything else. */
export function readDigits(value: unknown): number | undefined {
  const text = textOf(value);
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * Parses an object or array. Numbers that JavaScript cannot hold become text, and so do integers that are not
 * safe: all digits of one may be there, and yet no code can tell it from its neighbours. Control characters in
 * a text, which JSON wants escaped, are read as what they are.
 *
 * @returns undefined for any other text, and for JSON that is nested too deep
 */
export function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(escapeControls(keepDigits(text)));
    return isNested(value) && !isDeeper(value, MAX_JSON_NESTING) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Maximum nesting of lists and objects. Code that recurses into them, n8n's too, would fail on deeper ones. */
export const MAX_JSON_NESTING = 100;

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some((part) => isNested(part) && isDeeper(part, levels - 1));
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * The digits of a number that is too long for JavaScript, as a String object. Only `toJson` and
 * `canonicalJson` write it as a number.
 */
export class ExactNumber extends String {}

/** Marks the digits of a long number while JSON is written or read. No text of a user contains it. */
const MARK = randomUUID();

const MARKED = new RegExp(`"${MARK}([^"]+)"`, 'g');

/**
 * Parses JSON. Numbers that are too long for JavaScript become exact numbers.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseExactly(text: string): unknown {
  return parseMarked(keepDigits(text, MARK));
}

/**
 * Parses JSON. All numbers become exact numbers, with their digits as they are written.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseTokens(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!/[:[,]\s*-?\d/.test(text)) return value;
  return parseMarked(
    text.replace(JSON_TEXT_OR_NUMBER, (token) =>
      token.startsWith('"') ? token : `"${MARK}${token}"`,
    ),
  );
}

function parseMarked(text: string): unknown {
  return JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && part.startsWith(MARK)
      ? new ExactNumber(part.slice(MARK.length))
      : part,
  );
}

export function toJson(value: unknown): string {
  return writeJson(value, (part) => part);
}

/**
 * Like `toJson`, but sorts the names in each object, so objects with the same values under the same names
 * give the same text.
 */
export function canonicalJson(value: unknown): string {
  return writeJson(value, (part) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part,
  );
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

function writeJson(value: unknown, write: (part: unknown) => unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    part instanceof ExactNumber ? `${MARK}${part}` : write(part),
  );
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text;
}

/** An unterminated text matches too. Otherwise the search would start again at each of its characters. */
const JSON_TEXT_OR_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function escapeControls(json: string): string {
  if (json.search(CONTROL) < 0) return json;
  return json.replace(JSON_TEXT_OR_NUMBER, (token) =>
    token.replace(CONTROL, (control) => JSON.stringify(control).slice(1, -1)),
  );
}

/** Below the space, written without a control character of its own. */
const CONTROL = /[^ -\uffff]/g;

/** Turns numbers that are too long for JavaScript into text, so that no digit is lost. */
function keepDigits(json: string, mark = ''): string {
  if (!/[\d.]{16}|\d[eE][+-]?\d/.test(json)) return json;
  return json.replace(JSON_TEXT_OR_NUMBER, (token) =>
    token.startsWith('"') || isExact(token) ? token : `"${mark}${token}"`,
  );
}

/** In characters. No JavaScript number needs more. */
const MAX_NUMBER_LENGTH = 400;

/** Whether a JavaScript number can hold all the digits of this one, and is safe if it is an integer. */
function isExact(token: string): boolean {
  if (token.length > MAX_NUMBER_LENGTH) return false;
  const value = Number(token);
  const isSafe = Number.isSafeInteger(value) || !Number.isInteger(value);
  return isSafe && Number.isFinite(value) && digitsOf(token) === digitsOf(String(value));
}

/** A decimal number in canonical form: its digits without zeros around them, and its exponent. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const zeros = digits.length - significant.length;
  return `${sign}${significant}e${Number(exponent) - fraction.length + zeros}`;
}
