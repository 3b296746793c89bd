import type {
  IDataObject,
  INode,
  INodeExecutionData,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { inputError, serviceError } from '../service/errors';
import { failedItem } from '../n8n/olderVersions';
import type { Outcome, Outcomes, Status } from './outcome';
import { isAlike } from './plan';
import type { PlannedItem } from './plan';

/** An outcome with the phone numbers of one item that it is about. */
interface Part {
  outcome: Outcome;
  phoneNumbers: string[];
}

/** What came of one input item. */
interface ItemResult {
  itemIndex: number;
  parts: Part[];
  /** The item's outcome as its output shows it. */
  json: IDataObject & { status: Status; msg?: string };
  failed: boolean;
}

/** How n8n's "On Error" setting wants failed items. */
export type OnError = 'stop' | 'continueRegularOutput' | 'continueErrorOutput';

/**
 * Gives every input item exactly one output item, paired to it.
 *
 * The shapes of failed items are the ones n8n leaves intact: it sends json with exactly `error`,
 * `message` and `details` to the error branch, and would replace the whole json of an item that has
 * the error beside it.
 *
 * @throws NodeOperationError or NodeApiError with the counts, when an item failed and the node is to
 * stop then
 */
export function settleItems(
  node: INode,
  items: PlannedItem[],
  outcomes: Outcomes,
  onError: OnError,
): INodeExecutionData[] {
  const results = resultsOf(items, outcomes);
  const failures = results.filter(({ failed }) => failed);
  const [first] = failures;
  if (onError === 'stop' && first) throw stopError(node, results, first, failures.length);
  return results.map(({ itemIndex, json, failed }) =>
    failed
      ? failedItem(node, failedJson(json, onError), itemIndex)
      : { json, pairedItem: { item: itemIndex } },
  );
}

function failedJson(json: ItemResult['json'], onError: OnError): IDataObject {
  // Never empty, or n8n would not take it for a failed item.
  const error = json.msg || `The message was ${json.status}`;
  if (onError === 'continueErrorOutput') return { error, message: error, details: json };
  return { ...json, error };
}

function resultsOf(items: PlannedItem[], outcomes: Outcomes): ItemResult[] {
  const results: ItemResult[] = [];
  items.forEach((item, itemIndex) => {
    // The item with the same key comes before this one.
    const other = item.sameKeyAs === undefined ? undefined : results[item.sameKeyAs];
    results.push(resultOf(itemIndex, partsOf(item, outcomes, other && sameKeyOutcome(other))));
  });
  return results;
}

/** What became of an item that is not sent because an earlier one of the run has its key. */
function sameKeyOutcome({ itemIndex, json }: ItemResult): Outcome {
  return json.status === 'rejected'
    ? {
        status: 'rejected',
        msg: `Not sent, like item ${itemIndex} with the same idempotency key: ${json.msg}`,
      }
    : { status: 'skipped', msg: `Not sent: item ${itemIndex} has the same idempotency key` };
}

/**
 * The item's recipients by outcome.
 *
 * @param outcome that of all its recipients, where none of them was sent to
 */
function partsOf(
  { recipients, refusals }: PlannedItem,
  outcomes: Outcomes,
  outcome?: Outcome,
): Part[] {
  const parts: Part[] = [];
  for (const recipient of recipients) {
    const own = outcome ?? outcomes.of(recipient);
    // From the end: neighbours mostly travelled together.
    const part = parts.findLast((known) => isAlike(known.outcome, own));
    if (part) part.phoneNumbers.push(recipient.phoneNumber);
    else parts.push({ outcome: own, phoneNumbers: [recipient.phoneNumber] });
  }
  return parts.concat(refusals);
}

function resultOf(itemIndex: number, parts: Part[]): ItemResult {
  const failed = parts.some(({ outcome }) => isFailure(outcome));
  const [only] = parts;
  if (parts.length === 1 && only) return { itemIndex, parts, json: partJson(only), failed };
  const statuses = new Set(parts.map(({ outcome }) => outcome.status));
  const [status] = statuses;
  return {
    itemIndex,
    parts,
    json: {
      // Parts that fared differently have no common status but "look before you repeat".
      status: statuses.size === 1 && status ? status : 'unknown',
      msg: failed ? summarise(parts) : undefined,
      phone_numbers: parts.flatMap(({ phoneNumbers }) => phoneNumbers),
      parts: parts.map(partJson),
    },
    failed,
  };
}

function partJson({ outcome, phoneNumbers }: Part): ItemResult['json'] {
  return {
    status: outcome.status,
    batch_id: outcome.batch_id,
    code: outcome.code,
    msg: outcome.msg,
    phone_numbers: phoneNumbers,
    count: outcome.count,
    sent: outcome.sent,
    warning: outcome.warning,
    request_id: outcome.request_id,
    http_status: outcome.http_status,
    remembered: outcome.remembered,
    merged: outcome.merged,
  };
}

/** For instance `2 of 3 recipients were accepted (2 accepted, 1 refused, 0 unknown): <reason>`. */
function summarise(parts: Part[]): string {
  const counts = countByStatus(parts);
  const all = counts.accepted + counts.rejected + counts.unknown + counts.skipped;
  const reason = parts.find(({ outcome }) => isFailure(outcome))?.outcome.msg ?? '';
  return `${counts.accepted} of ${all} recipients were accepted (${describeCounts(counts)}): ${reason}`;
}

function stopError(
  node: INode,
  results: ItemResult[],
  first: ItemResult,
  failures: number,
): NodeOperationError | NodeApiError {
  const reason = first.json.msg || `The message was ${first.json.status}`;
  const message =
    results.length === 1 ? reason : `${failures} of ${results.length} items: ${reason}`;
  const failedOutcomes = first.parts.map(({ outcome }) => outcome).filter(isFailure);
  const advice = failedOutcomes.find((outcome) => outcome.advice)?.advice ?? '';
  const answered = failedOutcomes.find(({ sent }) => sent !== undefined);
  const counts = countByStatus(results.flatMap(({ parts }) => parts));
  const kept =
    counts.accepted + counts.unknown > 0
      ? ' A retry of this execution sends only what was refused: accepted and unknown recipients are not sent to again.'
      : '';
  const description = `${advice} Of all recipients: ${describeCounts(counts)}.${kept}`.trim();
  const options = { itemIndex: first.itemIndex, description };
  // Where a request was made, it is the service that the message speaks of.
  if (answered) {
    const { code, msg, request_id: requestId, http_status: httpStatus } = answered;
    return serviceError(node, message, { code, msg, requestId, httpStatus }, options);
  }
  const error = inputError(node, message, options);
  // n8n replaces a text that happens to contain, say, "EEXIST"; the service's words stay.
  error.message = message;
  return error;
}

function isFailure({ status }: Outcome): boolean {
  return status === 'rejected' || status === 'unknown';
}

function countByStatus(parts: Part[]): Record<Status, number> {
  const counts: Record<Status, number> = { accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
  // An item that was refused before its numbers could be read still is one recipient not reached.
  for (const { outcome, phoneNumbers } of parts) {
    counts[outcome.status] += Math.max(1, phoneNumbers.length);
  }
  return counts;
}

function describeCounts({ accepted, rejected, unknown, skipped }: Record<Status, number>): string {
  return (
    `${accepted} accepted, ${rejected} refused, ${unknown} unknown` +
    (skipped > 0 ? `, ${skipped} skipped` : '')
  );
}
