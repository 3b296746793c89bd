import type { IDataObject } from 'n8n-workflow';
import { recipientKey } from './ledger';
import type { Batch, Outcome, Recipient } from './outcome';
import { parsePhoneNumbers } from '../parameters/phoneNumbers';
import type { PhoneNumberFormat } from '../parameters/phoneNumbers';

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
  idempotencyKey?: string;
}

export interface PlanOptions {
  /** Most messages in one request. */
  batchSize: number;
  /** Whether several messages of the run that are the same in everything are sent once. */
  mergeDuplicates: boolean;
  phoneNumberFormat: PhoneNumberFormat;
}

export interface PlannedItem {
  recipients: Recipient[];
  /** Parts that were refused before any request: unusable numbers, or the whole item. */
  refusals: Refusal[];
  idempotencyKey?: string;
  /** Index of the earlier item of this run that has the same idempotency key; this one is not sent. */
  sameKeyAs?: number;
  /** What its messages share; left out where there is nothing to send. */
  group?: Group;
}

export interface Refusal {
  phoneNumbers: string[];
  outcome: Outcome;
}

/** Messages that can share requests, and what they have in common. */
interface Group {
  head: IDataObject;
  groupBy: string[];
  key: string;
  /** Those that do not fill a request yet. */
  waiting: Recipient[];
}

/** What is to be sent for the input items of one run, and in which requests. */
export class Plan {
  /** Per input item, what was asked for, in order. */
  readonly items: PlannedItem[] = [];

  /** By the JSON of what their messages share. */
  private readonly groups = new Map<string, Group>();

  /** The group of the item before, which mostly is that of the next one too. */
  private latest: Group | undefined;

  /** By the JSON of everything that is sent, the recipient that stands for all such. */
  private readonly standIns = new Map<string, Recipient>();

  private readonly itemsByKey = new Map<string, number>();

  constructor(private readonly options: PlanOptions) {}

  /**
   * Plans the next item. What is wrong with it stays with it: the others are planned all the same.
   *
   * @param read reads what the item asks for; what it throws becomes the item's outcome
   */
  addItem(read: () => ItemRequest): PlannedItem {
    let item: PlannedItem;
    try {
      item = this.planItem(read(), this.items.length);
    } catch (error) {
      item = refusedItem(error as Error);
    }
    this.items.push(item);
    return item;
  }

  /**
   * Gives out the requests that recipients of an item make full: so the first are under way while
   * later items are read.
   *
   * @param recipients those of the item that are to be sent to
   */
  *fill({ group }: PlannedItem, recipients: Recipient[]): Generator<Batch, void> {
    if (group === undefined) return;
    for (const recipient of recipients) {
      group.waiting.push(recipient);
      if (group.waiting.length < this.options.batchSize) continue;
      yield { head: group.head, recipients: group.waiting };
      group.waiting = [];
    }
  }

  /** Gives out the requests that never became full. */
  *rest(): Generator<Batch, void> {
    for (const { head, waiting } of this.groups.values()) {
      if (waiting.length > 0) yield { head, recipients: waiting };
    }
  }

  private planItem(request: ItemRequest, itemIndex: number): PlannedItem {
    const { phoneNumbers, head, groupBy = [], idempotencyKey } = request;
    const { valid, invalid } = parsePhoneNumbers(phoneNumbers, this.options.phoneNumberFormat);
    if (valid.length + invalid.length === 0) return refusedItem(NO_RECIPIENT);
    const refusals = invalid.map((text) =>
      refuse([text], notAPhoneNumber(text, this.options.phoneNumberFormat)),
    );
    if (valid.length === 0) return { recipients: [], refusals };
    const group = this.groupOf(head, groupBy);
    const recipients = this.planRecipients(itemIndex, valid, request, group);
    const sameKeyAs =
      idempotencyKey === undefined ? undefined : this.itemsByKey.get(idempotencyKey);
    if (idempotencyKey !== undefined && sameKeyAs === undefined) {
      this.itemsByKey.set(idempotencyKey, itemIndex);
    }
    return { recipients, refusals, idempotencyKey, sameKeyAs, group };
  }

  private planRecipients(
    itemIndex: number,
    phoneNumbers: string[],
    { message, idempotencyKey }: ItemRequest,
    group: Group,
  ): Recipient[] {
    const { mergeDuplicates } = this.options;
    const distinct = mergeDuplicates ? [...new Set(phoneNumbers)] : phoneNumbers;
    const occurrences = new Map<string, number>();
    return distinct.map((phoneNumber) => {
      const occurrence = occurrences.get(phoneNumber) ?? 0;
      if (distinct.length > 1) occurrences.set(phoneNumber, occurrence + 1);
      const key = recipientKey(itemIndex, phoneNumber, occurrence);
      const recipient = { itemIndex, phoneNumber, message: message(phoneNumber), key };
      // A key of its own says that an item is another one, whatever it sends.
      if (!mergeDuplicates || idempotencyKey !== undefined) return recipient;
      const mergedInto = this.standInFor(recipient, group);
      return mergedInto ? { ...recipient, mergedInto } : recipient;
    });
  }

  private groupOf(head: IDataObject, groupBy: string[]): Group {
    const { latest } = this;
    if (latest && isAlike(latest.head, head) && isAlike(latest.groupBy, groupBy)) return latest;
    const key = JSON.stringify([head, [...groupBy].sort()]);
    let group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, (group = { key, head, groupBy, waiting: [] }));
    return (this.latest = group);
  }

  /** The earlier recipient whose message is the same; this one becomes it for later ones, if none. */
  private standInFor(recipient: Recipient, { key }: Group): Recipient | undefined {
    const { phoneNumber, message } = recipient;
    const everything = JSON.stringify([phoneNumber, message, key]);
    const standIn = this.standIns.get(everything);
    if (standIn === undefined) this.standIns.set(everything, recipient);
    return standIn;
  }
}

/** Whether two objects, or lists, have the same values under the same names. */
export function isAlike<T extends object>(one: T, other: T): boolean {
  // Without lists of the names: this is asked twice for every item.
  for (const name in one) if (one[name] !== other[name]) return false;
  for (const name in other) if (!(name in one)) return false;
  return true;
}

const NO_RECIPIENT = {
  message: "'Phone Numbers' is empty",
  description: 'Give at least one phone number, or filter out items without one before this node.',
};

const LOOKS_LIKE: Record<PhoneNumberFormat, string> = {
  mainlandMobile:
    "A number has 11 digits and starts with 13 to 19; +86 or 0086, spaces (138 0013 8000) and dashes are fine. For other numbers set the option 'Phone Number Format'.",
  any: 'A number has 5 to 20 digits; dashes are fine, spaces only as in 138 0013 8000.',
};

const MAX_SHOWN_LENGTH = 60;

function notAPhoneNumber(text: string, format: PhoneNumberFormat) {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return {
    message: `'Phone Numbers' has "${shown}", which is not a ${format === 'any' ? 'phone' : 'mobile'} number`,
    description: `${LOOKS_LIKE[format]} Several numbers are separated by comma, semicolon, space or line break.`,
  };
}

interface Problem {
  message: string;
  description?: string | null;
}

function refusedItem(problem: Problem): PlannedItem {
  return { recipients: [], refusals: [refuse([], problem)] };
}

function refuse(phoneNumbers: string[], { message, description }: Problem): Refusal {
  return {
    phoneNumbers,
    outcome: { status: 'rejected', msg: message, advice: description ?? undefined },
  };
}
