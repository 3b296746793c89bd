import { Breather } from '../n8n/breather';
import { describeInvalid, MAX_INVALID, parsePhoneNumbers } from '../parameters/phoneNumbers';
import { isAlike } from './alike';
import type { SendOptions } from './options';
import { recipientKey } from './sendLedger';
import { canonicalJson } from '../service/json';
import type { Batch, Head, Recipient, Share } from './outcome';

/** What one input item asks for. */
export interface ItemRequest {
  /** Phone numbers as the user gave them. */
  phoneNumbers: unknown;
  /** What the item's messages share with those of other items. */
  head: Head;
  /**
   * Names that must be equal, in any order, for messages to share a request. They are not sent. The
   * service refuses a request as a whole, so messages that may be wrong must not travel with others.
   */
  groupBy?: string[];
  /** The entry of the request body for one phone number. */
  message: (phoneNumber: string) => unknown;
  idempotencyKey?: string;
}

export interface PlannedItem {
  recipients: Recipient[];
  /** What cannot be sent: phone numbers that are none, or the whole item. */
  unsendable: Share[];
  idempotencyKey?: string;
  /** Index of the earlier item with the same idempotency key, if any. Then this item is not sent. */
  sameKeyAs?: number;
  /** Its messages share requests with this group. Left out where there is nothing to send. */
  group?: Group;
}

/** Messages that can share requests. */
interface Group {
  head: Head;
  groupBy: string[];
  key: string;
  /** Recipients that do not fill a request yet. */
  waiting: Recipient[];
}

/** Which messages the input items of one run ask for, and which requests they share. */
export class Plan {
  /** In the order of the input items. */
  readonly items: PlannedItem[] = [];

  /** By the JSON of what their messages share. */
  private readonly groups = new Map<string, Group>();

  /** The group of the item before. Mostly the next item has it too. */
  private latest: Group | undefined;

  /** By the JSON of all that is sent, the first recipient of equal messages. */
  private readonly firsts = new Map<string, Recipient>();

  private readonly itemsByKey = new Map<string, number>();

  constructor(
    private readonly options: Pick<
      SendOptions,
      'batchSize' | 'duplicateNumbers' | 'phoneNumberFormat'
    >,
  ) {}

  /**
   * Plans the next item. An item that cannot be sent does not hold back the others.
   *
   * @param read reads what the item asks for. What it throws becomes the item's outcome.
   */
  addItem(read: () => ItemRequest): PlannedItem {
    let item: PlannedItem;
    try {
      item = this.planItem(read(), this.items.length);
    } catch (error) {
      item = unsendableItem(error as Error);
    }
    this.items.push(item);
    return item;
  }

  /**
   * Yields the requests that an item makes full, so that they are under way while later items are read.
   *
   * @param recipients of the item, those that are to be sent to
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

  /** Yields the requests that never became full. */
  *rest(): Generator<Batch, void> {
    for (const { head, waiting } of this.groups.values()) {
      if (waiting.length > 0) yield { head, recipients: waiting };
    }
  }

  private planItem(request: ItemRequest, itemIndex: number): PlannedItem {
    const { phoneNumbers, head, groupBy = [], idempotencyKey } = request;
    const { phoneNumberFormat } = this.options;
    const { valid, invalid, isNoList } = parsePhoneNumbers(phoneNumbers, phoneNumberFormat);
    if (isNoList) return unsendableItem(NO_LIST);
    if (valid.length + invalid.length === 0) return unsendableItem(NO_RECIPIENT);
    const unsendable = invalid.map((text) =>
      cannotSend([text], describeInvalid(text, phoneNumberFormat)),
    );
    if (valid.length === 0) return { recipients: [], unsendable };
    const group = this.groupOf(head, groupBy);
    const recipients = this.planRecipients(itemIndex, valid, request, group);
    const sameKeyAs =
      idempotencyKey === undefined ? undefined : this.itemsByKey.get(idempotencyKey);
    if (idempotencyKey !== undefined && sameKeyAs === undefined) {
      this.itemsByKey.set(idempotencyKey, itemIndex);
    }
    return { recipients, unsendable, idempotencyKey, sameKeyAs, group };
  }

  private planRecipients(
    itemIndex: number,
    phoneNumbers: string[],
    { message, idempotencyKey }: ItemRequest,
    group: Group,
  ): Recipient[] {
    const mergeDuplicates = this.options.duplicateNumbers === 'merge';
    const distinct = mergeDuplicates ? [...new Set(phoneNumbers)] : phoneNumbers;
    const occurrences = new Map<string, number>();
    return distinct.map((phoneNumber) => {
      const occurrence = occurrences.get(phoneNumber) ?? 0;
      if (distinct.length > 1) occurrences.set(phoneNumber, occurrence + 1);
      const key = recipientKey(itemIndex, phoneNumber, occurrence);
      const recipient = { itemIndex, phoneNumber, message: message(phoneNumber), key };
      // An item with an idempotency key of its own is never a duplicate.
      if (!mergeDuplicates || idempotencyKey !== undefined) return recipient;
      const mergedInto = this.findFirst(recipient, group);
      return mergedInto ? { ...recipient, mergedInto } : recipient;
    });
  }

  private groupOf(head: Head, groupBy: string[]): Group {
    const { latest } = this;
    if (latest && isSameHead(latest.head, head) && isAlike(latest.groupBy, groupBy)) return latest;
    const key = canonicalJson([head, [...groupBy].sort()]);
    let group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, (group = { key, head, groupBy, waiting: [] }));
    return (this.latest = group);
  }

  /** The earlier recipient with an equal message. If there is none, this recipient is the first. */
  private findFirst(recipient: Recipient, { key }: Group): Recipient | undefined {
    const { phoneNumber, message } = recipient;
    const everything = canonicalJson([phoneNumber, message, key]);
    const first = this.firsts.get(everything);
    if (first === undefined) this.firsts.set(everything, recipient);
    return first;
  }
}

function isSameHead(one: Head, other: Head): boolean {
  return (
    one.path === other.path && isAlike(one.fields, other.fields) && isAlike(one.extra, other.extra)
  );
}

const NO_RECIPIENT = {
  message: "'Phone Numbers' is empty",
  description: 'Give at least one phone number, or filter out items without one before this node.',
};

const NO_LIST = {
  message: `'Phone Numbers' has more than ${MAX_INVALID.toLocaleString('en')} texts that are not phone numbers`,
  description:
    "Nothing of this item was sent. Check the expression that fills 'Phone Numbers': it must give phone numbers only.",
};

interface Problem {
  message: string;
  description?: string | null;
}

function unsendableItem(problem: Problem): PlannedItem {
  return { recipients: [], unsendable: [cannotSend([], problem)] };
}

function cannotSend(phoneNumbers: string[], { message, description }: Problem): Share {
  return {
    phoneNumbers,
    outcome: {
      status: 'rejected',
      msg: message,
      advice: description ?? undefined,
      isUnsendable: true,
    },
  };
}

/**
 * Plans the items of a run one after the other, and yields each request as soon as it is full.
 *
 * @param read reads what an item asks for. What it throws becomes the item's outcome.
 * @param recipientsOf the recipients of a planned item that are to be sent to
 */
export async function* planItems(
  plan: Plan,
  itemCount: number,
  read: (itemIndex: number) => ItemRequest,
  recipientsOf: (item: PlannedItem, itemIndex: number) => Recipient[],
): AsyncGenerator<Batch, void> {
  const breather = new Breather();
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
    const item = plan.addItem(() => read(itemIndex));
    for (const batch of plan.fill(item, recipientsOf(item, itemIndex))) {
      yield batch;
      breather.restart();
    }
    if (breather.isDue) await breather.pause();
  }
  yield* plan.rest();
}

/** The recipients of an item for whom a message is planned. */
export function ownRecipients({ recipients, sameKeyAs }: PlannedItem): Recipient[] {
  return sameKeyAs === undefined ? recipients.filter(({ mergedInto }) => !mergedInto) : [];
}

/** All requests of a run at once. */
export async function collect(batches: AsyncIterable<Batch>): Promise<Batch[]> {
  const all: Batch[] = [];
  const breather = new Breather();
  for await (const batch of batches) {
    all.push(batch);
    if (breather.isDue) await breather.pause();
  }
  return all;
}
