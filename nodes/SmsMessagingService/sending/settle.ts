import type {
  IDataObject,
  INode,
  INodeExecutionData,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { failedItem } from '../n8n/olderVersions';
import { stopError } from '../service/errors';
import { sentences } from '../service/sentences';
import { isAlike } from './alike';
import { countByStatus, describeFailures, describeOthers, isFailure } from './counts';
import type { Part } from './counts';
import type { Outcome, Outcomes } from './outcome';
import type { PlannedItem } from './plan';

/** What came of one input item. */
interface ItemResult {
  itemIndex: number;
  parts: Part[];
  /** The output of the item. */
  json: IDataObject & { status: string; msg?: string };
  failed: boolean;
}

/** How n8n's "On Error" setting wants failed items. */
export type OnError = 'stop' | 'continueRegularOutput' | 'continueErrorOutput';

/**
 * Gives each input item exactly one output item, paired to it.
 *
 * Failed items have the shapes that n8n leaves intact. It sends json with exactly `error`, `message` and
 * `details` to the error branch. It would replace the json of an item that has the error beside it.
 *
 * @throws NodeOperationError or NodeApiError with the counts, when an item failed and the node is set to
 * stop on errors
 */
export function settleItems(
  node: INode,
  items: PlannedItem[],
  outcomes: Outcomes,
  onError: OnError,
): INodeExecutionData[] {
  const results = resultsOf(items, outcomes);
  const first = results.find(({ failed }) => failed);
  if (onError === 'stop' && first) throw errorOf(node, results, first);
  return results.map((result) => outputItem(node, result, onError));
}

/** The output item of an input item, paired to it. */
export function outputItem(
  node: INode,
  { itemIndex, json, failed }: Pick<ItemResult, 'itemIndex' | 'json' | 'failed'>,
  onError: OnError,
): INodeExecutionData {
  return failed
    ? failedItem(node, failedJson(json, onError), itemIndex)
    : { json, pairedItem: { item: itemIndex } };
}

function failedJson(json: ItemResult['json'], onError: OnError): IDataObject {
  // Never empty: n8n would not recognise a failed item.
  const error = json.msg || NO_REASON;
  if (onError === 'continueErrorOutput') return { error, message: error, details: json };
  return { ...json, error };
}

function resultsOf(items: PlannedItem[], outcomes: Outcomes): ItemResult[] {
  const results: ItemResult[] = [];
  items.forEach((item, itemIndex) => {
    // An item with the same key comes before this one, so its result is known.
    const other = item.sameKeyAs === undefined ? undefined : results[item.sameKeyAs];
    results.push(resultOf(itemIndex, partsOf(item, outcomes, other && sameKeyOutcome(other))));
  });
  return results;
}

/** The outcome of an item that is not sent because an earlier item has the same idempotency key. */
function sameKeyOutcome({ itemIndex, json }: ItemResult): Outcome {
  return json.status === 'rejected'
    ? {
        status: 'rejected',
        msg: `Not sent, like item ${itemIndex} with the same idempotency key: ${json.msg}`,
      }
    : { status: 'skipped', msg: `Not sent: item ${itemIndex} has the same idempotency key` };
}

/**
 * Groups the item's recipients by outcome.
 *
 * @param outcome of all its recipients, where none of them was sent to
 */
function partsOf(
  { recipients, refusals }: PlannedItem,
  outcomes: Outcomes,
  outcome?: Outcome,
): Part[] {
  const parts: Part[] = [];
  for (const recipient of recipients) {
    const own = outcome ?? outcomes.of(recipient);
    // From the end: neighbours mostly were in the same request.
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
      // Parts with different statuses: the user must look before repeating the item.
      status: statuses.size === 1 && status ? status : 'unknown',
      phone_numbers: parts.flatMap(({ phoneNumbers }) => phoneNumbers),
      msg: failed ? summarise(parts) : undefined,
      parts: parts.map(partJson),
    },
    failed,
  };
}

function partJson({ outcome, phoneNumbers }: Part): ItemResult['json'] {
  return {
    status: outcome.status,
    phone_numbers: phoneNumbers,
    batch_id: outcome.batch_id,
    batch_count: outcome.count,
    code: outcome.code,
    msg: outcome.msg,
    warning: outcome.warning,
    request_id: outcome.request_id,
    http_status: outcome.http_status,
    remembered: outcome.remembered,
    merged: outcome.merged,
  };
}

function summarise(parts: Part[]): string {
  const failure = parts.find(({ outcome }) => isFailure(outcome));
  return describeFailures(countByStatus(parts), failure?.outcome.msg || NO_REASON);
}

const NO_REASON = 'No reason was given';

/** The error that stops the node: why the first message failed, and what became of the others. */
function errorOf(
  node: INode,
  results: ItemResult[],
  first: ItemResult,
): NodeOperationError | NodeApiError {
  const failed = first.parts.map(({ outcome }) => outcome).filter(isFailure);
  const answered = failed.find(({ sent }) => sent !== undefined);
  const counts = countByStatus(results.flatMap(({ parts }) => parts));
  const { accepted, rejected, unknown, skipped } = counts;
  const isOne = accepted + rejected + unknown + skipped === 1;
  const description = sentences(
    isOne && rejected === 1 && 'Nothing was sent.',
    describeOthers(counts),
    results.flatMap(({ parts }) => parts).find(({ outcome }) => outcome.warning)?.outcome.warning,
    failed.find(({ advice }) => advice)?.advice,
    accepted + unknown > 0 &&
      'A retry of this execution sends only what certainly was not sent; a new execution may send the rest again.',
  );
  const message = describeFailures(counts, failed[0]?.msg || NO_REASON);
  return stopError(
    node,
    message,
    { itemIndex: first.itemIndex, description },
    answered && {
      code: answered.code,
      msg: answered.msg,
      requestId: answered.request_id,
      httpStatus: answered.http_status,
    },
  );
}
