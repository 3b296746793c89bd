import type { Recipient } from './outcome';

/**
 * This many refusals in a row are about the account, and not about the messages. One refused message of
 * 100 leads to eight at most.
 */
const MAX_REFUSALS_IN_A_ROW = 16;

/** What the balance of the account proves about a request: a request that sent nothing has cost nothing. */
export type Cost = 'nothing' | 'something' | 'unknown';

/** What follows the refusal of a request. */
export type Step =
  | { kind: 'divide'; parts: Recipient[][] }
  /** The refusal stands for all its messages. */
  | { kind: 'refuse' }
  /** The balance has changed, so some of its messages may have been sent. */
  | { kind: 'doubt' };

/** @param inARow number of refusals in a row, with this one. An acceptance ends the row. */
export function afterRefusal(recipients: Recipient[], cost: Cost, inARow: number): Step {
  if (cost === 'something') return { kind: 'doubt' };
  const isAlone = recipients.length === 1;
  if (isAlone || cost === 'unknown' || inARow >= MAX_REFUSALS_IN_A_ROW) return { kind: 'refuse' };
  const middle = Math.ceil(recipients.length / 2);
  return { kind: 'divide', parts: [recipients.slice(0, middle), recipients.slice(middle)] };
}

/**
 * Compares the balance before and after a request.
 *
 * @param before undefined: it could not be read
 */
export function costOf(before: number | undefined, after: number | undefined): Cost {
  if (before === undefined || after === undefined) return 'unknown';
  return before === after ? 'nothing' : 'something';
}
