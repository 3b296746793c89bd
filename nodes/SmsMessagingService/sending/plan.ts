import type { IDataObject } from 'n8n-workflow';
import type { Batch, Outcome, Recipient } from './outcome';
import { recipientKey } from './ledger';
import { parsePhoneNumbers } from './phoneNumbers';

/** What one input item asks for. */
export interface ItemRequest {
  /** Phone numbers as the user gave them. */
  phoneNumbers: unknown;
  /** Fields of the request body that the item's messages share with those of other items. */
  head: IDataObject;
  /** The entry of the request body for one phone number. */
  message: (phoneNumber: string) => unknown;
}

export interface Plan {
  /** Per input item, what was asked for, in order. An item that cannot be sent has its reason as outcome. */
  items: PlannedItem[];
  /** Every message that can be sent, grouped by what can share a request, in input order. */
  groups: Map<string, Batch>;
}

export interface PlannedItem {
  recipients: Recipient[];
  /** Parts that were refused before any request: unusable numbers, or the whole item. */
  refusals: Refusal[];
}

export interface Refusal {
  phoneNumbers: string[];
  outcome: Outcome;
}

/**
 * Reads every item and groups the messages that can share a request. What is wrong with one item
 * stays with it: the others are planned all the same.
 *
 * @param read reads one item; what it throws becomes that item's outcome
 */
export function planMessages(
  itemCount: number,
  runIndex: number,
  read: (itemIndex: number) => ItemRequest,
): Plan {
  const plan: Plan = { items: [], groups: new Map() };
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
    plan.items.push(planItem(plan.groups, itemIndex, runIndex, read));
  }
  return plan;
}

/** Cuts every group into requests of at most `batchSize` messages. */
export function splitIntoBatches(groups: Iterable<Batch>, batchSize: number): Batch[] {
  const batches: Batch[] = [];
  for (const { head, recipients } of groups) {
    for (let start = 0; start < recipients.length; start += batchSize) {
      batches.push({ head, recipients: recipients.slice(start, start + batchSize) });
    }
  }
  return batches;
}

function planItem(
  groups: Map<string, Batch>,
  itemIndex: number,
  runIndex: number,
  read: (itemIndex: number) => ItemRequest,
): PlannedItem {
  let request: ItemRequest;
  try {
    request = read(itemIndex);
  } catch (error) {
    return { recipients: [], refusals: [refuse([], error as Error)] };
  }
  const { valid, invalid } = parsePhoneNumbers(request.phoneNumbers);
  if (valid.length + invalid.length === 0) {
    return { recipients: [], refusals: [refuse([], NO_RECIPIENT)] };
  }
  const groupKey = JSON.stringify(request.head);
  let group = groups.get(groupKey);
  if (group === undefined) groups.set(groupKey, (group = { head: request.head, recipients: [] }));

  const occurrences = new Map<string, number>();
  const recipients = valid.map((phoneNumber): Recipient => {
    const occurrence = occurrences.get(phoneNumber) ?? 0;
    occurrences.set(phoneNumber, occurrence + 1);
    return {
      itemIndex,
      phoneNumber,
      message: request.message(phoneNumber),
      key: recipientKey(runIndex, itemIndex, phoneNumber, occurrence),
    };
  });
  for (const recipient of recipients) group.recipients.push(recipient);
  return { recipients, refusals: invalid.map((text) => refuse([text], notAPhoneNumber(text))) };
}

const NO_RECIPIENT = {
  message: "'Phone Numbers' is empty",
  description: 'Give at least one phone number, or filter out items without one before this node.',
};

function notAPhoneNumber(text: string) {
  return {
    message: `'Phone Numbers' has "${text}", which is not a mobile number`,
    description:
      'A number has 11 digits and starts with 1; +86 or 0086, spaces and dashes are fine. Several numbers are separated by comma, semicolon, space or line break.',
  };
}

function refuse(
  phoneNumbers: string[],
  { message, description }: { message: string; description?: string | null },
): Refusal {
  return {
    phoneNumbers,
    outcome: { status: 'rejected', msg: message, advice: description ?? undefined },
  };
}
