import { MAX_ADDED, MAX_REMOVED, slicesOf, unstoredOutcome } from './keyStore';
import type { Addition, KeyStore } from './keyStore';
import type { Admission, Conclusion, Outcome, Recipient } from './outcome';
import { ownRecipients } from './plan';
import type { Plan } from './plan';
import type { KeyNote, SendLedger } from './sendLedger';

/** Marks the keys of this package: nodes of other kinds may keep values in the workflow's list too. */
const KEY_PREFIX = 'smsMessagingService:';

/**
 * The key of one item. The ledger knows its state: no note, `claimed` or `held`. Only a key that is held
 * allows a send, and only a key that is held is released.
 */
interface ItemKey {
  key: string;
  /** Number of the item's recipients that may still be concluded. */
  pending: number;
  /** A message was accepted under the key or may have been, in any try. The key stays in the store. */
  isSpent: boolean;
  /** Why the item is not sent. */
  denial?: Outcome;
}

/**
 * Idempotency keys in n8n's deduplication store. A key is recorded before its item is sent. It is released
 * if no message of the item was sent or may have been.
 */
export class IdempotencyKeys {
  /** By the index of the item, from its first use on. */
  private readonly itemKeys = new Map<number, ItemKey>();

  constructor(
    private readonly keyStore: KeyStore,
    private readonly ledger: SendLedger,
    private readonly plan: Pick<Plan, 'hasKeys' | 'items'>,
  ) {}

  /**
   * Records the keys of recipients before they are sent to. Denies the recipients whose key was used
   * before, could not be recorded, or may belong to another execution.
   */
  async record(recipients: Recipient[]): Promise<Admission> {
    if (!this.plan.hasKeys) return { allowed: recipients, denied: [] };
    // A key may be recorded already: of an item with several requests.
    if (this.unrecorded(recipients).length > 0) {
      await this.keyStore.inTurn(() => this.recordKeys(recipients));
    }
    return {
      allowed: recipients.filter((recipient) => !this.denialOf(recipient)),
      denied: recipients.flatMap((recipient) => {
        const outcome = this.denialOf(recipient);
        return outcome ? [{ recipients: [recipient], outcome }] : [];
      }),
    };
  }

  /**
   * Takes in the outcomes. Releases the keys of items whose recipients were all rejected.
   *
   * @returns the outcomes, with a warning if a key may be in the store nevertheless
   */
  async conclude(conclusions: Conclusion[]): Promise<Conclusion[]> {
    if (!this.plan.hasKeys) return conclusions;
    const ended = this.takeIn(conclusions).filter(
      ({ pending, isSpent }) => pending === 0 && !isSpent,
    );
    if (ended.some(({ key }) => this.ledger.noteOf(key) === 'held')) {
      await this.keyStore.inTurn(() => this.release(ended));
    }
    const unclear = new Set(ended.filter(({ key }) => this.ledger.noteOf(key)));
    if (unclear.size === 0) return conclusions;
    return conclusions.flatMap(({ recipients, outcome }) =>
      recipients.map((recipient) => {
        const itemKey = this.keyOf(recipient);
        const isWarned = itemKey && unclear.has(itemKey) && outcome.status === 'rejected';
        const warned = isWarned ? { ...outcome, warning: keptKeyWarning(itemKey.key) } : outcome;
        return { recipients: [recipient], outcome: warned };
      }),
    );
  }

  /** @returns the keys of the recipients */
  private takeIn(conclusions: Conclusion[]): ItemKey[] {
    for (const { recipients, outcome } of conclusions) {
      for (const recipient of recipients) {
        const itemKey = this.keyOf(recipient);
        if (itemKey === undefined) continue;
        itemKey.pending -= 1;
        if (outcome.status !== 'rejected' && !itemKey.denial) this.spend(itemKey);
      }
    }
    return this.keysOf(conclusions.flatMap(({ recipients }) => recipients));
  }

  /** The note is not needed any more: the ledger now has the item's recipients, which show whose key it is. */
  private spend(itemKey: ItemKey): void {
    itemKey.isSpent = true;
    this.ledger.noteKey(itemKey.key, undefined);
  }

  private async recordKeys(recipients: Recipient[]): Promise<void> {
    for (const part of slicesOf(this.unrecorded(recipients), MAX_ADDED)) {
      const noted = new Map(part.map((itemKey) => [itemKey, this.ledger.noteOf(itemKey.key)]));
      for (const { key } of part) this.ledger.noteKey(key, 'claimed');
      const addition = await this.keyStore.add(part.map(({ key }) => key));
      for (const [itemKey, note] of noted) {
        const result = afterAdding(itemKey.key, note, addition);
        this.ledger.noteKey(itemKey.key, result.note);
        itemKey.denial = result.denial;
      }
    }
  }

  /** Releases those keys that are held. */
  private async release(itemKeys: ItemKey[]): Promise<void> {
    const held = itemKeys.map(({ key }) => key).filter((key) => this.ledger.noteOf(key) === 'held');
    for (const part of slicesOf(held, MAX_REMOVED)) {
      for (const key of part) this.ledger.noteKey(key, 'claimed');
      const note = await this.keyStore.remove(part);
      for (const key of part) this.ledger.noteKey(key, note);
    }
  }

  /** The keys that must be recorded before the recipients are sent to. */
  private unrecorded(recipients: Recipient[]): ItemKey[] {
    return this.keysOf(recipients).filter(
      ({ key, isSpent, denial }) => !isSpent && !denial && this.ledger.noteOf(key) !== 'held',
    );
  }

  private keysOf(recipients: Recipient[]): ItemKey[] {
    const itemKeys = recipients.map((recipient) => this.keyOf(recipient));
    return [...new Set(itemKeys)].filter((itemKey) => itemKey !== undefined);
  }

  private denialOf(recipient: Recipient): Outcome | undefined {
    return this.keyOf(recipient)?.denial;
  }

  /** The key of the recipient's item, if it has one. */
  private keyOf({ itemIndex }: Recipient): ItemKey | undefined {
    const known = this.itemKeys.get(itemIndex);
    const item = this.plan.items[itemIndex];
    if (known || item?.idempotencyKey === undefined) return known;
    const own = ownRecipients(item);
    const unsent = own.filter((recipient) => {
      const earlier = this.ledger.recall(recipient);
      return earlier === undefined || earlier.status === 'rejected';
    });
    const key = KEY_PREFIX + item.idempotencyKey;
    const itemKey = { key, pending: unsent.length, isSpent: unsent.length < own.length };
    this.itemKeys.set(itemIndex, itemKey);
    return itemKey;
  }
}

/**
 * What adding a key to the store means.
 *
 * @param note the ledger's note before
 */
function afterAdding(
  key: string,
  note: KeyNote | undefined,
  addition: Addition,
): { note?: KeyNote; denial?: Outcome } {
  if (addition.kind === 'failed') {
    const denial = unstoredOutcome('idempotency key', addition.reason);
    return { note: addition.mayHold ? 'claimed' : note, denial };
  }
  if (addition.fresh.has(key)) return { note: 'held' };
  if (note === 'claimed') return { note, denial: unclearKeyOutcome(key) };
  return { denial: usedKeyOutcome(key) };
}

const shown = (key: string) => key.slice(KEY_PREFIX.length);

/** An earlier execution, or another node of the workflow, has recorded the key. */
function usedKeyOutcome(key: string): Outcome {
  return {
    status: 'skipped',
    msg: `Not sent: the idempotency key "${shown(key)}" was used before in this workflow`,
  };
}

/** A call of an earlier try failed. It is not known whether that call recorded the key. */
function unclearKeyOutcome(key: string): Outcome {
  return {
    status: 'unknown',
    msg: `It is not known who recorded the idempotency key "${shown(key)}" in n8n's store`,
    advice:
      'An earlier try of this execution may have recorded it and sent nothing. If no earlier execution has sent this item, send it again with another key.',
  };
}

function keptKeyWarning(key: string): string {
  return `If a later execution skips the item, use another key: n8n's store may hold the idempotency key "${shown(key)}".`;
}
