import { UserError } from 'n8n-workflow';
import type { ParameterReader } from './reader';
import { describeValue, shorten } from './values';

const OPTION = 'options.idempotencyKey';

/** What JavaScript writes where there is no value, or an object. Many items would share a key with it. */
const NO_VALUES = [
  '',
  'undefined',
  'null',
  'NaN',
  'Invalid Date',
  'Invalid DateTime',
  '[object Object]',
];

/** An expression that was entered as text: without `{{ }}`, or in a field that is not switched to Expression. */
const NOT_EVALUATED = /\{\{|\$(?:json|input|item|node|itemIndex)\b|\$\(/;

/**
 * Returns the idempotency key of one item; undefined if it has none.
 *
 * @throws UserError if other items could have the same key
 */
export function readIdempotencyKey(
  parameters: ParameterReader,
  itemIndex: number,
): string | undefined {
  const parts = parameters.getParts(OPTION, itemIndex, '');
  if (parts === undefined) return readWhole(parameters, itemIndex);
  for (const { code, text } of parts) {
    if (code === undefined && NOT_EVALUATED.test(text)) throw notEvaluated(text);
    if (code !== undefined && hasNoValue(text)) {
      const shown = shorten(code, MAX_SHOWN_LENGTH);
      throw unusable(`'Idempotency Key' has a part without value: {{${shown}}}`);
    }
  }
  return parts.map(({ text }) => text).join('');
}

const MAX_SHOWN_LENGTH = 60;

/** Reads a key that is fixed, or that a single expression gives. */
function readWhole(parameters: ParameterReader, itemIndex: number): string | undefined {
  const value = parameters.get(OPTION, itemIndex, '');
  const text = readText(value);
  const isFilled = () => parameters.isFilled(OPTION, itemIndex, '');
  if (text.trim() === '' && !isFilled()) return undefined;
  if (hasNoValue(text)) throw unusable("'Idempotency Key' has no value for this item");
  if (NOT_EVALUATED.test(text) && !isFilled()) throw notEvaluated(text);
  return text;
}

/** @returns an empty text if the value is missing */
function readText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (value === null || value === undefined) return '';
  throw unusable(`'Idempotency Key' must be text, not ${describeValue(value)}`);
}

function hasNoValue(text: string): boolean {
  return NO_VALUES.includes(text.trim());
}

function notEvaluated(text: string): UserError {
  return new UserError(`'Idempotency Key' is ${describeValue(text)}, which is not evaluated`, {
    description:
      "Switch 'Idempotency Key' from Fixed to Expression, with {{ }} around what differs, so that each item gets a key of its own.",
  });
}

function unusable(message: string): UserError {
  return new UserError(message, {
    description:
      "Check the expression that fills 'Idempotency Key': each item needs a key of its own. Items that are to be sent without a key go through a node without this option.",
  });
}
