import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { inputError } from '../n8n/errors';
import { serviceError } from '../service/errors';
import { sentences } from '../service/sentences';
import { isFailure } from './outcome';
import type { ItemOutcomes, Share, Status } from './outcome';

/** The number of batch IDs, and of items, that an error names at most. */
export const MAX_NAMED = 50;

/**
 * The error that stops the node: why messages failed, and what happened to the others.
 *
 * @param items all items of the run
 * @param first the first item that failed
 */
export function runError(
  node: INode,
  items: ItemOutcomes[],
  first: ItemOutcomes,
): NodeOperationError | NodeApiError {
  const shares = items.flatMap((item) => item.shares);
  const counts = countByStatus(shares);
  const blocking = items.filter(({ unsendable }) => unsendable);
  return blocking.length > 0 && !isAnySent(counts)
    ? unsendableItemsError(node, items.length, blocking)
    : failedMessagesError(node, shares, counts, first);
}

/** The error of a run that sent nothing because these items cannot be sent. It names them. */
function unsendableItemsError(
  node: INode,
  itemCount: number,
  items: ItemOutcomes[],
): NodeOperationError {
  const outcome = items[0]?.unsendable?.outcome;
  const itemIndex = items[0]?.itemIndex ?? 0;
  const reason = reasonOf(outcome);
  if (itemCount === 1) {
    const description = sentences('Nothing was sent.', outcome?.advice);
    return inputError(node, reason, { itemIndex, description });
  }
  const message = `${items.length} of ${itemCount} items cannot be sent, so nothing was sent. Item ${itemIndex}: ${reason}`;
  const indices = items.map((item) => String(item.itemIndex));
  const description = sentences(
    outcome?.advice,
    indices.length > 1 && `The items that cannot be sent are ${listOf(indices)}`,
    "To send the others all the same, set 'On Error' to one of the 'Continue' settings",
  );
  return inputError(node, message, { itemIndex, description });
}

function failedMessagesError(
  node: INode,
  shares: Share[],
  counts: Counts,
  { itemIndex, shares: own }: ItemOutcomes,
): NodeOperationError | NodeApiError {
  const failures = own.map(({ outcome }) => outcome).filter(isFailure);
  const message = describeFailures(counts, reasonOf(failures[0]));
  const description = sentences(
    counts.rejected === 1 && total(counts) === 1 && 'Nothing was sent.',
    describeOthers(counts, batchesOf(shares)),
    shares.map(({ outcome }) => outcome.warning).find(Boolean),
    failures.map(({ advice }) => advice).find(Boolean),
    isAnySent(counts) && AFTER_A_PART,
  );
  const answered = failures.find(({ sent }) => sent !== undefined);
  if (!answered) return inputError(node, message, { itemIndex, description });
  const { code, msg, request_id: requestId, http_status: httpStatus } = answered;
  const statement = { code, msg, requestId, httpStatus };
  return serviceError(node, message, statement, { itemIndex, description });
}

const AFTER_A_PART =
  'A retry of this execution sends only what certainly was not sent; a new execution may send the rest again.';

/** Why messages failed. Never empty. */
export function reasonOf(failure?: { msg?: string }): string {
  return failure?.msg || 'No reason was given';
}

/** What failed in an item whose messages have different outcomes, and the first reason. */
export function summarise(shares: Share[]): string {
  const failure = shares.map(({ outcome }) => outcome).find(isFailure);
  return describeFailures(countByStatus(shares), reasonOf(failure));
}

/** How many messages have each status. */
type Counts = Record<Status, number>;

function countByStatus(shares: Share[]): Counts {
  const counts: Counts = { accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
  // An item that was refused before its numbers were read counts as one message.
  for (const { outcome, phoneNumbers } of shares) {
    counts[outcome.status] += Math.max(1, phoneNumbers.length);
  }
  return counts;
}

const total = ({ accepted, rejected, unknown, skipped }: Counts) =>
  accepted + rejected + unknown + skipped;

const isAnySent = ({ accepted, unknown }: Counts) => accepted + unknown > 0;

/**
 * What failed, and why. One message needs no count, and no status if it was refused. For instance
 * `1 of 3 messages was not sent and 2 may have been: <reason>`.
 */
function describeFailures(counts: Counts, reason: string): string {
  const { rejected, unknown } = counts;
  const all = total(counts);
  if (all === 1) return rejected === 1 ? reason : `The message may have been sent: ${reason}`;
  if (rejected === all) return `None of the ${all} messages was sent: ${reason}`;
  const notSent = `${rejected} of ${all} messages ${was(rejected)} not sent`;
  if (unknown === 0) return `${notSent}: ${reason}`;
  return rejected === 0
    ? `${unknown} of ${all} messages may have been sent: ${reason}`
    : `${notSent} and ${unknown} may have been: ${reason}`;
}

/**
 * What happened to the messages that did not fail. Empty if there are none.
 *
 * @param batches the batch IDs of the accepted ones
 */
function describeOthers({ accepted, skipped }: Counts, batches: string): string {
  const others = accepted + skipped;
  if (others === 0) return '';
  const where = batches ? ` (batch_id ${batches})` : '';
  if (accepted > 0 && skipped > 0) {
    return `Of the others, ${accepted} ${was(accepted)} accepted${where} and ${skipped} ${was(skipped)} skipped.`;
  }
  const who = others === 1 ? 'The other one' : `The other ${others}`;
  return `${who} ${was(others)} ${accepted > 0 ? `accepted${where}` : 'skipped'}.`;
}

const was = (count: number) => (count === 1 ? 'was' : 'were');

/** The batch IDs of the accepted messages, as text. */
function batchesOf(shares: Share[]): string {
  const accepted = shares.filter(({ outcome }) => outcome.status === 'accepted');
  const ids = new Set(accepted.flatMap(({ outcome }) => outcome.batch_id ?? []));
  return listOf([...ids]);
}

/** Joins the texts. After MAX_NAMED it only says how many more there are. */
function listOf(texts: string[]): string {
  const more = texts.length - MAX_NAMED;
  return texts.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
