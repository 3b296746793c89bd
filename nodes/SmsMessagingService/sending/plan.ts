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
  /**
   * Names that must be the same, in whatever order, for messages to share a request; they are not
   * sent. The service refuses a request as a whole, so messages of which some may be wrong must not
   * travel with the others.
   */
  groupBy?: string[];
  /** The entry of the request body for one phone number. */
  message: (phoneNumber: string) => unknown;
}

export interface PlanOptions {
  /** Most messages in one request. */
  batchSize: number;
  /** Whether several messages of the run that are the same in everything are sent once. */
  mergeDuplicates: boolean;
  /** Reads one item; what it throws becomes that item's outcome. */
  read: (itemIndex: number) => ItemRequest & { idempotencyKey?: string };
  /**
   * Called for each item that has something to send, before any of it is in a batch. A recipient that
   * is given an outcome here is not sent to.
   */
  prepare: (item: PlannedItem, itemIndex: number) => void;
}

export interface PlannedItem {
  recipients: Recipient[];
  /** Parts that were refused before any request: unusable numbers, or the whole item. */
  refusals: Refusal[];
  idempotencyKey?: string;
  /** Index of the earlier item of this run that has the same idempotency key; this one is not sent. */
  sameKeyAs?: number;
}

export interface Refusal {
  phoneNumbers: string[];
  outcome: Outcome;
}

/** Messages that can share requests, and what they have in common. */
interface Group extends Batch {
  key: string;
  groupBy: string[];
}

/** What is to be sent for the input items of one run, and in which requests. */
export class Plan {
  /** Per input item, what was asked for, in order; complete when the last batch is taken. */
  readonly items: PlannedItem[] = [];

  /** Batches that are full and were not given out yet. */
  private full: Batch[] = [];

  /** By the JSON of what their messages share; each has the recipients that do not fill a batch yet. */
  private readonly groups = new Map<string, Group>();

  /** The group of the item before, which mostly is that of the next one too. */
  private latest: Group | undefined;

  /** By the JSON of everything that is sent, the recipient that stands for all such. */
  private readonly merged = new Map<string, Recipient>();

  /** How often the item at hand has named each phone number. One map for all items: they are many. */
  private readonly occurrences = new Map<string, number>();

  private readonly itemsByKey = new Map<string, number>();

  constructor(private readonly options: PlanOptions) {}

  /**
   * Reads item by item, and gives out a batch as soon as it is full: so the first requests are under
   * way while later items are read. At the end come the batches that are not full. What is wrong with
   * one item stays with it: the others are planned all the same.
   */
  *batches(itemCount: number): Generator<Batch, void> {
    for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
      this.items.push(this.planItem(itemIndex));
      if (this.full.length === 0) continue;
      yield* this.full;
      this.full = [];
    }
    for (const { head, recipients } of this.groups.values()) {
      if (recipients.length > 0) yield { head, recipients };
    }
  }

  private planItem(itemIndex: number): PlannedItem {
    let request: ReturnType<PlanOptions['read']>;
    try {
      request = this.options.read(itemIndex);
    } catch (error) {
      return { recipients: [], refusals: [refuse([], error as Error)] };
    }
    const { valid, invalid } = parsePhoneNumbers(request.phoneNumbers);
    if (valid.length + invalid.length === 0) {
      return { recipients: [], refusals: [refuse([], NO_RECIPIENT)] };
    }
    const { idempotencyKey } = request;
    const item: PlannedItem = {
      recipients: this.planRecipients(itemIndex, valid, request),
      refusals: invalid.map((text) => refuse([text], notAPhoneNumber(text))),
      idempotencyKey,
    };
    if (valid.length === 0) return item;
    if (idempotencyKey !== undefined) {
      item.sameKeyAs = this.itemsByKey.get(idempotencyKey);
      if (item.sameKeyAs !== undefined) return item;
      this.itemsByKey.set(idempotencyKey, itemIndex);
    }
    this.options.prepare(item, itemIndex);
    this.addToGroup(item, request);
    return item;
  }

  private planRecipients(
    itemIndex: number,
    phoneNumbers: string[],
    { message }: ItemRequest,
  ): Recipient[] {
    const { mergeDuplicates } = this.options;
    const distinct = mergeDuplicates ? [...new Set(phoneNumbers)] : phoneNumbers;
    this.occurrences.clear();
    return distinct.map((phoneNumber) => {
      const occurrence = this.occurrences.get(phoneNumber) ?? 0;
      this.occurrences.set(phoneNumber, occurrence + 1);
      return {
        itemIndex,
        phoneNumber,
        message: message(phoneNumber),
        key: recipientKey(itemIndex, phoneNumber, occurrence),
      };
    });
  }

  private addToGroup(
    { recipients, idempotencyKey }: PlannedItem,
    { head, groupBy = [] }: ItemRequest,
  ): void {
    const group = this.groupOf(head, groupBy);
    // A key of its own says that an item is another one, whatever it sends.
    const isMerged = this.options.mergeDuplicates && idempotencyKey === undefined;
    for (const recipient of recipients) {
      if (isMerged) recipient.mergedInto = this.standInFor(recipient, group);
      if (recipient.mergedInto ?? recipient.outcome) continue;
      group.recipients.push(recipient);
      if (group.recipients.length === this.options.batchSize) {
        this.full.push({ head, recipients: group.recipients });
        group.recipients = [];
      }
    }
  }

  private groupOf(head: IDataObject, groupBy: string[]): Group {
    const { latest } = this;
    if (latest && isAlike(latest.head, head) && isAlike(latest.groupBy, groupBy)) return latest;
    const key = JSON.stringify([head, [...groupBy].sort()]);
    let group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, (group = { key, head, groupBy, recipients: [] }));
    return (this.latest = group);
  }

  /** The earlier recipient whose message is the same; this one becomes it for later ones, if none. */
  private standInFor(recipient: Recipient, { key }: Group): Recipient | undefined {
    const { phoneNumber, message } = recipient;
    const everything = JSON.stringify([phoneNumber, message, key]);
    const standIn = this.merged.get(everything);
    if (standIn === undefined) this.merged.set(everything, recipient);
    return standIn;
  }
}

/** Whether two objects, or lists, have the same values under the same names. */
function isAlike<T extends object>(one: T, other: T): boolean {
  // Without lists of the names: this is asked twice for every item.
  for (const name in one) if (one[name] !== other[name]) return false;
  for (const name in other) if (!(name in one)) return false;
  return true;
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
