import { UserError } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import type { Adaptation } from '../operations/endpoint';
import { describeInvalid, parsePhoneNumbers, PHONE_NUMBERS } from '../parameters/phoneNumbers';
import type { ParsedPhoneNumbers } from '../parameters/phoneNumbers';
import { ItemReader } from '../parameters/reader';
import type { ParameterReader } from '../parameters/reader';
import { canonicalJson } from '../service/json';
import { KEY_PREFIX } from './keyStore';
import { ITEM_OPTIONS } from './options';
import type { SendOptions } from './options';
import type { News, Part } from './outcome';

export interface SharedFields extends Adaptation {
  fields: Record<string, unknown>;
}

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
}

export interface PlannedItem {
  readonly itemIndex: number;
  recipients: Recipient[];
  /** What cannot be sent: texts that are not phone numbers, or the whole item. */
  unsendable?: Part;
  /** As n8n's store has it. */
  idempotencyKey?: string;
  /** Index of the earlier item with the same idempotency key, if any. Then this item is not sent. */
  sameKeyAs?: number;
  /** Its messages share requests with this group. Undefined if there is nothing to send. */
  group?: RequestGroup;
  /** Undefined if there are none, or nothing to send. */
  warnings?: string[];
}

export interface Recipient {
  readonly item: PlannedItem;
  readonly phoneNumber: string;
  /** Its entry in the request: an object for a template SMS, the number for a custom SMS. */
  readonly message: unknown;
  /** The earlier recipient with the same message. Nothing is sent for this one. */
  readonly mergedInto?: Recipient;
}

export interface Batch {
  shared: SharedFields;
  recipients: Recipient[];
}

/** The recipients that do not fill a request yet. */
interface RequestGroup extends Batch {
  key: string;
}

/** Which messages the input items of one run ask for, and which requests they share. */
export class Plan {
  readonly items: PlannedItem[] = [];

  /** By the JSON of what their messages share. */
  private readonly groups = new Map<string, RequestGroup>();

  /** By the JSON of everything that is sent, the first recipient of equal messages. */
  private readonly firsts = new Map<string, Recipient>();

  /** By idempotency key, the index of the first item that has it. */
  private readonly itemsByKey = new Map<string, number>();

  /** @param read reads what one item asks for. Throws a UserError for an item that cannot be sent */
  constructor(
    private readonly options: SendOptions,
    private readonly parameters: ParameterReader,
    private readonly read: (item: ItemReader) => ItemRequest,
  ) {}

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
    toSend: (item: PlannedItem) => Recipient[] = ownRecipients,
  ): AsyncGenerator<Batch, void> {
    const breather = new Breather();
    for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
      const item = this.planItem(new ItemReader(this.parameters, itemIndex));
      this.items.push(item);
      if (item.group) {
        const { shared, recipients } = item.group;
        for (const recipient of toSend(item)) {
          recipients.push(recipient);
          if (recipients.length < this.options.batchSize) continue;
          yield { shared, recipients: recipients.splice(0) };
        }
      }
      if (breather.isDue) await breather.pause();
    }
    for (const group of this.groups.values()) if (group.recipients.length > 0) yield group;
  }

  private planItem(reader: ItemReader): PlannedItem {
    const item: PlannedItem = { itemIndex: reader.itemIndex, recipients: [] };
    const { phoneNumberFormat: format } = this.options;
    // Read first, so that the outcome of an item that cannot be sent has them.
    let phoneNumbers: string[] = [];
    try {
      const read = (value: unknown) => requireNumbers(parsePhoneNumbers(value, format));
      const { valid, invalid } = reader.value('phoneNumbers', { label: PHONE_NUMBERS, read });
      phoneNumbers = [...new Set(valid)];
      if (invalid.length > 0) {
        item.unsendable = unsendablePart(invalid, describeInvalid(invalid, format));
      }
      if (valid.length > 0) this.planMessages(item, phoneNumbers, reader);
    } catch (error) {
      item.unsendable = unsendablePart(phoneNumbers, error as Problem);
    }
    return item;
  }

  private planMessages(item: PlannedItem, phoneNumbers: string[], reader: ItemReader): void {
    const { message, ...request } = this.read(reader);
    const key = reader.text('options.idempotencyKey', ITEM_OPTIONS.idempotencyKey.label, 'key');
    if (key !== '') {
      item.idempotencyKey = KEY_PREFIX + key;
      item.sameKeyAs = findEarlier(this.itemsByKey, key, item.itemIndex);
    }
    // Few items have some, and the plan keeps them to the end.
    if (reader.warnings.length > 0) item.warnings = reader.warnings;
    const group = this.groupOf(request);
    item.group = group;
    // An item with an idempotency key of its own is never a duplicate.
    const isMerging = this.options.duplicateNumbers === 'merge' && key === '';
    item.recipients = phoneNumbers.map((phoneNumber) => {
      const recipient = { item, phoneNumber, message: message(phoneNumber) };
      if (!isMerging) return recipient;
      const everything = canonicalJson([phoneNumber, recipient.message, group.key]);
      const mergedInto = findEarlier(this.firsts, everything, recipient);
      return mergedInto ? { ...recipient, mergedInto } : recipient;
    });
  }

  private groupOf({ shared, groupBy = [] }: Omit<ItemRequest, 'message'>): RequestGroup {
    const key = canonicalJson([shared, groupBy.toSorted()]);
    const group = this.groups.get(key) ?? { key, shared, recipients: [] };
    this.groups.set(key, group);
    return group;
  }
}

/** The value that an earlier call has noted under the key. If there is none, notes this one. */
function findEarlier<T>(noted: Map<string, T>, key: string, value: T): T | undefined {
  const earlier = noted.get(key);
  if (earlier === undefined) noted.set(key, value);
  return earlier;
}

/** @throws UserError for a value that has none */
function requireNumbers(numbers: ParsedPhoneNumbers): ParsedPhoneNumbers {
  if (numbers.valid.length + numbers.invalid.length > 0) return numbers;
  throw new UserError(`'${PHONE_NUMBERS}' is empty`, {
    description: 'Give at least one phone number, or take such items out before this node.',
  });
}

type Problem = Pick<UserError, 'message' | 'description'>;

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
  for await (const batch of batches) all.push(batch);
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
