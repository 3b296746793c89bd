import { isSafeObjectProperty } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

/*
 * Paths into the item, as drag and drop writes them: `{{ $json.customer["mobile"] }}`. Where a path leads to
 * a text, a finite number or a boolean, every expression engine of n8n gives this value, so none is asked.
 */

/** Returns the value for the fields of an item. Undefined: only n8n's expression engine can give it. */
type ReadItem<T> = (json: IDataObject) => T;

type Scalar = string | number | boolean;

function converted<T, U>(
  read: ReadItem<T> | undefined,
  convert: (value: T) => U,
): ReadItem<U> | undefined {
  return read && ((json) => convert(read(json)));
}

/** The last `{{` of an expression may be open. Braces after an odd number of backslashes are text. */
const CODE = /(?<=(?:^|[^\\])(?:\\\\)*)\{\{([^]*?)(?:(?<=[^\\](?:\\\\)*)\}\}|$)/;

/** Divides an expression: `=a{{ b }}c` gives `a`, ` b ` and `c`. The codes are at the odd places. */
export function splitExpression(expression: string): string[] {
  return expression.slice(1).split(CODE);
}

/** What n8n does not take as it is written, wherever it is: a backslash, and `.constructor`. */
const SPECIAL = /\\|\.\s*constructor/;

/** `.name`, `[0]`, `["name"]` or `['name']`, with names that every version of n8n's parser knows. */
const STEP =
  /\.[A-Za-z_\u4e00-\u9fa5][\w\u4e00-\u9fa5]*|\[(?:0|[1-9]\d{0,8})\]|\["[^"{}\p{C}\u2028\u2029]*"\]|\['[^'{}\p{C}\u2028\u2029]*'\]/gu;

const PATH = new RegExp(`^\\s*\\$json((?:${STEP.source})+)\\s*$`, 'u');

/** A field of an item, of this node or an earlier one, as it is: `$('Orders').item.json.note`. */
const REFERENCE = new RegExp(
  `^\\s*\\$(?:json|input\\.item\\.json|\\(["'][^"']*["']\\)\\.(?:item|first\\(\\))\\.json)(?:\\??\\.?(?:${STEP.source}))+\\s*$`,
  'u',
);

/** Whether a code only names a field of an item, so that its value is as somebody entered it. */
export function isReference(code: string): boolean {
  return REFERENCE.test(code);
}

/** Whether a code stands alone, so that n8n gives its value as it is. Anything else gives text. */
export function isAlone(chunks: unknown[]): boolean {
  return chunks.length === 3 && chunks[0] === '' && chunks[2] === '';
}

/**
 * Compiles an expression of paths, alone or with text around them: `=+86{{ $json.phone }}`.
 *
 * @returns undefined for any other expression
 */
export function compileItemPaths(expression: string): ReadItem<Scalar | undefined> | undefined {
  return converted(
    compileChunks(expression),
    (chunks) => chunks && (isAlone(chunks) ? chunks[1] : chunks.join('')),
  );
}

/** Compiles an expression of paths to its chunks: where a code stands, its value. */
export function compileChunks(expression: string): ReadItem<Scalar[] | undefined> | undefined {
  const reads = splitExpression(expression).map((chunk, place) =>
    place % 2 === 0 ? () => chunk : compilePath(chunk),
  );
  const isOfPaths = reads.length > 1 && reads.every((read) => read !== undefined);
  if (!isOfPaths || SPECIAL.test(expression)) return undefined;
  return (json) => {
    const chunks: Scalar[] = [];
    for (const read of reads) {
      const value = read(json);
      if (value === undefined) return undefined;
      chunks.push(value);
    }
    return chunks;
  };
}

/** Compiles a single path. Undefined for any other code. */
function compilePath(code: string): ReadItem<Scalar | undefined> | undefined {
  return converted(compileSteps(code), (value) => (isScalar(value) ? value : undefined));
}

function compileSteps(code: string): ReadItem<unknown> | undefined {
  const names = PATH.exec(code)?.[1]?.match(STEP)?.map(nameIn);
  if (names === undefined || names.some(isSpecialName)) return undefined;
  return (json) => {
    let value: unknown = json;
    for (const name of names) {
      if (!isReadable(value, name)) return undefined;
      value = value[name];
    }
    return value;
  };
}

function nameIn(step: string): string {
  return step.replace(/^\.|^\[?["']?|["']?\]?$/g, '');
}

const QUOTED = `"[^"{}\\p{C}\\u2028\\u2029]*"|'[^'{}\\p{C}\\u2028\\u2029]*'`;

/** `name: $json.path` or `"name": "text"`, and what comes after it. */
const ENTRY = new RegExp(
  `\\s*([A-Za-z_]\\w*|${QUOTED})\\s*:\\s*(?:(${QUOTED})|(\\$json(?:${STEP.source})+))\\s*(?:,\\s*|$)`,
  'gu',
);

/**
 * Compiles a code that gives an object of texts and finite numbers: a path to one, or one that is written
 * with paths and texts: `{ code: $json.code, minutes: "5" }`, with or without round brackets.
 *
 * @returns undefined for any other code
 */
export function compileObject(code: string): ReadItem<IDataObject | undefined> | undefined {
  const read = SPECIAL.test(code) ? undefined : (compileSteps(code) ?? compileEntries(code));
  return converted(read, (value) => (isFlat(value) ? { ...value } : undefined));
}

function compileEntries(code: string): ReadItem<unknown> | undefined {
  const [, inBrackets, bare] = /^\s*(?:\(\s*\{([^]*)\}\s*\)|\{([^]*)\})\s*$/.exec(code) ?? [];
  const text = inBrackets ?? bare;
  if (text === undefined) return undefined;
  const entries = [...text.matchAll(ENTRY)];
  if (entries.map(([entry]) => entry).join('') !== text) return undefined;
  const reads = entries.map(([, name = '', constant, path = '']) => {
    const value = constant?.slice(1, -1);
    return [nameIn(name), value === undefined ? compileSteps(path) : () => value] as const;
  });
  if (reads.some(([name, read]) => read === undefined || isSpecialName(name))) return undefined;
  return (json) => Object.fromEntries(reads.map(([name, read]) => [name, read?.(json)]));
}

/** Whether a value is a plain object of texts and finite numbers. */
function isFlat(value: unknown): value is IDataObject {
  return (
    isReadable(value, '') &&
    !Array.isArray(value) &&
    Object.entries(value).every(
      ([name, each]) => !isSpecialName(name) && isScalar(each) && typeof each !== 'boolean',
    )
  );
}

/** Whether an engine refuses the name, or has something of its own under it, as older ones under `toString`. */
function isSpecialName(name: string): boolean {
  return !isSafeObjectProperty(name) || name in Object.prototype || name === 'globalThis';
}

/** Whether a value is a plain object, or an array of which an entry is asked for. */
function isReadable(value: unknown, name: string): value is IDataObject {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? Number.isInteger(Number(name)) : isPlainObject(value);
}

/** Whether an object was made by `{}`, in any realm, or has no prototype. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
