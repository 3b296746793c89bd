import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import {
  NOT_PLAIN,
  isPlainText,
  isSamePlain,
  parseItemExpression,
  readItemExpression,
  readItemParts,
  splitExpression,
} from './itemPath';

/*
 * Parameters as they are saved, with expressions in them. `compile` gives their values for all items in the
 * cheapest way. `readTextParts` gives the values of the single expressions in a text.
 */

/** Returns the value for an item. NOT_PLAIN: only n8n's expression engine can give it. */
export type Read = (itemIndex: number) => unknown;

/** The items, and n8n's way to read their parameters. */
export interface Source {
  itemCount: number;
  json: (itemIndex: number) => IDataObject;
  /** Reads a parameter with n8n's expression engine. */
  evaluate: (name: string, itemIndex: number) => unknown;
}

/** Whether a parameter as it is saved, or anything in it, is an expression. */
export function hasExpression(raw: unknown): boolean {
  if (typeof raw === 'string') return raw.startsWith('=');
  if (typeof raw !== 'object' || raw === null) return false;
  return Object.values(raw).some(hasExpression);
}

/** Makes a function that reads a parameter. Each part of the parameter is read in the cheapest way. */
export function compile(raw: unknown, name: string, source: Source): Read {
  if (!hasExpression(raw)) return () => raw;
  if (typeof raw === 'string') return compileExpression(raw, name, source);
  const entries = Object.entries(raw as IDataObject);
  if (!entries.every(canBeReadAlone)) return () => NOT_PLAIN;
  const parts = entries.map(
    ([key, part]) => [key, compilePart(part, `${name}.${key}`, source)] as const,
  );
  return (itemIndex) => {
    const whole: Record<string, unknown> = Array.isArray(raw) ? ([] as never) : {};
    for (const [key, read] of parts) {
      const value = read(itemIndex);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      whole[key] = value;
    }
    return whole;
  };
}

/** Whether the engine can read a part by its path. It then does not know the other parts. */
function canBeReadAlone([key, part]: [string, unknown]): boolean {
  const mentionsOthers =
    typeof part === 'string' && /\$(?:parameter|rawParameter|self)\b/.test(part);
  return /^[^.[\]]+$/.test(key) && !(key in Object.prototype) && !mentionsOthers;
}

/**
 * Like `compile`, but asks the engine if only it can give the value. The engine turns some objects, such as
 * a DateTime, into text only when it reads the whole parameter. So if it gives an object, it reads the whole.
 */
function compilePart(raw: unknown, name: string, source: Source): Read {
  const read = compile(raw, name, source);
  if (typeof raw !== 'string') return read;
  return (itemIndex) => {
    const value = read(itemIndex);
    if (value !== NOT_PLAIN) return value;
    const evaluated = source.evaluate(name, itemIndex);
    return typeof evaluated === 'object' && evaluated !== null ? NOT_PLAIN : evaluated;
  };
}

/** Reads paths from the item as long as the engine, which is asked at some items too, gives the same. */
function compileExpression(expression: string, name: string, source: Source): Read {
  const parsed = parseItemExpression(expression);
  if (parsed === undefined) return () => NOT_PLAIN;
  const readItem: Read = (itemIndex) => readItemExpression(source.json(itemIndex), parsed);
  const agreesAt = (itemIndex: number) => {
    const value = readItem(itemIndex);
    if (value === NOT_PLAIN) return true;
    try {
      return isSamePlain(value, source.evaluate(name, itemIndex));
    } catch {
      return false;
    }
  };
  const last = source.itemCount - 1;
  let isTrusted = true;
  let reads = 0;
  let nextCheck = 1;
  return (itemIndex) => {
    const value = isTrusted ? readItem(itemIndex) : NOT_PLAIN;
    if (value === NOT_PLAIN) return value;
    reads += 1;
    if (reads >= nextCheck) {
      if (nextCheck === 1 && itemIndex !== last) isTrusted = agreesAt(last);
      isTrusted &&= agreesAt(itemIndex);
      nextCheck *= 2;
    }
    return isTrusted ? value : NOT_PLAIN;
  };
}

/** One `{{ … }}` in a text, and the text that n8n puts in its place. */
export interface TextPart {
  code: string;
  text: string;
}

/** Comes before each part while n8n evaluates the parts of a text. No value contains it. */
const MARK = randomUUID();

/**
 * Returns the parts of a parameter with text around or between its expressions. Any other has none.
 *
 * @param raw the parameter as it is saved
 * @param value its value for the item
 * @param json the fields of the item
 * @param evaluate evaluates an expression for the item
 */
export function readTextParts(
  raw: unknown,
  value: unknown,
  json: IDataObject,
  evaluate: (expression: string) => unknown,
): TextPart[] {
  if (typeof raw !== 'string' || !raw.startsWith('=')) return [];
  const { texts, codes } = splitExpression(raw);
  if (codes.length === 1 && texts.join('') === '') return [];
  const found = readPaths(raw, value, json) ?? cutOut(texts, value) ?? evaluateAll(codes, evaluate);
  return codes.map((code, index) => ({ code, text: found[index] ?? '' }));
}

/** @returns undefined if only n8n's engine can give the value */
function readPaths(raw: string, value: unknown, json: IDataObject): string[] | undefined {
  const paths = parseItemExpression(raw);
  const texts = paths && readItemParts(json, paths);
  return texts?.join('') === value ? texts?.filter((_, index) => index % 2 === 1) : undefined;
}

/** @returns the only part, cut out of the value. Undefined if the texts around it do not show where it is */
function cutOut(texts: string[], value: unknown): string[] | undefined {
  const [before = '', after = '', ...more] = texts;
  if (more.length > 0 || typeof value !== 'string' || !isPlainText(texts)) return undefined;
  const isAround = value.startsWith(before) && value.endsWith(after);
  return isAround ? [value.slice(before.length, value.length - after.length)] : undefined;
}

function evaluateAll(codes: string[], evaluate: (expression: string) => unknown): string[] {
  const expression = codes.map((code) => `${MARK}{{${code}}}`).join('');
  return String(evaluate(expression)).split(MARK).slice(1);
}
