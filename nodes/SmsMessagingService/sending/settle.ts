import type { INode, INodeExecutionData } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import { unreplaced } from '../n8n/errors';
import { failedItem } from '../n8n/output';
import { sentences } from '../service/sentences';
import { isSent, isUnsent, statusOf } from './messageLife';
import { isCause, isFailure } from './outcome';
import type { ItemResult, Outcome, Part } from './outcome';
import type { PlannedItem, Recipient } from './plan';
import { adviceOf, reasonOf, summarise } from './runError';

export async function settleItems(
  items: PlannedItem[],
  outcomeOf: (recipient: Recipient) => Outcome,
): Promise<ItemResult[]> {
  const results: ItemResult[] = [];
  const breather = new Breather();
  for (const item of items) {
    // The other item comes before this one, so its result is known.
    const other = item.sameKeyAs === undefined ? undefined : results[item.sameKeyAs];
    const shared = other && sameKeyOutcome(other);
    const parts = partsOf(item, shared ? () => shared : outcomeOf);
    results.push(resultOf(item.itemIndex, parts, other ? [] : item.warnings));
    if (breather.isDue) await breather.pause();
  }
  return results;
}

/** The phone number of each message that was sent or may have been. */
export function sentNumbers(results: ItemResult[]): string[] {
  return results
    .flatMap(({ parts }) => parts)
    .filter(({ outcome }) => isSent(outcome.state) && !outcome.merged)
    .flatMap(({ phoneNumbers }) => phoneNumbers);
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
): INodeExecutionData {
  if (!failed) return { json, pairedItem: { item: itemIndex } };
  // Never empty: n8n would not recognise a failed item.
  const error = unreplaced(reasonOf(json));
  const isBranching = node.onError === 'continueErrorOutput';
  return failedItem(node, isBranching ? { error, details: json } : { ...json, error }, itemIndex);
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

/** Groups the item's recipients by outcome. */
function partsOf(
  { recipients, unsendable }: PlannedItem,
  outcomeOf: (recipient: Recipient) => Outcome,
): Part[] {
  const parts = new Map<string, Part>();
  let latest: Part | undefined;
  for (const recipient of recipients) {
    const outcome = outcomeOf(recipient);
    // The recipients of one request come one after the other, and have the same object.
    if (outcome !== latest?.outcome) {
      const json = recipients.length === 1 ? '' : JSON.stringify(outcome);
      latest = parts.get(json) ?? { outcome, phoneNumbers: [] };
      parts.set(json, latest);
    }
    latest.phoneNumbers.push(recipient.phoneNumber);
  }
  return [...parts.values(), ...(unsendable ? [unsendable] : [])];
}

function resultOf(itemIndex: number, parts: Part[], warnings: string[] = []): ItemResult {
  const failed = parts.some(({ outcome }) => isFailure(outcome));
  const [only] = parts;
  const json = only && parts.length === 1 ? partJson(only) : partsJson(parts, failed);
  const warning = sentences(json.warning, ...warnings) || undefined;
  if (failed) {
    // The phone numbers that were certainly not sent to.
    json.open_numbers = parts.flatMap(({ outcome, phoneNumbers }) =>
      isUnsent(outcome.state) && !outcome.isUnsendable ? phoneNumbers : [],
    );
  }
  return { itemIndex, parts, json: { ...json, warning }, failed };
}

function partsJson(parts: Part[], failed: boolean): ItemResult['json'] {
  const statuses = new Set(parts.map(({ outcome }) => statusOf(outcome.state)));
  const [status] = statuses;
  return {
    // Different statuses: the user must look before repeating the item.
    status: statuses.size === 1 && status ? status : 'unknown',
    ...phoneNumbersJson(parts.flatMap(({ phoneNumbers }) => phoneNumbers)),
    ...(failed && { msg: summarise(parts), advice: adviceOf(parts) }),
    parts: parts.map(partJson),
  };
}

/** The phone numbers. If there is only one, it is also given as text, so that the next node can map it. */
export function phoneNumbersJson(phoneNumbers: string[]) {
  const isOnly = phoneNumbers.length === 1;
  return { ...(isOnly && { phone_number: phoneNumbers[0] }), phone_numbers: phoneNumbers };
}

function partJson({ outcome, phoneNumbers }: Part): ItemResult['json'] {
  const shown: Partial<Outcome> = { ...outcome };
  delete shown.state;
  delete shown.sent;
  delete shown.isUnsendable;
  delete shown.isUntried;
  return { status: statusOf(outcome.state), ...phoneNumbersJson(phoneNumbers), ...shown };
}
