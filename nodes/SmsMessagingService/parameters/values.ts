import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { ExactNumber, isObject, parseExactly, textOf } from '../service/json';
import { shortened } from '../service/sentences';

/*
 * Checks of parameter values. They throw a UserError that names the field as the editor shows it. The
 * caller adds the node and the item.
 */

/** The whole numbers that a field takes, with both ends. A missing end is no limit. */
export interface Range {
  min?: number;
  max?: number;
}

/** A whole number. Digits as text are accepted: expressions often give text. */
export function requireInteger(displayName: string, value: unknown, range: Range): number {
  const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  if (isIntegerIn(number, range)) return number;
  throw unusable(displayName, value, `a whole number${describeRange(range)}`);
}

function isIntegerIn(value: unknown, { min = -Infinity, max = Infinity }: Range): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}

function describeRange({ min, max }: Range): string {
  if (max !== undefined) return ` from ${min} to ${max}`;
  return min === undefined ? '' : ` of ${min} or more`;
}

/**
 * The ID of a record, a whole number of `min` or more. An ID that is too long for JavaScript keeps all its
 * digits.
 */
export function requireId(displayName: string, value: unknown, min = 1): number | ExactNumber {
  const digits = typeof value === 'string' ? value.trim() : '';
  const isLong = /^[1-9]\d{15,}$/.test(digits) && !Number.isSafeInteger(Number(digits));
  return isLong ? new ExactNumber(digits) : requireInteger(displayName, value, { min });
}

/** True or false. The texts "true" and "false" are accepted: expressions often give text. */
export function requireBoolean(displayName: string, value: unknown): boolean {
  const text = textOf(value).toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw unusable(displayName, value, 'true or false');
}

/** One of the values of a field with a list to choose from. */
export function requireChoice<T extends string>(
  displayName: string,
  value: unknown,
  choices: readonly T[],
): T {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw unusable(displayName, value, choices.map((each) => `"${each}"`).join(' or '));
}

/** A text that is not blank. */
export function requireText(displayName: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw unusable(displayName, typeof value === 'string' ? '' : value, 'text');
}

/** @param expected what the value must be, as in a sentence */
function unusable(displayName: string, value: unknown, expected: string): UserError {
  const reason = isMissing(value) ? 'is empty' : `must be ${expected}, not ${describeValue(value)}`;
  return new UserError(`'${displayName}' ${reason}`, {
    description: `Set '${displayName}', or check the expression that fills it.`,
  });
}

/**
 * A JSON object, given as an object or as JSON text.
 *
 * @param parse throws if the text is not JSON
 */
export function requireJsonObject(
  displayName: string,
  value: unknown,
  parse: (text: string) => unknown = parseExactly,
): IDataObject {
  if (isMissing(value)) throw unusable(displayName, value, 'a JSON object');
  const parsed = typeof value === 'string' ? parseEntered(value, parse) : value;
  if (parsed === undefined) {
    throw new UserError(`'${displayName}' is not valid JSON`, {
      description: describeJsonError(value as string),
    });
  }
  if (isObject(parsed)) return parsed;
  throw new UserError(`'${displayName}' must be a JSON object, not ${describeValue(parsed)}`, {
    description: 'It starts with { and ends with }, for instance {"code": "123456"}.',
  });
}

/** Undefined if the text is not JSON. */
export function parseEntered(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** What people type that looks like JSON, and what to type instead. */
const JSON_MISTAKES: [found: RegExp, advice: string][] = [
  [/[“”„‟＂]/, 'It has typographic quotation marks (“ ”). JSON needs straight ones (").'],
  [/[‘’']/, 'It has single quotation marks. JSON needs double ones (").'],
  [
    /[：，｛｝［］]/,
    'It has full-width punctuation (： ，). JSON needs the half-width signs (: ,).',
  ],
  [/,\s*[}\]]/, 'It has a comma before a closing bracket. Take it away.'],
];

function describeJsonError(text: string): string {
  const outsideTexts = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const mistake = JSON_MISTAKES.find(([found]) => found.test(outsideTexts));
  return mistake?.[1] ?? 'Names and texts stand in double quotes, for instance {"code": "123456"}.';
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Names a value for an error, such as `the number 4821`, `an array`, or the start of a text. */
export function describeValue(value: unknown): string {
  if (value === null) return 'empty (null)';
  if (value === undefined) return 'empty';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return 'an object';
  const shown = shortened(String(value));
  if (typeof value === 'string') return `the text "${shown}"`;
  return `the ${typeof value === 'object' ? 'number' : typeof value} ${shown}`;
}
