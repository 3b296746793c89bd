import { KeyedQueue } from '../n8n/queue';
import { insideSentence } from '../service/sentences';
import { KeyStore } from './keyStore';
import type { Addition, DeduplicationHelpers, Effect } from './keyStore';
import type { Outcome, Recipient, Conclusion } from './outcome';
import type { SendLedger, StoredKey } from './sendLedger';

/** Marks the keys of this package: nodes of other kinds may keep values in the workflow's list too. */
const KEY_PREFIX = 'smsMessagingService:';

/**
 * The state of a key in this run:
 *
 * - `free`: not stored yet;
 * - `kept`: an earlier try of this execution has stored it, or a release failed. It is stored again
 *   before its item is sent;
 * - `held`: stored, and nothing was sent under it;
 * - `spent`: a message was accepted under it or may have been, so it stays in the store;
 * - `taken`: another execution has it, or may have it. Its item is not sent.
 */
type KeyState = 'free' | 'kept' | 'held' | 'spent' | 'taken';

/** What a change of the store means for a key of this run. */
interface KeyChange {
  state: KeyState;
  /** What the ledger notes about the key from now on. */
  note: StoredKey | undefined;
  /** The outcome of an item that is not sent because of its key. */
  denial?: (key: string) => Outcome;
}

const FREE: KeyChange = { state: 'free', note: undefined };
/** A call to the store failed, but may have stored the key. */
const UNCLEAR: KeyChange = { state: 'free', note: 'claimed' };
const KEPT: KeyChange = { state: 'kept', note: 'held' };
const HELD: KeyChange = { state: 'held', note: 'held' };
const USED: KeyChange = { state: 'taken', note: undefined, denial: usedKeyOutcome };
const UNCLEAR_OWNER: KeyChange = { state: 'taken', note: 'claimed', denial: unclearKeyOutcome };

/**
 * What adding a key to the store means, by what the ledger had noted about it before. `fresh`: the store did
 * not have it; `present`: it did. The others are effects of a call that failed.
 */
const AFTER_ADDING: Record<'fresh' | 'present' | Effect, Record<Noted, KeyChange>> = {
  fresh: { unnoted: HELD, claimed: HELD, held: HELD },
  present: { unnoted: USED, claimed: UNCLEAR_OWNER, held: HELD },
  all: { unnoted: KEPT, claimed: KEPT, held: KEPT },
  none: { unnoted: FREE, claimed: UNCLEAR, held: KEPT },
  unclear: { unnoted: UNCLEAR, claimed: UNCLEAR, held: KEPT },
};

type Noted = StoredKey | 'unnoted';

const AFTER_REMOVING: Record<Effect, KeyChange> = { all: FREE, none: KEPT, unclear: UNCLEAR };

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
 * if no message of the item was sent or may have been.
 */
export class IdempotencyKeys {
  /** By the index of the item. */
  private readonly uses = new Map<number, Use>();

  private readonly keyStore: KeyStore;

  constructor(
    helpers: DeduplicationHelpers,
    private readonly workflowId: string,
    private readonly ledger: SendLedger,
  ) {
    this.keyStore = new KeyStore(helpers);
  }

  /** What the user must know about the store. */
  get hint(): string | undefined {
    return this.keyStore.hint;
  }

  /**
   * Registers the key of an item.
   *
   * @param recipients number of its recipients to send to
   * @param isResumed an earlier try of this execution has sent a part of the item, under its key
   */
  add(itemIndex: number, key: string, recipients: number, isResumed: boolean): void {
    const storedKey = KEY_PREFIX + key;
    const isKept = this.ledger.keyState(storedKey) === 'held';
    const state = isResumed ? 'spent' : isKept ? 'kept' : 'free';
    this.uses.set(itemIndex, { key: storedKey, state, pending: recipients });
  }

  /**
   * Stores the keys of recipients before they are sent to. Denies the recipients whose key was used
   * before, could not be stored, or may belong to another execution.
   */
  async store(recipients: Recipient[]): Promise<{ allowed: Recipient[]; denied: Conclusion[] }> {
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

  /**
   * The recipients whose key is free, before anything is sent. n8n's store has no look-up: a key is stored
   * and released at once, because a run that must send nothing must not keep it.
   */
  async preview(recipients: Recipient[]): Promise<Recipient[]> {
    const uses = this.usesOf(recipients);
    if (uses.length === 0) return recipients;
    await changes.run(this.workflowId, async () => {
      await this.storeKeys(uses);
      await this.removeKeys(uses.filter(({ state }) => state === 'held'));
    });
    return recipients.filter(({ itemIndex }) => this.uses.get(itemIndex)?.state !== 'taken');
  }

  /**
   * Records outcomes. Releases the keys of items whose recipients were all rejected.
   *
   * @returns the outcomes, with a warning if a key is in the store nevertheless, or may be
   */
  async conclude(conclusions: Conclusion[]): Promise<Conclusion[]> {
    if (this.uses.size === 0) return conclusions;
    const ended = this.recordOutcomes(conclusions).filter(({ pending }) => pending === 0);
    const unsent = ended.filter(({ state }) => state === 'held' || state === 'kept');
    const isReleased =
      unsent.length === 0 || (await changes.run(this.workflowId, () => this.removeKeys(unsent)));
    const unclear = ended.filter(
      ({ key, state }) => state === 'free' && this.ledger.keyState(key) === 'claimed',
    );
    const warnings = new Map(unclear.map((use) => [use, unclearKeyWarning(use.key)]));
    if (!isReleased) for (const use of unsent) warnings.set(use, keptKeyWarning(use.key));
    if (warnings.size === 0) return conclusions;
    return conclusions.flatMap(({ recipients, outcome }) =>
      recipients.map((recipient) => {
        const use = this.uses.get(recipient.itemIndex);
        const warning = use && warnings.get(use);
        return { recipients: [recipient], outcome: warning ? { ...outcome, warning } : outcome };
      }),
    );
  }

  /** @returns the keys of the recipients */
  private recordOutcomes(conclusions: Conclusion[]): Use[] {
    const uses = new Set<Use>();
    for (const { recipients, outcome } of conclusions) {
      for (const { itemIndex } of recipients) {
        const use = this.uses.get(itemIndex);
        if (use === undefined) continue;
        use.pending -= 1;
        if (outcome.status !== 'rejected') this.spend(use);
        uses.add(use);
      }
    }
    return [...uses];
  }

  private usesOf(recipients: Recipient[]): Use[] {
    const uses = recipients.map(({ itemIndex }) => this.uses.get(itemIndex));
    return [...new Set(uses)].filter((use) => use !== undefined);
  }

  /** The note is not needed any more: the ledger now has the item's recipients, which show whose key it is. */
  private spend(use: Use): void {
    if (use.state === 'taken' || use.state === 'spent') return;
    this.apply(use, { state: 'spent', note: undefined });
  }

  /** @returns whether the keys are free now */
  private async removeKeys(uses: Use[]): Promise<boolean> {
    if (uses.length === 0) return true;
    const effect = await this.keyStore.remove(uses.map(({ key }) => key));
    for (const use of uses) this.apply(use, AFTER_REMOVING[effect]);
    return effect === 'all';
  }

  /**
   * Stores the keys that are not stored yet.
   *
   * @returns the outcomes for this request only, if the keys could not be stored
   */
  private async storeKeys(uses: Use[]): Promise<Map<Use, Outcome>> {
    // An item with several requests comes here with each of them.
    const open = uses.filter(({ state }) => state === 'free' || state === 'kept');
    if (open.length === 0) return new Map();
    const noted = new Map<Use, Noted>(
      open.map((use) => [use, this.ledger.keyState(use.key) ?? 'unnoted']),
    );
    for (const { key, state } of open) if (state === 'free') this.ledger.noteKey(key, 'claimed');
    const addition = await this.keyStore.add(open.map(({ key }) => key));
    for (const [use, before] of noted) {
      this.apply(use, AFTER_ADDING[additionOf(use.key, addition)][before]);
    }
    if (addition.kind === 'added') return new Map();
    return new Map(open.map((use) => [use, unstoredKeyOutcome(addition.reason)]));
  }

  private apply(use: Use, { state, note, denial }: KeyChange): void {
    use.state = state;
    use.denial = denial?.(use.key);
    this.ledger.noteKey(use.key, note);
  }
}

function additionOf(key: string, addition: Addition): keyof typeof AFTER_ADDING {
  if (addition.kind === 'failed') return addition.effect;
  return addition.fresh.has(key) ? 'fresh' : 'present';
}

const shown = (key: string) => key.slice(KEY_PREFIX.length);

/** An earlier execution, or another node of the workflow, has stored the key. */
function usedKeyOutcome(key: string): Outcome {
  return {
    status: 'skipped',
    msg: `Not sent: the idempotency key "${shown(key)}" was used before in this workflow`,
  };
}

/** It is not known whether an earlier try of this execution stored the key. */
function unclearKeyOutcome(key: string): Outcome {
  return {
    status: 'unknown',
    msg: `The idempotency key "${shown(key)}" is in n8n's store, and it is not known who recorded it`,
    advice:
      'An earlier try of this execution may have recorded it and sent nothing. If no earlier execution has sent this item, send it again with another key.',
  };
}

function unstoredKeyOutcome(reason: string): Outcome {
  return {
    status: 'rejected',
    msg: `The idempotency key could not be recorded (${insideSentence(reason)})`,
    advice:
      'n8n keeps the keys with the saved workflow, so save it first. If the workflow has a Remove Duplicates node with the scope Workflow, set its scope to Node.',
  };
}

function keptKeyWarning(key: string): string {
  return `n8n's store still holds the idempotency key "${shown(key)}". Another execution skips the item, unless it has another key.`;
}

function unclearKeyWarning(key: string): string {
  return `n8n's store may hold the idempotency key "${shown(key)}" now. If a later execution skips the item, use another key.`;
}
