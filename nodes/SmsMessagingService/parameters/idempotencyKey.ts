import { UserError } from 'n8n-workflow';
import type { TextPart } from './compile';
import type { ParameterReader } from './reader';
import { describeValue, shorten } from './values';

const OPTION = 'options.idempotencyKey';

/** What an expression without a value leaves in a text. All items would share a key such as order-undefined. */
const NO_VALUE =
  /(?<![\p{L}\p{N}])(?:undefined|null|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])|\[object \w+\]/u;

/** An expression that was entered as text: without `{{ }}`, or in a field that is not switched to Expression. */
const NOT_EVALUATED = /\{\{|\$(?:json|input|item|node|itemIndex)\b|\$\(/;

/** Only spaces, punctuation and invisible characters: nothing that tells items apart. A list of missing values is `,`. */
const BLANK = /^[\p{P}\p{Z}\p{C}]*$/u;

/**
 * Returns the idempotency key of one item; undefined if it has none.
 *
 * @throws UserError if other items could have the same key
 */
export function readIdempotencyKey(
  parameters: ParameterReader,
  itemIndex: number,
): string | undefined {
  const { value, parts } = parameters.getParts(OPTION, itemIndex, '');
  const isFilled = parameters.isFilled(OPTION, itemIndex, '');
  const text = readText(value);
  if (text.trim() === '') {
    if (!isFilled) return undefined;
    throw unusable("'Idempotency Key' has no value for this item");
  }
  if (NOT_EVALUATED.test(text)) throw notEvaluated(text);
  const hole = parts.find(isHole);
  if (hole) throw unusable(`'Idempotency Key' has a part without value: ${shown(hole)}`);
  if (NO_VALUE.test(text) || (isFilled && BLANK.test(text))) {
    throw unusable(`'Idempotency Key' is ${describeValue(value)}, of which a part has no value`);
  }
  return text;
}

/** @returns an empty text if the value is missing */
function readText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (value === null || value === undefined) return '';
  throw unusable(`'Idempotency Key' must be text, not ${describeValue(value)}`);
}

const MAX_SHOWN_LENGTH = 60;

function shown({ code }: TextPart): string {
  return `{{${shorten(code, MAX_SHOWN_LENGTH)}}}`;
}

function isHole({ text }: TextPart): boolean {
  return BLANK.test(text) || NO_VALUE.test(text);
}

function notEvaluated(text: string): UserError {
  return new UserError(`'Idempotency Key' is ${describeValue(text)}, which is not evaluated`, {
    description:
      "Switch 'Idempotency Key' from Fixed to Expression, so that each item gets a key of its own.",
  });
}

function unusable(message: string): UserError {
  return new UserError(message, {
    description:
      "Check the expression that fills 'Idempotency Key': each item needs a key of its own. Items that are to be sent without a key go through a node without this option.",
  });
}
