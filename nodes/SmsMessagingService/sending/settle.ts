import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { unreplaced } from '../n8n/errors';
import { failedItem } from '../n8n/output';
import { sentences } from '../service/sentences';
import { isSent, isUnsent, statusOf } from './messageLife';
import { isCause, isFailure } from './outcome';
import type { Outcome, Part } from './outcome';
import type { PlannedItem } from './plan';
import type { Messages } from './messages';
import type { OnError } from './run';
import { adviceOf, reasonOf, runError, summarise } from './runError';

export interface ItemResult {
  itemIndex: number;
  parts: Part[];
  json: IDataObject & { status: string; msg?: string; advice?: string; warning?: string };
  failed: boolean;
}

export async function settleItems(
  items: PlannedItem[],
  messages: Pick<Messages, 'outcomeOf'>,
): Promise<ItemResult[]> {
  const results: ItemResult[] = [];
  const breather = new Breather();
  for (const [itemIndex, item] of items.entries()) {
    // The other item comes before this one, so its result is known.
    const other = item.sameKeyAs === undefined ? undefined : results[item.sameKeyAs];
    const parts = partsOf(item, messages, other && sameKeyOutcome(other));
    results.push(resultOf(itemIndex, parts, other ? [] : item.warnings));
    if (breather.isDue) await breather.pause();
  }
  return results;
}

/** The phone number of each message that was sent or may have been. */
export function sentNumbers(results: ItemResult[]): string[] {
  return results.flatMap(({ parts }) =>
    parts.flatMap(({ outcome, phoneNumbers }) =>
      isSent(outcome.state) && !outcome.merged ? phoneNumbers : [],
    ),
  );
}

/**
 * The output items of a run.
 *
 * @throws NodeOperationError or NodeApiError with the counts, if an item failed and the node is set to
 * stop on errors
 */
export function outputItems(
  node: INode,
  results: ItemResult[],
  onError: OnError,
): INodeExecutionData[] {
  const first = firstFailed(results);
  if (onError === 'stop' && first) throw runError(node, results, first);
  return results.map((result) => outputItem(node, result, onError));
}

/** The first item that failed, but none that was not tried because others failed: it does not show why. */
export function firstFailed(results: ItemResult[]): ItemResult | undefined {
  const cause = results.find(({ parts }) => parts.some(({ outcome }) => isCause(outcome)));
  return cause ?? results.find(({ failed }) => failed);
}

/**
 * The output item of an input item, paired to it.
 *
 * Failed items have the shapes that n8n leaves intact. It sends json with only `error` and `details` to the
 * error branch, and merges it over that of the input item. It would replace the json of an item that has the error beside it.
 */
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
  const error = unreplaced(reasonOf(json));
  if (onError === 'continueErrorOutput') return { error, details: json };
  return { ...json, error };
}

/** The outcome of an item that is not sent because an earlier item has the same idempotency key. */
function sameKeyOutcome({ itemIndex, json: { status, msg, advice } }: ItemResult): Outcome {
  return status === 'rejected'
    ? {
        state: 'unsent',
        msg: `Not sent, like item ${itemIndex}, which has the same idempotency key. ${msg}`,
        advice,
        isUntried: true,
      }
    : { state: 'skipped', msg: `Not sent: item ${itemIndex} has the same idempotency key` };
}

/**
 * Groups the item's recipients by outcome.
 *
 * @param outcome the outcome of all its recipients, if none of them was sent to
 */
function partsOf(
  { recipients, unsendable }: PlannedItem,
  messages: Pick<Messages, 'outcomeOf'>,
  outcome?: Outcome,
): Part[] {
  const parts = new Map<string, Part>();
  let latest: Part | undefined;
  for (const recipient of recipients) {
    const own = outcome ?? messages.outcomeOf(recipient);
    // The recipients of one request come one after the other, and have the same object.
    if (own !== latest?.outcome) {
      const json = recipients.length === 1 ? '' : JSON.stringify(own);
      latest = parts.get(json) ?? { outcome: own, phoneNumbers: [] };
      parts.set(json, latest);
    }
    latest.phoneNumbers.push(recipient.phoneNumber);
  }
  if (unsendable) parts.set('unsendable', unsendable);
  return [...parts.values()];
}

function resultOf(itemIndex: number, parts: Part[], warnings: string[] = []): ItemResult {
  const failed = parts.some(({ outcome }) => isFailure(outcome));
  const [only] = parts;
  const unsent = failed ? { open_numbers: openNumbers(parts) } : {};
  if (parts.length === 1 && only) {
    const warning = sentences(only.outcome.warning, ...warnings) || undefined;
    return { itemIndex, parts, json: { ...partJson(only), warning, ...unsent }, failed };
  }
  const statuses = new Set(parts.map(({ outcome }) => statusOf(outcome.state)));
  const [status] = statuses;
  return {
    itemIndex,
    parts,
    json: {
      // Different statuses: the user must look before repeating the item.
      status: statuses.size === 1 && status ? status : 'unknown',
      ...phoneNumbersJson(parts.flatMap(({ phoneNumbers }) => phoneNumbers)),
      ...unsent,
      msg: failed ? summarise(parts) : undefined,
      advice: failed ? adviceOf(parts) : undefined,
      warning: sentences(...warnings) || undefined,
      parts: parts.map(partJson),
    },
    failed,
  };
}

/** The phone numbers that were certainly not sent to. A loop over the error branch sends to these. */
function openNumbers(parts: Part[]): string[] {
  return parts.flatMap(({ outcome, phoneNumbers }) =>
    isUnsent(outcome.state) && !outcome.isUnsendable ? phoneNumbers : [],
  );
}

/** The phone numbers. If there is only one, it is also given as text, so that the next node can map it. */
export function phoneNumbersJson(phoneNumbers: string[]) {
  const isOnly = phoneNumbers.length === 1;
  return { ...(isOnly && { phone_number: phoneNumbers[0] }), phone_numbers: phoneNumbers };
}

function partJson({ outcome, phoneNumbers }: Part): ItemResult['json'] {
  return {
    status: statusOf(outcome.state),
    ...phoneNumbersJson(phoneNumbers),
    batch_id: outcome.batch_id,
    batch_count: outcome.count,
    code: outcome.code,
    msg: outcome.msg,
    advice: outcome.advice,
    answer: outcome.answer,
    warning: outcome.warning,
    request_id: outcome.request_id,
    http_status: outcome.http_status,
    remembered: outcome.remembered,
    merged: outcome.merged,
  };
}
