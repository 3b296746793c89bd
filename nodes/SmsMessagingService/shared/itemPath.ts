import type { IDataObject } from 'n8n-workflow';

/** Stands for a value that only n8n's expression engine can be trusted with. */
export const NOT_PLAIN = Symbol('not plain');

const PATH =
  /^=\{\{[ \t\r\n]*\$json((?:\.[\p{L}_$][\p{L}\p{Nd}_$]*|\[(?:0|[1-9]\d{0,8})\]|\["[^"\\{}\p{Cc}\u2028\u2029]*"\]|\['[^'\\{}\p{Cc}\u2028\u2029]*'\])+)[ \t\r\n]*\}\}$/u;

const STEP = /\.([^.[]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/gu;

const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/;

/**
 * The names in an expression that is nothing but a path into the item, as drag and drop writes it:
 * `={{ $json.customer["mobile"] }}` → `['customer', 'mobile']`. Undefined for any other expression,
 * also for text around a path, which makes the value text.
 */
export function parseItemPath(expression: string): string[] | undefined {
  const path = PATH.exec(expression)?.[1];
  if (path === undefined) return undefined;
  return [...path.matchAll(STEP)].map(
    ([, ...name]) => name.find((part) => part !== undefined) ?? '',
  );
}

/**
 * What a path leads to, or NOT_PLAIN where the engine might see something else: beyond a missing
 * field, in anything but plain objects and arrays, at names that every object inherits, and for
 * values that are more than text, number, boolean, null, or a list of those.
 */
export function readItemPath(json: IDataObject, path: string[]): unknown {
  let value: unknown = json;
  for (const name of path) {
    if (name in Object.prototype) return NOT_PLAIN;
    if (Array.isArray(value) ? !ARRAY_INDEX.test(name) : !isPlainObject(value)) return NOT_PLAIN;
    const fields = value as Record<string, unknown>;
    value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  }
  return value === undefined || isPlain(value) ? value : NOT_PLAIN;
}

/** Whether two values that are plain, in the sense of `readItemPath`, are the same. */
export function isSamePlain(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one)) return Object.is(one, other);
  return (
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((entry, index) => Object.is(entry, other[index]))
  );
}

function isPlain(value: unknown): boolean {
  if (!Array.isArray(value)) return isScalar(value);
  // Not every(), which passes over holes.
  for (const entry of value) if (!isScalar(entry)) return false;
  return true;
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  );
}

/** An object made by `{}`, in whatever realm, or without prototype. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
