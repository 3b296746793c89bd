import { isSafeObjectProperty } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';

/*
 * Paths into the item, as drag and drop writes them: `{{ $json.customer["mobile"] }}`. Where a path leads to
 * a text, a finite number or a boolean, every expression engine of n8n gives this value, so none is asked.
 */

/** Returns the value for the fields of an item. Undefined: only n8n's expression engine can give it. */
export type ReadItem = (json: IDataObject) => Scalar | undefined;

type Scalar = string | number | boolean;

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

/**
 * Compiles an expression of paths, alone or with text around them: `=+86{{ $json.phone }}`.
 *
 * @returns undefined for any other expression
 */
export function compileItemPaths(expression: string): ReadItem | undefined {
  if (SPECIAL.test(expression)) return undefined;
  const parts = splitExpression(expression).map((part, place) =>
    place % 2 === 0 ? part : compilePath(part),
  );
  const [before, path, after, ...more] = parts;
  if (typeof path !== 'function' || parts.includes(undefined)) return undefined;
  // A single path without text gives the value that it leads to. Anything else gives text.
  if (before === '' && after === '' && more.length === 0) return path;
  return (json) => {
    let text = '';
    for (const part of parts) {
      const value = typeof part === 'function' ? part(json) : part;
      if (value === undefined) return undefined;
      text += String(value);
    }
    return text;
  };
}

function compilePath(code: string): ReadItem | undefined {
  const names = PATH.exec(code)?.[1]
    ?.match(STEP)
    ?.map((step) => step.replace(/^\.|^\[["']?|["']?\]$/g, ''));
  if (names === undefined || names.some(isSpecialName)) return undefined;
  return (json) => {
    let value: unknown = json;
    for (const name of names) {
      if (!isReadable(value, name)) return undefined;
      value = value[name];
    }
    return isScalar(value) ? value : undefined;
  };
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
