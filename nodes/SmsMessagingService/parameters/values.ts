import { UserError } from 'n8n-workflow';
import { ExactNumber, isObject, textOf } from '../service/json';
import { shortened } from '../service/sentences';

/*
 * Checks of parameter values. They throw a UserError that names the field as the editor shows it. The
 * caller adds the node and the item.
 */

/** Returns the ID in a resource locator of any mode, and any other value as it is. */
export function locatorValue(value: unknown): unknown {
  return isObject(value) && '__rl' in value && 'value' in value ? value.value : value;
}

/** The whole numbers that a field takes, with both ends. A missing end is no limit. */
export interface Range {
  min?: number;
  max?: number;
  /** As in `a whole number of milliseconds`. */
  unit?: string;
}

/** A whole number. Digits as text are accepted: expressions often give text. */
export function requireInteger(displayName: string, value: unknown, range: Range = {}): number {
  const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  const { min = -Infinity, max = Infinity } = range;
  const isIn = typeof number === 'number' && Number.isSafeInteger(number);
  if (isIn && number >= min && number <= max) return number;
  throw unusable(displayName, value, `a whole number${describeRange(range)}`);
}

function describeRange({ min, max, unit = '' }: Range): string {
  if (max !== undefined) return `${unit} from ${min} to ${max}`;
  return min === undefined ? unit : `${unit} of ${min} or more`;
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

export function requireChoice<T extends string>(
  displayName: string,
  value: unknown,
  choices: readonly T[],
): T {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw unusable(displayName, value, choices.map((each) => `"${each}"`).join(' or '));
}

/** @param expected what the value must be, as in a sentence */
function unusable(displayName: string, value: unknown, expected: string): UserError {
  const isMissing = (value ?? '') === '';
  const reason = isMissing ? 'is empty' : `must be ${expected}, not ${describeValue(value)}`;
  return new UserError(`'${displayName}' ${reason}`, {
    description: `Set '${displayName}', or check the expression that fills it.`,
  });
}

/** Names a value for an error, such as `the number 4821`, `an array`, or the start of a text. */
export function describeValue(value: unknown): string {
  if (value === null) return 'empty (null)';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return 'an object';
  const shown = shortened(String(value));
  if (typeof value === 'string') return `the text "${shown}"`;
  return `the ${typeof value === 'object' ? 'number' : typeof value} ${shown}`;
}
