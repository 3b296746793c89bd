import type { INode, NodeOperationError } from 'n8n-workflow';
import { inputError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { serviceError } from '../service/errors';
import { listed, sentences } from '../service/sentences';
import { statusOf } from './messageLife';
import type { Status } from './messageLife';
import { isCause, isFailure } from './outcome';
import type { ItemResult, Outcome, Part } from './outcome';

/** The number of batch IDs that an error names at most. */
export const MAX_NAMED = 10;

/**
 * The error that stops the node: why messages failed, and what happened to the others.
 *
 * @param items all items of the run
 * @param first the first item that failed, as `firstFailed` says
 */
export function runError(node: INode, items: ItemResult[], first: ItemResult): NodeError {
  const parts = items.flatMap((item) => item.parts);
  const counts = countByStatus(parts);
  const blocking = items.filter((item) => item.parts.some(({ outcome }) => outcome.isUnsendable));
  if (blocking[0] && !isAnySent(counts)) {
    return unsendableError(node, items, blocking.length, blocking[0]);
  }
  const failure = failureOf(first.parts);
  const message = describeFailures(counts, reasonOf(failure));
  const description = describeRest(first, parts, counts);
  // n8n writes the item beside the message. Where all items failed, no item is special.
  const isAboutAll = items.every(({ failed }) => failed);
  const itemIndex = isAboutAll ? undefined : first.itemIndex;
  if (failure?.sent === undefined) return inputError(node, message, { itemIndex, description });
  const { code, msg, request_id: requestId, http_status: httpStatus } = failure;
  const statement = { code, msg, requestId, httpStatus };
  return serviceError(node, message, statement, { itemIndex, description });
}

/** What the user can do, and what became of the other messages. */
function describeRest(first: ItemResult, parts: Part[], counts: Counts): string {
  const warning = parts.map(({ outcome }) => outcome.warning).find(Boolean);
  const advice = adviceOf(first.parts);
  // One sentence is read, and a warning is about the next try.
  if (counts.rejected === 1 && counts.all === 1) {
    return sentences('Nothing was sent.', warning ?? advice);
  }
  const accepted = parts.filter(({ outcome }) => outcome.state === 'accepted');
  const ids = new Set(accepted.flatMap(({ outcome }) => outcome.batch_id ?? []));
  return sentences(
    advice,
    isAnySent(counts) &&
      'The first retry of this execution sends only what certainly was not sent; another retry of it, or a new execution, may send the rest again.',
    warning,
    ids.size > 0 && `What was accepted has the batch_id ${listed([...ids], MAX_NAMED)}`,
  );
}

const TO_SEND_THE_OTHERS =
  "To send the others all the same, set 'On Error' to one of the 'Continue' settings";

/** The error of a run that sent nothing because this number of items, and this one first, cannot be sent. */
function unsendableError(
  node: INode,
  items: ItemResult[],
  count: number,
  { itemIndex, parts }: ItemResult,
): NodeOperationError {
  const outcome = parts.map((part) => part.outcome).find(({ isUnsendable }) => isUnsendable);
  const reason = reasonOf(outcome);
  const isOnly = items.length === 1;
  const isAnySendable = items.some((item) => item.parts.some((part) => !part.outcome.isUnsendable));
  const description = sentences(
    isOnly && 'Nothing was sent.',
    outcome?.advice,
    !isOnly && isAnySendable && TO_SEND_THE_OTHERS,
  );
  const message = `${count} of ${items.length} items cannot be sent, so nothing was sent. Item ${itemIndex}: ${reason}`;
  return inputError(node, isOnly ? reason : message, { description });
}

/** Why messages failed. Never empty. */
export function reasonOf(failure?: { msg?: string }): string {
  return failure?.msg || 'No reason was given';
}

/** What the user can do about the first failure with an advice. */
export function adviceOf(parts: Part[]): string | undefined {
  return parts.map(({ outcome }) => outcome.advice).find(Boolean);
}

/** What failed in an item whose messages have different outcomes, and the reason. */
export function summarise(parts: Part[]): string {
  return describeFailures(countByStatus(parts), reasonOf(failureOf(parts)));
}

function failureOf(parts: Part[]): Outcome | undefined {
  const outcomes = parts.map(({ outcome }) => outcome);
  return outcomes.find(isCause) ?? outcomes.find(isFailure);
}

type Counts = Record<Status | 'all', number>;

function countByStatus(parts: Part[]): Counts {
  const counts: Counts = { accepted: 0, rejected: 0, unknown: 0, skipped: 0, all: 0 };
  for (const { outcome, phoneNumbers } of parts) {
    // An item that was refused before its numbers were read counts as one message.
    const messages = Math.max(1, phoneNumbers.length);
    counts[statusOf(outcome.state)] += messages;
    counts.all += messages;
  }
  return counts;
}

const isAnySent = ({ accepted, unknown }: Counts) => accepted + unknown > 0;

/**
 * What was sent, what was not, and why. One message needs no count, and no status if it was refused. For
 * instance `Of 300 messages, 297 were accepted and 3 were not sent: <reason>`.
 */
function describeFailures(counts: Counts, reason: string): string {
  const { accepted, rejected, skipped, unknown, all } = counts;
  if (all === 1) return rejected === 1 ? reason : `The message may have been sent: ${reason}`;
  if (rejected === all) return `None of the ${all} messages was sent: ${reason}`;
  const facts = [
    accepted > 0 && `${accepted} ${was(accepted)} accepted`,
    skipped > 0 && `${skipped} ${was(skipped)} skipped`,
    unknown > 0 && `${unknown} may have been sent`,
    rejected > 0 && `${rejected} ${was(rejected)} not sent`,
  ].filter(Boolean);
  return `Of ${all} messages, ${facts.join(', ').replace(/, ([^,]*)$/, ' and $1')}: ${reason}`;
}

const was = (count: number) => (count === 1 ? 'was' : 'were');
