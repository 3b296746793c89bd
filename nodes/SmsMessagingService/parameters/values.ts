import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { ExactNumber, isObject, parseExactly, textOf } from '../service/json';

/*
 * Checks of parameter values. They throw a UserError that names the field as the editor shows it. The
 * caller adds the node and the item.
 */

/**
 * A whole number from `minimum` to `maximum`. Digits as text are accepted, because expressions often
 * give text.
 *
 * @param minimum left out: 1. null: no limit.
 */
export function requireInteger(
  displayName: string,
  value: unknown,
  minimum: number | null = 1,
  maximum = Infinity,
): number {
  const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  const isInteger = typeof number === 'number' && Number.isSafeInteger(number);
  if (isInteger && number >= (minimum ?? -Infinity) && number <= maximum) return number;
  const bound =
    maximum < Infinity
      ? ` from ${minimum} to ${maximum}`
      : minimum === null
        ? ''
        : ` of ${minimum} or more`;
  throw new UserError(
    isMissing(value)
      ? `'${displayName}' is empty`
      : `'${displayName}' must be a whole number${bound}, not ${describeValue(value)}`,
    { description: `Set '${displayName}', or check the expression that fills it.` },
  );
}

/**
 * The ID of a record, a whole number of `minimum` or more. An ID that is too long for JavaScript is taken
 * with all its digits, as text.
 */
export function requireId(displayName: string, value: unknown, minimum = 1): number | ExactNumber {
  const digits = typeof value === 'string' ? value.trim() : '';
  const isLong = /^[1-9]\d{15,}$/.test(digits) && !Number.isSafeInteger(Number(digits));
  return isLong ? new ExactNumber(digits) : requireInteger(displayName, value, minimum);
}

/**
 * True or false. The texts "true" and "false" are accepted, because expressions often give text.
 *
 * @param where for the error, such as ` of item 3`
 */
export function requireBoolean(displayName: string, value: unknown, where = ''): boolean {
  const text = textOf(value).toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UserError(
    isMissing(value)
      ? `'${displayName}'${where} is empty`
      : `'${displayName}'${where} must be true or false, not ${describeValue(value)}`,
    { description: `Set '${displayName}', or check the expression that fills it.` },
  );
}

/** One of the values of a field with a list to choose from. */
export function requireChoice<T extends string>(
  displayName: string,
  value: unknown,
  choices: readonly T[],
): T {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  const names = choices.map((each) => `"${each}"`).join(' or ');
  throw new UserError(
    isMissing(value)
      ? `'${displayName}' is empty`
      : `'${displayName}' must be ${names}, not ${describeValue(value)}`,
    { description: `Choose '${displayName}' from its list, or let its expression give ${names}.` },
  );
}

/** A text that is not blank. */
export function requireText(displayName: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new UserError(
    isMissing(value) || typeof value === 'string'
      ? `'${displayName}' is empty`
      : `'${displayName}' must be text, not ${describeValue(value)}`,
    { description: `Set '${displayName}', or check the expression that fills it.` },
  );
}

/** A JSON object, given as an object or as JSON text. */
export function requireJsonObject(displayName: string, value: unknown): IDataObject {
  const parsed = typeof value === 'string' ? parseEntered(value) : value;
  if (parsed === undefined && !isMissing(value)) {
    throw new UserError(`'${displayName}' is not valid JSON`, {
      description: 'Names and texts stand in double quotes, for instance {"code": "123456"}.',
    });
  }
  if (isObject(parsed)) return parsed;
  throw new UserError(`'${displayName}' must be a JSON object, not ${describeValue(parsed)}`, {
    description: 'It starts with { and ends with }, for instance {"code": "123456"}.',
  });
}

function parseEntered(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A text of the user, to be quoted. What is too long for that is cut. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Names a value for an error: its type and, where it is short, the value (`the number 4821`, `an array`). */
export function describeValue(value: unknown): string {
  if (value === null) return 'empty (null)';
  if (value === undefined) return 'empty';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return 'an object';
  const shown = shorten(String(value), 40);
  if (typeof value === 'string') return `the text "${shown}"`;
  return `the ${typeof value === 'object' ? 'number' : typeof value} ${shown}`;
}
