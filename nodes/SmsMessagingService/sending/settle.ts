import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { NodeOperationError } from 'n8n-workflow';
import { inputError } from '../shared/errors';
import type { Outcome, Status } from './outcome';
import type { PlannedItem } from './plan';

/** An outcome with the phone numbers of one item that it is about. */
interface Part {
  outcome: Outcome;
  phoneNumbers: string[];
}

/** What came of one input item. */
interface ItemResult {
  itemIndex: number;
  /** The item's outcome as its output shows it. */
  json: IDataObject & { status: Status; msg?: string };
  failed: boolean;
  advice?: string;
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
  onError: OnError,
): INodeExecutionData[] {
  const results = items.map(resultOf);
  const failures = results.filter(({ failed }) => failed);
  if (onError === 'stop' && failures.length > 0) throw stopError(node, items, results, failures);
  return results.map(({ itemIndex, json, failed }) => ({
    json: failed ? failedJson(json, onError) : json,
    pairedItem: { item: itemIndex },
  }));
}

function failedJson(json: ItemResult['json'], onError: OnError): IDataObject {
  const error = json.msg ?? '';
  if (onError === 'continueErrorOutput') return { error, message: error, details: json };
  return { ...json, error };
}

function resultOf(item: PlannedItem, itemIndex: number): ItemResult {
  const parts = partsOf(item);
  const statuses = new Set(parts.map(({ outcome }) => outcome.status));
  const failed = statuses.has('rejected') || statuses.has('unknown');
  const advice = parts.map(({ outcome }) => outcome.advice).find((text) => text !== undefined);
  const [only] = parts;
  if (parts.length === 1 && only) {
    return { itemIndex, json: partJson(only), failed, advice };
  }
  const phoneNumbers = parts.flatMap((part) => part.phoneNumbers);
  const [status] = statuses;
  return {
    itemIndex,
    json: {
      // Parts that fared differently have no common status but "look before you repeat".
      status: statuses.size === 1 && status ? status : 'unknown',
      msg: failed ? summarise(parts) : undefined,
      phone_numbers: phoneNumbers,
      parts: parts.map(partJson),
    },
    failed,
    advice,
  };
}

/** The item's recipients by outcome: those of one request share one outcome object. */
function partsOf({ recipients, refusals }: PlannedItem): Part[] {
  const parts = new Map<Outcome, Part>();
  for (const { outcome, phoneNumber } of recipients) {
    if (outcome === undefined) throw new TypeError('A recipient was left without outcome');
    const part = parts.get(outcome);
    if (part) part.phoneNumbers.push(phoneNumber);
    else parts.set(outcome, { outcome, phoneNumbers: [phoneNumber] });
  }
  return [...parts.values(), ...refusals];
}

function partJson({ outcome, phoneNumbers }: Part): ItemResult['json'] {
  const { status, batch_id, code, msg, count, sent, warning, remembered } = outcome;
  return {
    status,
    batch_id,
    code,
    msg,
    phone_numbers: phoneNumbers,
    count,
    sent,
    warning,
    remembered,
  };
}

/** For instance `2 of 3 recipients were accepted; 1 was refused: <reason>`. */
function summarise(parts: Part[]): string {
  const all = parts.flatMap((part) => part.phoneNumbers).length;
  const counts = countByStatus(parts);
  const reason = parts.find(({ outcome }) => outcome.msg && outcome.status !== 'accepted')?.outcome
    .msg;
  return `${counts.accepted} of ${all} recipients were accepted (${describeCounts(counts)}): ${reason ?? ''}`;
}

function stopError(
  node: INode,
  items: PlannedItem[],
  results: ItemResult[],
  failures: ItemResult[],
): NodeOperationError | NodeApiError {
  const [first] = failures;
  const reason = first?.json.msg ?? 'A message was not sent';
  const message =
    results.length === 1 ? reason : `${failures.length} of ${results.length} items: ${reason}`;
  const counts = countByStatus(items.flatMap(partsOf));
  const kept =
    counts.accepted + counts.unknown > 0
      ? ' A retry of this execution sends only what was refused: accepted and unknown recipients are not sent to again.'
      : '';
  const description =
    `${first?.advice ?? ''} Of all recipients: ${describeCounts(counts)}.${kept}`.trim();
  const options = { itemIndex: first?.itemIndex, description };
  // `sent` tells that a request was made, so that it is the service that the message speaks of.
  const error =
    first?.json.sent === undefined
      ? inputError(node, message, options)
      : new NodeApiError(node, { message }, { message, ...options });
  // n8n replaces a text that happens to contain, say, "EEXIST"; the service's words stay.
  error.message = message;
  return error;
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
