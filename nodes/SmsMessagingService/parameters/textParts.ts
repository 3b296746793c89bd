import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isPlainText, parseItemExpression, readItemParts, splitExpression } from './itemPath';

/** One `{{ … }}` in a text, and the text that n8n puts in its place. */
export interface TextPart {
  code: string;
  text: string;
}

/** Comes before each part while n8n evaluates the parts of a text. No value contains it. */
const MARK = randomUUID();

/**
 * Returns the parts of a parameter that has text around or between its expressions; none for any other.
 *
 * @param raw the parameter as it is saved
 * @param value what n8n makes of it for the item
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

/** Cuts the only part out of the value. @returns undefined if the texts around it do not show where it is */
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
