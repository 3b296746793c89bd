import { Breather } from '../n8n/breather';
import { describeInvalid } from '../parameters/phoneNumbers';
import type { ParsedPhoneNumbers } from '../parameters/phoneNumbers';
import { canonicalJson } from '../service/json';
import type { Batch, News, Part, Recipient, SharedFields } from './outcome';
import type { SendOptions } from './options';
import { recipientKey } from './sendLedger';

export interface ItemRequest {
  /** What the item's messages share with those of other items. */
  shared: SharedFields;
  /**
   * Messages share a request only if these names are equal, in any order. They are not sent. The service
   * refuses a request as a whole, so messages that may be wrong must not share it with others.
   */
  groupBy?: string[];
  /** The entry of the request body for one phone number. */
  message: (phoneNumber: string) => unknown;
  idempotencyKey?: string;
  warnings?: string[];
}

/** Reads one input item: its phone numbers first, so that the outcome of an item that cannot be sent has them. */
export interface ItemReading {
  /** @throws UserError for an item that has none */
  phoneNumbers: (itemIndex: number) => ParsedPhoneNumbers;
  /** @throws UserError for an item that cannot be sent */
  request: (itemIndex: number) => ItemRequest;
}

export interface PlannedItem {
  recipients: Recipient[];
  /** What cannot be sent: texts that are not phone numbers, or the whole item. */
  unsendable?: Part;
  idempotencyKey?: string;
  /** Index of the earlier item with the same idempotency key, if any. Then this item is not sent. */
  sameKeyAs?: number;
  /** Its messages share requests with this group. Undefined if there is nothing to send. */
  group?: RequestGroup;
  /** Undefined if there are none, or nothing to send. */
  warnings?: string[];
}

interface RequestGroup {
  shared: SharedFields;
  groupBy: string[];
  key: string;
  /** Recipients that do not fill a request yet. */
  waiting: Recipient[];
}

/** Which messages the input items of one run ask for, and which requests they share. */
export class Plan {
  readonly items: PlannedItem[] = [];

  /** By the JSON of what their messages share. */
  private readonly groups = new Map<string, RequestGroup>();

  /** The group of the previous item. The next item usually has the same. */
  private latest: RequestGroup | undefined;

  /** By the JSON of everything that is sent, the first recipient of equal messages. */
  private readonly firsts = new Map<string, Recipient>();

  /** By idempotency key, the index of the first item that has it. */
  private readonly itemsByKey = new Map<string, number>();

  constructor(private readonly options: SendOptions) {}

  /** Whether an item with recipients has an idempotency key. */
  get hasKeys(): boolean {
    return this.itemsByKey.size > 0;
  }

  /**
   * Plans the items of a run one after the other, and yields each request as soon as it is full, so that it is
   * under way while later items are read. An item that cannot be sent does not hold back the others.
   *
   * @param toSend the recipients of a planned item to send to
   */
  async *requests(
    itemCount: number,
    reading: ItemReading,
    toSend: (item: PlannedItem) => Recipient[] = ownRecipients,
  ): AsyncGenerator<Batch, void> {
    const breather = new Breather();
    for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
      const item = this.planItem(reading, itemIndex);
      this.items.push(item);
      for (const batch of this.fill(item, toSend(item))) {
        yield batch;
        breather.restart();
      }
      if (breather.isDue) await breather.pause();
    }
    for (const { shared, waiting } of this.groups.values()) {
      if (waiting.length > 0) yield { shared, recipients: waiting };
    }
  }

  /** The requests that an item fills with these recipients. */
  private *fill({ group }: PlannedItem, recipients: Recipient[]): Generator<Batch, void> {
    if (group === undefined) return;
    for (const recipient of recipients) {
      group.waiting.push(recipient);
      if (group.waiting.length < this.options.batchSize) continue;
      yield { shared: group.shared, recipients: group.waiting };
      group.waiting = [];
    }
  }

  private planItem(reading: ItemReading, itemIndex: number): PlannedItem {
    let phoneNumbers: string[] = [];
    try {
      const { valid, invalid } = reading.phoneNumbers(itemIndex);
      phoneNumbers = [...new Set(valid)];
      const unsendable =
        invalid.length > 0
          ? unsendablePart(invalid, describeInvalid(invalid, this.options.phoneNumberFormat))
          : undefined;
      if (valid.length === 0) return { recipients: [], unsendable };
      const request = reading.request(itemIndex);
      const { idempotencyKey, warnings } = request;
      const group = this.groupOf(request);
      const recipients = this.planRecipients(itemIndex, phoneNumbers, request, group);
      const sameKeyAs =
        idempotencyKey === undefined
          ? undefined
          : findEarlier(this.itemsByKey, idempotencyKey, itemIndex);
      return { recipients, unsendable, idempotencyKey, sameKeyAs, group, warnings };
    } catch (error) {
      return { recipients: [], unsendable: unsendablePart(phoneNumbers, error as Problem) };
    }
  }

  private planRecipients(
    itemIndex: number,
    phoneNumbers: string[],
    { message, idempotencyKey }: ItemRequest,
    group: RequestGroup,
  ): Recipient[] {
    // An item with an idempotency key of its own is never a duplicate.
    const isMerging = this.options.duplicateNumbers === 'merge' && idempotencyKey === undefined;
    return phoneNumbers.map((phoneNumber) => {
      const key = recipientKey(itemIndex, phoneNumber);
      const recipient = { itemIndex, phoneNumber, message: message(phoneNumber), key };
      if (!isMerging) return recipient;
      const everything = canonicalJson([phoneNumber, recipient.message, group.key]);
      const mergedInto = findEarlier(this.firsts, everything, recipient);
      return mergedInto ? { ...recipient, mergedInto } : recipient;
    });
  }

  private groupOf({ shared, groupBy = [] }: ItemRequest): RequestGroup {
    const { latest } = this;
    if (latest && isSame(latest.shared, shared) && isAlike(latest.groupBy, groupBy)) return latest;
    const key = canonicalJson([shared, [...groupBy].sort()]);
    let group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, (group = { key, shared, groupBy, waiting: [] }));
    return (this.latest = group);
  }
}

/** The value that an earlier call has noted under the key. If there is none, notes this one. */
function findEarlier<T>(noted: Map<string, T>, key: string, value: T): T | undefined {
  const earlier = noted.get(key);
  if (earlier === undefined) noted.set(key, value);
  return earlier;
}

function isSame(one: SharedFields, other: SharedFields): boolean {
  return (
    one.path === other.path && isAlike(one.fields, other.fields) && isAlike(one.extra, other.extra)
  );
}

/** Whether two objects, or arrays, have the same values under the same names of their own. */
function isAlike<T extends object>(one: T, other: T): boolean {
  // This runs twice for each item, so no list of the names is made.
  for (const name in one)
    if (!Object.hasOwn(other, name) || one[name] !== other[name]) return false;
  for (const name in other) if (!Object.hasOwn(one, name)) return false;
  return true;
}

interface Problem {
  message: string;
  description?: string | null;
}

function unsendablePart(phoneNumbers: string[], { message: msg, description }: Problem): Part {
  const advice = description ?? undefined;
  return { phoneNumbers, outcome: { state: 'unsent', msg, advice, isUnsendable: true } };
}

/**
 * The recipients of an item that get a message of their own: none if an earlier item has its idempotency
 * key, and not those that are merged into an earlier recipient.
 */
export function ownRecipients({ recipients, sameKeyAs }: PlannedItem): Recipient[] {
  return sameKeyAs === undefined ? recipients.filter(({ mergedInto }) => !mergedInto) : [];
}

/** Plans a whole run before anything is sent. */
export async function collect(batches: AsyncIterable<Batch>): Promise<Batch[]> {
  const all: Batch[] = [];
  const breather = new Breather();
  for await (const batch of batches) {
    all.push(batch);
    if (breather.isDue) await breather.pause();
  }
  return all;
}

/**
 * Why the other messages are held back if an item cannot be sent and the node is set to stop on errors: the
 * next click would send them again.
 */
export function findBlock({ items }: Plan): News | undefined {
  const first = items.findIndex(({ unsendable }) => unsendable);
  if (first < 0) return undefined;
  const msg = `Not sent: item ${first} cannot be sent, and 'On Error' is 'Stop Workflow'`;
  return { happening: 'heldBack', msg };
}
