import type { IDataObject } from 'n8n-workflow';

/** Means that only n8n's expression engine can give the value. */
export const NOT_PLAIN = Symbol('not plain');

/** Paths into the item, and the texts before, between and after them. */
export type ItemExpression = (string | ItemPath)[];

/** Names, outermost first: `$json.customer["mobile"]` is `['customer', 'mobile']`. */
type ItemPath = readonly string[];

const PATH =
  /^[ \t\r\n]*\$json((?:\.[\p{L}_$][\p{L}\p{Nd}_$]*|\[(?:0|[1-9]\d{0,8})\]|\["[^"\\{}\p{Cc}\u2028\u2029]*"\]|\['[^'\\{}\p{Cc}\u2028\u2029]*'\])+)[ \t\r\n]*$/u;

const STEP = /\.([^.[]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/gu;

const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** Text that n8n does not take as it is written: a backslash that may escape, and `.constructor`. */
const SPECIAL_TEXT = /\\(?:[\\{}]|$)|\.\s*constructor/;

/** The parts of an expression: `=a{{ b }}c` has the texts `a` and `c`, and the code ` b `. */
export interface ExpressionParts {
  /** Before, between and after the codes: one more than there are codes. */
  texts: string[];
  /** As written, with escaped braces. */
  codes: string[];
}

/** Divides an expression as n8n does: one backslash before braces escapes them, two do not. */
export function splitExpression(expression: string): ExpressionParts {
  const parts: Record<'texts' | 'codes', string[]> = { texts: [], codes: [] };
  let open: 'texts' | 'codes' = 'texts';
  let start = 1;
  for (const { 0: token, 1: backslashes = '', index } of expression.matchAll(/(\\*)(?:{{|}})/g)) {
    const ends = token.endsWith('{{') ? 'texts' : 'codes';
    if (ends !== open || backslashes.length % 2 === 1) continue;
    parts[open].push(expression.slice(start, index + backslashes.length));
    start = index + token.length;
    open = open === 'texts' ? 'codes' : 'texts';
  }
  parts[open].push(expression.slice(start));
  if (open === 'codes') parts.texts.push('');
  return parts;
}

/** Whether n8n takes these texts as they are written. */
export function isPlainText(texts: string[]): boolean {
  return !texts.some((text) => SPECIAL_TEXT.test(text));
}

/**
 * Parses an expression of paths into the item, as drag and drop writes them, and texts around them:
 * `=+86{{ $json.phone }}` → `['+86', ['phone'], '']`.
 *
 * @returns undefined for any other expression
 */
export function parseItemExpression(expression: string): ItemExpression | undefined {
  const { texts, codes } = splitExpression(expression);
  const paths = codes.map(parsePath).filter((path) => path !== undefined);
  if (paths.length === 0 || paths.length < codes.length || !isPlainText(texts)) return undefined;
  // The value of a single path without text is what the path leads to. Any other value is text.
  if (paths.length === 1 && texts.join('') === '') return paths;
  return texts.flatMap((text, index) => [text, ...paths.slice(index, index + 1)]);
}

function parsePath(code: string): ItemPath | undefined {
  const path = PATH.exec(code)?.[1];
  if (path === undefined) return undefined;
  return [...path.matchAll(STEP)].map(
    ([, ...name]) => name.find((part) => part !== undefined) ?? '',
  );
}

/**
 * Returns the value of an expression for an item. Returns NOT_PLAIN if n8n's engine might give another value:
 *
 * - a path continues after a missing field, or into anything but plain objects and arrays;
 * - a path has a name that every object inherits;
 * - the value is anything but text, a number, a boolean, null, undefined, or a plain object or array;
 * - an object or array is part of a text.
 */
export function readItemExpression(json: IDataObject, expression: ItemExpression): unknown {
  const [only] = expression;
  if (expression.length === 1 && typeof only === 'object') return readPath(json, only);
  const texts = readItemParts(json, expression);
  return texts === undefined ? NOT_PLAIN : texts.join('');
}

/**
 * Returns the text of each entry of an expression with texts around its paths.
 *
 * @returns undefined if n8n's engine might give another text
 */
export function readItemParts(json: IDataObject, expression: ItemExpression): string[] | undefined {
  const texts: string[] = [];
  for (const part of expression) {
    const value = typeof part === 'string' ? part : readPath(json, part);
    if (value !== undefined && !isScalar(value)) return undefined;
    // n8n joins them in this way: undefined, null and NaN become no text.
    texts.push(value || value === 0 || value === false ? String(value) : '');
  }
  return texts;
}

function readPath(json: IDataObject, path: ItemPath): unknown {
  let value: unknown = json;
  for (const name of path) {
    if (name in Object.prototype) return NOT_PLAIN;
    if (Array.isArray(value) ? !ARRAY_INDEX.test(name) : !isPlainObject(value)) return NOT_PLAIN;
    const fields = value as Record<string, unknown>;
    value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  }
  return value === undefined || isPlain(value, MAX_NESTING) ? value : NOT_PLAIN;
}

/** Whether two values that `readItemExpression` returns are equal. */
export function isSamePlain(one: unknown, other: unknown): boolean {
  if (isScalar(one) || one === undefined) return Object.is(one, other);
  if (typeof other !== 'object' || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one as object);
  const otherNames = Object.keys(other);
  return (
    names.length === otherNames.length &&
    names.every(
      (name, index) =>
        name === otherNames[index] &&
        isSamePlain((one as IDataObject)[name], (other as IDataObject)[name]),
    )
  );
}

/** Levels of arrays and objects. Deeper values, such as those that contain themselves, are left to the engine. */
const MAX_NESTING = 20;

/** Names with a meaning in n8n's engines, and `toJSON`, which replaces the value. */
const SPECIAL_NAME = /^__|^toJSON$/;

function isPlain(value: unknown, nesting: number): boolean {
  if (isScalar(value)) return true;
  if (nesting === 0) return false;
  if (Array.isArray(value)) {
    // By index, since every() skips holes. An array must have no other properties than its entries.
    for (let index = 0; index < value.length; index++)
      if (!Object.hasOwn(value, index) || !isPlain(value[index], nesting - 1)) return false;
    return Reflect.ownKeys(value).length === value.length + 1;
  }
  if (!isPlainObject(value)) return false;
  return Reflect.ownKeys(value).every(
    (name) =>
      typeof name === 'string' &&
      !(name in Object.prototype) &&
      !SPECIAL_NAME.test(name) &&
      Object.prototype.propertyIsEnumerable.call(value, name) &&
      isPlain(value[name], nesting - 1),
  );
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  );
}

/** Whether a value is an object made by `{}`, in any realm, or one without prototype. */
function isPlainObject(value: unknown): value is IDataObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
