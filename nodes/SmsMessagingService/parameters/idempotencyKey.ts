import { UserError } from 'n8n-workflow';
import { describeValue } from './values';

/** What an expression without a value leaves in a text. All items would share a key such as order-undefined. */
const NO_VALUE =
  /(?<![\p{L}\p{N}])(?:undefined|null|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])|\[object \w+\]/u;

/**
 * The idempotency key of one item; undefined where there is none.
 *
 * @param isWanted whether each item must have a key: an expression fills the option
 * @throws UserError for a key that would not be the item's own
 */
export function readIdempotencyKey(value: unknown, isWanted: boolean): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  if (value === null || value === undefined || text?.trim() === '') {
    if (!isWanted) return undefined;
    throw unusable("'Idempotency Key' has no value for this item");
  }
  if (text === undefined) {
    throw unusable(`'Idempotency Key' must be text, not ${describeValue(value)}`);
  }
  if (NO_VALUE.test(text)) {
    throw unusable(`'Idempotency Key' is ${describeValue(value)}, of which a part has no value`);
  }
  return text;
}

function unusable(message: string): UserError {
  return new UserError(message, {
    description:
      "Check the expression that fills 'Idempotency Key': each item needs a key of its own. Items that are to be sent without a key go through a node without this option.",
  });
}
