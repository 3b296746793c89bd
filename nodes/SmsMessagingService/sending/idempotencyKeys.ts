import { KeyedQueue } from '../n8n/queue';
import { KEY_PREFIX, notClearWhose, notStored, usedBefore, withKeptKey } from './keyOutcomes';
import { KeyStore } from './keyStore';
import type { DeduplicationHelpers } from './keyStore';
import type { SendLedger } from './sendLedger';
import type { Outcome, Recipient, Verdict } from './outcome';

/** The key of one item, and what has become of it in this run. */
interface Use {
  key: string;
  /** Number of the item's recipients without an outcome. */
  pending: number;
  /** A message was accepted or may have been, so the key stays. */
  isSpent: boolean;
  /** This execution has stored the key, in this try or an earlier one. */
  isOurs: boolean;
  /** The key need not be stored: the store took it or has it, or an earlier try sent under it. */
  isChecked: boolean;
  /** Why the item must not be sent. */
  refusal?: Outcome;
}

/**
 * n8n's store has no lock. In one process, each change of a workflow's keys waits for the one before.
 * Between processes a race remains.
 */
const changes = new KeyedQueue();

/**
 * Idempotency keys in n8n's deduplication store. A key is stored before its item is sent. It is released
 * when no message of the item was or may have been sent.
 */
export class IdempotencyKeys {
  private readonly uses = new Map<number, Use>();

  private readonly store: KeyStore;

  constructor(
    helpers: DeduplicationHelpers,
    private readonly workflowId: string,
    private readonly ledger: SendLedger,
  ) {
    this.store = new KeyStore(helpers);
  }

  /**
   * Registers the key of an item.
   *
   * @param recipients how many of its recipients are to be sent to
   * @param isResumed an earlier try of this execution has sent a part of the item, under its key
   */
  add(itemIndex: number, key: string, recipients: number, isResumed: boolean): void {
    const storedKey = KEY_PREFIX + key;
    this.uses.set(itemIndex, {
      key: storedKey,
      pending: recipients,
      isSpent: isResumed,
      isOurs: isResumed || this.ledger.keyState(storedKey) === 'ours',
      isChecked: isResumed,
    });
  }

  /**
   * Stores the keys of recipients before they are sent to. Refuses the recipients whose key was used
   * before, could not be stored, or may belong to another execution.
   */
  async admit(recipients: Recipient[]): Promise<{ admitted: Recipient[]; refused: Verdict[] }> {
    if (this.uses.size === 0) return { admitted: recipients, refused: [] };
    const refusals = await changes.run(this.workflowId, () =>
      this.storeKeys(this.usesOf(recipients)),
    );
    const refusalOf = ({ itemIndex }: Recipient) => {
      const use = this.uses.get(itemIndex);
      return use && (use.refusal ?? refusals.get(use));
    };
    return {
      admitted: recipients.filter((recipient) => !refusalOf(recipient)),
      refused: recipients.flatMap((recipient) => {
        const outcome = refusalOf(recipient);
        return outcome ? [{ recipients: [recipient], outcome }] : [];
      }),
    };
  }

  /**
   * The recipients whose key is free, before anything is sent. n8n's store has no look-up: a key is taken
   * and given back at once, because a run that must send nothing must not keep it.
   */
  async preview(recipients: Recipient[]): Promise<Recipient[]> {
    const uses = this.usesOf(recipients);
    if (uses.length === 0) return recipients;
    await changes.run(this.workflowId, async () => {
      await this.storeKeys(uses);
      await this.giveBack(uses.filter((use) => use.isOurs && use.isChecked && !use.isSpent));
    });
    return recipients.filter(({ itemIndex }) => !this.uses.get(itemIndex)?.refusal);
  }

  /**
   * Takes note of every outcome. Releases the keys of items whose recipients were all rejected, and
   * returns the outcomes, with a warning where a key could not be released.
   */
  async conclude(verdicts: Verdict[]): Promise<Verdict[]> {
    if (this.uses.size === 0) return verdicts;
    const concerned: Recipient[] = [];
    for (const { recipients, outcome } of verdicts) {
      for (const recipient of recipients) {
        const use = this.uses.get(recipient.itemIndex);
        if (use === undefined) continue;
        use.pending -= 1;
        if (outcome.status !== 'rejected') this.spend(use);
        concerned.push(recipient);
      }
    }
    const free = this.usesOf(concerned).filter(
      ({ pending, isSpent, isOurs }) => pending === 0 && isOurs && !isSpent,
    );
    if (free.length === 0 || (await this.release(free))) return verdicts;
    return verdicts.flatMap(({ recipients, outcome }) =>
      recipients.map((recipient) => {
        const use = this.uses.get(recipient.itemIndex);
        const isKept = use !== undefined && free.includes(use);
        return {
          recipients: [recipient],
          outcome: isKept ? withKeptKey(outcome, use.key) : outcome,
        };
      }),
    );
  }

  private usesOf(recipients: Recipient[]): Use[] {
    const uses = recipients.map(({ itemIndex }) => this.uses.get(itemIndex));
    return [...new Set(uses)].filter((use) => use !== undefined);
  }

  /** From here on the ledger has the item's recipients, and they tell whose key it is. */
  private spend(use: Use): void {
    if (use.isOurs && !use.isSpent) this.ledger.noteKey(use.key, undefined);
    use.isSpent = true;
  }

  /** @returns whether the keys are free now */
  private async release(uses: Use[]): Promise<boolean> {
    return await changes.run(this.workflowId, () => this.remove(uses));
  }

  private async giveBack(uses: Use[]): Promise<void> {
    if (uses.length === 0) return;
    const isReleased = await this.remove(uses);
    for (const use of uses) {
      // A key that may be there still stays ours, and is stored again before its item is sent.
      use.isOurs = !isReleased;
      use.isChecked = false;
    }
  }

  /** @returns whether the keys are free now */
  private async remove(uses: Use[]): Promise<boolean> {
    const keys = uses.map(({ key }) => key);
    const removed = await this.store.remove(keys);
    const isReleased = removed === keys.length;
    // Where that is not known, the keys may be free, and another execution may have them before a retry.
    const state = isReleased ? undefined : removed === 0 ? 'ours' : 'claimed';
    for (const key of keys) this.ledger.noteKey(key, state);
    return isReleased;
  }

  /**
   * Stores the keys that are not stored yet, and notes which items are refused for good.
   *
   * @returns the outcomes for this request only, where the keys could not be stored
   */
  private async storeKeys(uses: Use[]): Promise<Map<Use, Outcome>> {
    // An item that is split over several requests comes here with each of them.
    const open = uses.filter(({ isChecked, refusal }) => !isChecked && !refusal);
    if (open.length === 0) return new Map();
    const keys = open.map(({ key }) => key);
    const unclear = new Set(open.filter((use) => this.isUnclear(use)));
    for (const use of open) if (!use.isOurs) this.ledger.noteKey(use.key, 'claimed');
    const addition = await this.store.add(keys);
    if (addition.kind === 'added') {
      for (const use of open) {
        use.isChecked = true;
        if (use.isOurs || addition.fresh.has(use.key)) this.own(use);
        else if (unclear.has(use)) use.refusal = notClearWhose(use.key);
        else use.refusal = this.disown(use);
      }
      return new Map();
    }
    for (const use of open) {
      if (addition.added === keys.length) this.own(use);
      else if (addition.added === 0 && !use.isOurs && !unclear.has(use)) this.disown(use);
    }
    return new Map(open.map((use) => [use, notStored(addition.reason, this.isUnclear(use))]));
  }

  /** Whether a call to the store failed that may have stored the key. */
  private isUnclear({ key }: Use): boolean {
    return this.ledger.keyState(key) === 'claimed';
  }

  private own(use: Use): void {
    use.isOurs = true;
    this.ledger.noteKey(use.key, 'ours');
  }

  private disown(use: Use): Outcome {
    this.ledger.noteKey(use.key, undefined);
    return usedBefore(use.key);
  }
}
