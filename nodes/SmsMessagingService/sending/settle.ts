import type {
  IDataObject,
  INode,
  INodeExecutionData,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { failedItem } from '../n8n/failedItem';
import { runError } from '../service/errors';
import { sentences } from '../service/sentences';
import { countByStatus, describeFailures, describeOthers, isFailure } from './counts';
import type { Counts } from './counts';
import type { Outcome, Outcomes, Share } from './outcome';
import type { PlannedItem } from './plan';

/** What came of one input item. */
interface ItemResult {
  itemIndex: number;
  shares: Share[];
  /** Why the item, or a part of it, could not be sent: the first share that never was in a request. */
  unsendable?: Share;
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
export async function settleItems(
  node: INode,
  items: PlannedItem[],
  outcomes: Outcomes,
  onError: OnError,
): Promise<INodeExecutionData[]> {
  const results = await resultsOf(items, outcomes);
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

async function resultsOf(items: PlannedItem[], outcomes: Outcomes): Promise<ItemResult[]> {
  const results: ItemResult[] = [];
  const names: Names = new Map();
  const breather = new Breather();
  for (const [itemIndex, item] of items.entries()) {
    // An item with the same key comes before this one, so its result is known.
    const other = item.sameKeyAs === undefined ? undefined : results[item.sameKeyAs];
    const shares = sharesOf(item, outcomes, names, other && sameKeyOutcome(other));
    results.push({ ...resultOf(itemIndex, shares), unsendable: item.unsendable[0] });
    if (breather.isDue) await breather.pause();
  }
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

/** The JSON of each outcome of a run. The recipients of a request have the same object. */
type Names = Map<Outcome, string>;

/**
 * Groups the item's recipients by outcome.
 *
 * @param outcome of all its recipients, if none of them was sent to
 */
function sharesOf(
  { recipients, unsendable }: PlannedItem,
  outcomes: Outcomes,
  names: Names,
  outcome?: Outcome,
): Share[] {
  const shares = new Map<string, Share>();
  for (const recipient of recipients) {
    const own = outcome ?? outcomes.of(recipient);
    const name = names.get(own) ?? JSON.stringify(own);
    names.set(own, name);
    const share = shares.get(name);
    if (share) share.phoneNumbers.push(recipient.phoneNumber);
    else shares.set(name, { outcome: own, phoneNumbers: [recipient.phoneNumber] });
  }
  return [...shares.values(), ...unsendable];
}

function resultOf(itemIndex: number, shares: Share[]): ItemResult {
  const failed = shares.some(({ outcome }) => isFailure(outcome));
  const [only] = shares;
  const open = failed ? { open_numbers: openNumbers(shares) } : {};
  if (shares.length === 1 && only) {
    return { itemIndex, shares, json: { ...partJson(only), ...open }, failed };
  }
  const statuses = new Set(shares.map(({ outcome }) => outcome.status));
  const [status] = statuses;
  return {
    itemIndex,
    shares,
    json: {
      // Different statuses: the user must look before repeating the item.
      status: statuses.size === 1 && status ? status : 'unknown',
      phone_numbers: shares.flatMap(({ phoneNumbers }) => phoneNumbers),
      ...open,
      msg: failed ? summarise(shares) : undefined,
      parts: shares.map(partJson),
    },
    failed,
  };
}

/** The phone numbers that were certainly not sent to. A loop over the error branch sends to these. */
function openNumbers(shares: Share[]): string[] {
  return shares.flatMap(({ outcome, phoneNumbers }) =>
    outcome.status === 'rejected' && !outcome.isUnsendable ? phoneNumbers : [],
  );
}

function partJson({ outcome, phoneNumbers }: Share): ItemResult['json'] {
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

function summarise(shares: Share[]): string {
  const failure = shares.find(({ outcome }) => isFailure(outcome));
  return describeFailures(countByStatus(shares), failure?.outcome.msg || NO_REASON);
}

const NO_REASON = 'No reason was given';

/** The error that stops the node: why messages failed, and what became of the others. */
function errorOf(
  node: INode,
  results: ItemResult[],
  first: ItemResult,
): NodeOperationError | NodeApiError {
  const shares = results.flatMap((result) => result.shares);
  const counts = countByStatus(shares);
  const isAnySent = counts.accepted + counts.unknown > 0;
  const blocking = results.filter(({ unsendable }) => unsendable);
  if (blocking.length > 0 && !isAnySent) return blockedError(node, results, blocking);
  const failed = first.shares.map(({ outcome }) => outcome).filter(isFailure);
  const answered = failed.find(({ sent }) => sent !== undefined);
  const description = sentences(
    isOneMessage(counts) && counts.rejected === 1 && 'Nothing was sent.',
    describeOthers(counts, batchesOf(shares)),
    shares.find(({ outcome }) => outcome.warning)?.outcome.warning,
    failed.find(({ advice }) => advice)?.advice,
    isAnySent && AFTER_A_PART,
  );
  const message = describeFailures(counts, failed[0]?.msg || NO_REASON);
  return runError(
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

const AFTER_A_PART =
  'A retry of this execution sends only what certainly was not sent; a new execution may send the rest again.';

function isOneMessage({ accepted, rejected, unknown, skipped }: Counts): boolean {
  return accepted + rejected + unknown + skipped === 1;
}

export const MAX_NAMED = 50;

/** The batch IDs of what was accepted, as text. */
function batchesOf(shares: Share[]): string {
  const accepted = shares.filter(({ outcome }) => outcome.status === 'accepted');
  const ids = new Set(accepted.flatMap(({ outcome }) => outcome.batch_id ?? []));
  return listOf([...ids]);
}

/**
 * With "Stop Workflow", an item that cannot be sent holds back all others: the next click would send them
 * again.
 */
export function blockedOutcome(items: PlannedItem[]): Outcome | undefined {
  const itemIndex = items.findIndex(({ unsendable }) => unsendable.length > 0);
  if (itemIndex < 0) return undefined;
  return {
    status: 'rejected',
    msg: `Not sent: item ${itemIndex} cannot be sent, and 'On Error' is 'Stop Workflow'`,
  };
}

/** The error of a run that was held back. It names each item that cannot be sent. */
function blockedError(
  node: INode,
  results: ItemResult[],
  blocking: ItemResult[],
): NodeOperationError | NodeApiError {
  const outcome = blocking[0]?.unsendable?.outcome;
  const indices = blocking.map(({ itemIndex }) => String(itemIndex));
  const reason = outcome?.msg || NO_REASON;
  const isAlone = results.length === 1;
  const message = isAlone
    ? reason
    : `${blocking.length} of ${results.length} items cannot be sent, so nothing was sent. Item ${indices[0]}: ${reason}`;
  const description = sentences(
    isAlone && 'Nothing was sent.',
    outcome?.advice,
    indices.length > 1 && `The items that cannot be sent are ${listOf(indices)}`,
    !isAlone && "To send the others all the same, set 'On Error' to one of the 'Continue' settings",
  );
  return runError(node, message, { itemIndex: blocking[0]?.itemIndex ?? 0, description });
}

/** The first of the texts, and how many more there are. */
function listOf(texts: string[]): string {
  const more = texts.length - MAX_NAMED;
  return texts.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
