import { KeyedQueue } from '../n8n/queue';
import {
  KEY_PREFIX,
  notClearWhose,
  notStored,
  usedBefore,
  withKeptKey,
  withUnclearKey,
} from './keyOutcomes';
import { KeyStore } from './keyStore';
import type { DeduplicationHelpers } from './keyStore';
import type { SendLedger } from './sendLedger';
import type { Outcome, Recipient, Verdict } from './outcome';

/**
 * The state of a key in this run:
 *
 * - `free`: not stored yet;
 * - `left`: an earlier try of this execution has stored it, or a release failed. It is stored again
 *   before its item is sent;
 * - `held`: stored, and nothing was sent under it;
 * - `spent`: a message was accepted under it or may have been, so it stays in the store;
 * - `taken`: another execution has it, or may have it. Its item is not sent.
 */
type KeyState = 'free' | 'left' | 'held' | 'spent' | 'taken';

/** The key of one item. */
interface Use {
  key: string;
  state: KeyState;
  /** Number of the item's recipients without an outcome. */
  pending: number;
  /** Why the item is not sent, if the key is taken. */
  denial?: Outcome;
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

  private readonly keyStore: KeyStore;

  constructor(
    helpers: DeduplicationHelpers,
    private readonly workflowId: string,
    private readonly ledger: SendLedger,
  ) {
    this.keyStore = new KeyStore(helpers);
  }

  /**
   * Registers the key of an item.
   *
   * @param recipients how many of its recipients are to be sent to
   * @param isResumed an earlier try of this execution has sent a part of the item, under its key
   */
  add(itemIndex: number, key: string, recipients: number, isResumed: boolean): void {
    const storedKey = KEY_PREFIX + key;
    const isLeft = this.ledger.keyState(storedKey) === 'held';
    const state = isResumed ? 'spent' : isLeft ? 'left' : 'free';
    this.uses.set(itemIndex, { key: storedKey, state, pending: recipients });
  }

  /**
   * Stores the keys of recipients before they are sent to. Denies the recipients whose key was used
   * before, could not be stored, or may belong to another execution.
   */
  async store(recipients: Recipient[]): Promise<{ allowed: Recipient[]; denied: Verdict[] }> {
    if (this.uses.size === 0) return { allowed: recipients, denied: [] };
    const failures = await changes.run(this.workflowId, () =>
      this.storeKeys(this.usesOf(recipients)),
    );
    const denialOf = ({ itemIndex }: Recipient) => {
      const use = this.uses.get(itemIndex);
      return use && (use.denial ?? failures.get(use));
    };
    return {
      allowed: recipients.filter((recipient) => !denialOf(recipient)),
      denied: recipients.flatMap((recipient) => {
        const outcome = denialOf(recipient);
        return outcome ? [{ recipients: [recipient], outcome }] : [];
      }),
    };
  }

  /** Number of keys that n8n keeps for the workflow, with those of this run. Undefined: not known. */
  get stored(): number | undefined {
    return this.keyStore.size;
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
      await this.remove(uses.filter(({ state }) => state === 'held'));
    });
    return recipients.filter(({ itemIndex }) => this.uses.get(itemIndex)?.state !== 'taken');
  }

  /**
   * Takes note of every outcome. Releases the keys of items whose recipients were all rejected, and
   * returns the outcomes, with a warning if a key is or may be in the store all the same.
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
    const ended = this.usesOf(concerned).filter(({ pending }) => pending === 0);
    const free = ended.filter(({ state }) => state === 'held' || state === 'left');
    const isReleased = free.length === 0 || (await this.release(free));
    const unclear = ended.filter((use) => use.state === 'free' && this.isUnclear(use));
    if (isReleased && unclear.length === 0) return verdicts;
    return verdicts.flatMap(({ recipients, outcome }) =>
      recipients.map((recipient) => {
        const use = this.uses.get(recipient.itemIndex);
        const warned =
          (use && !isReleased && free.includes(use) && withKeptKey(outcome, use.key)) ||
          (use && unclear.includes(use) && withUnclearKey(outcome, use.key));
        return { recipients: [recipient], outcome: warned || outcome };
      }),
    );
  }

  private usesOf(recipients: Recipient[]): Use[] {
    const uses = recipients.map(({ itemIndex }) => this.uses.get(itemIndex));
    return [...new Set(uses)].filter((use) => use !== undefined);
  }

  /** From here on the ledger has the item's recipients, and they tell whose key it is. */
  private spend(use: Use): void {
    if (use.state === 'taken' || use.state === 'spent') return;
    this.ledger.noteKey(use.key, undefined);
    use.state = 'spent';
  }

  /** @returns whether the keys are free now */
  private async release(uses: Use[]): Promise<boolean> {
    return await changes.run(this.workflowId, () => this.remove(uses));
  }

  /** @returns whether the keys are free now */
  private async remove(uses: Use[]): Promise<boolean> {
    if (uses.length === 0) return true;
    const keys = uses.map(({ key }) => key);
    const removed = await this.keyStore.remove(keys);
    const isReleased = removed === keys.length;
    for (const use of uses) {
      use.state = removed === 0 ? 'left' : 'free';
      // If it is not known, the key may be free, and another execution may have it before a retry.
      if (removed !== 0) this.ledger.noteKey(use.key, isReleased ? undefined : 'claimed');
    }
    return isReleased;
  }

  /**
   * Stores the keys that are not stored yet, and notes which are taken.
   *
   * @returns the outcomes for this request only, if the keys could not be stored
   */
  private async storeKeys(uses: Use[]): Promise<Map<Use, Outcome>> {
    // An item that is split over several requests comes here with each of them.
    const open = uses.filter(({ state }) => state === 'free' || state === 'left');
    if (open.length === 0) return new Map();
    const keys = open.map(({ key }) => key);
    const unclear = new Set(open.filter((use) => this.isUnclear(use)));
    for (const { key, state } of open) if (state === 'free') this.ledger.noteKey(key, 'claimed');
    const addition = await this.keyStore.add(keys);
    if (addition.kind === 'added') {
      for (const use of open) {
        if (use.state === 'left' || addition.fresh.has(use.key)) this.keep(use, 'held');
        else this.deny(use, unclear.has(use));
      }
      return new Map();
    }
    for (const use of open) {
      if (addition.added === keys.length) this.keep(use, 'left');
      else if (addition.added === 0 && use.state === 'free' && !unclear.has(use)) {
        this.ledger.noteKey(use.key, undefined);
      }
    }
    return new Map(open.map((use) => [use, notStored(addition.reason)]));
  }

  /** Whether a call to the store failed that may have stored the key. */
  private isUnclear({ key }: Use): boolean {
    return this.ledger.keyState(key) === 'claimed';
  }

  private keep(use: Use, state: 'held' | 'left'): void {
    use.state = state;
    this.ledger.noteKey(use.key, 'held');
  }

  /** @param isUnclear this execution may have stored the key itself */
  private deny(use: Use, isUnclear: boolean): void {
    use.state = 'taken';
    use.denial = isUnclear ? notClearWhose(use.key) : usedBefore(use.key);
    if (!isUnclear) this.ledger.noteKey(use.key, undefined);
  }
}
