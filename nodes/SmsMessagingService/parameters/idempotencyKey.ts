import { UserError } from 'n8n-workflow';
import { shortened } from '../service/sentences';
import type { ParameterReader } from './reader';
import { describeValue } from './values';

const OPTION = 'options.idempotencyKey';

/** What JavaScript writes where there is no value, or an object. Many items would share a key with it. */
const NO_VALUE = /^\s*(?:undefined|null|NaN|Invalid Date(?:Time)?|\[object Object\])?\s*$/;

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
    if (code === undefined) requireEvaluated(text);
    else if (NO_VALUE.test(text)) {
      throw unusable(`has a part without value: {{${shortened(code)}}}`);
    }
  }
  return parts.map(({ text }) => text).join('');
}

/** Reads a key that is fixed, or that a single expression gives. */
function readWhole(parameters: ParameterReader, itemIndex: number): string | undefined {
  const value = parameters.get(OPTION, itemIndex, '') ?? '';
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw unusable(`must be text, not ${describeValue(value)}`);
  }
  const key = String(value);
  const isFilled = parameters.isFilled(OPTION, itemIndex, '');
  if (key.trim() === '' && !isFilled) return undefined;
  if (NO_VALUE.test(key)) throw unusable('has no value for this item');
  if (!isFilled) requireEvaluated(key);
  return key;
}

function requireEvaluated(text: string): void {
  if (!NOT_EVALUATED.test(text)) return;
  throw new UserError(`'Idempotency Key' is ${describeValue(text)}, which is not evaluated`, {
    description:
      "Switch 'Idempotency Key' from Fixed to Expression, with {{ }} around what differs, so that each item gets a key of its own.",
  });
}

function unusable(problem: string): UserError {
  return new UserError(`'Idempotency Key' ${problem}`, {
    description:
      "Check the expression that fills 'Idempotency Key': each item needs a key of its own. Items that are to be sent without a key go through a node without this option.",
  });
}
