import { MAX_ADDED, MAX_REMOVED, slicesOf, unstored } from './keyStore';
import type { Addition, KeyStore } from './keyStore';
import type { News } from './outcome';
import type { SendLedger } from './sendLedger';

/** Marks the keys of this package: nodes of other kinds may keep values in the workflow's list too. */
const KEY_PREFIX = 'smsMessagingService:';

/** The idempotency key of an item, as n8n's store has it. */
export const storedKey = (idempotencyKey: string) => KEY_PREFIX + idempotencyKey;

const shown = (key: string) => key.slice(KEY_PREFIX.length);

/**
 * Idempotency keys in n8n's deduplication store. The ledger has a note of each that this execution has to do
 * with. `held`: it has recorded the key, and nothing was sent under it. `claimed`: a call that should record
 * or free the key has failed, or was interrupted, so the store may have the key or not. Only a key that is
 * held allows a send, and only a key that is held is freed.
 */
export class IdempotencyKeys {
  /** By key, why nothing is sent under it in this run. */
  readonly denials = new Map<string, News>();

  constructor(
    private readonly keyStore: KeyStore,
    private readonly ledger: SendLedger,
  ) {}

  /**
   * Records keys before something is sent under them. A key that was used before, could not be recorded or
   * may belong to another execution has a denial then.
   *
   * @param missing gives the keys that must be recorded. A run that waits for its turn may record some meanwhile
   */
  async record(missing: () => string[]): Promise<void> {
    if (missing().length === 0) return;
    await this.keyStore.inTurn(async () => {
      for (const part of slicesOf(missing(), MAX_ADDED)) await this.add(part);
    });
  }

  /** Whether a key must be recorded before something is sent under it, if nothing was. */
  isMissing(key: string): boolean {
    return this.ledger.noteOf(key) !== 'held' && !this.denials.has(key);
  }

  /** Keeps keys in the store for good. The ledger now has the recipients, which show whose keys they are. */
  keep(keys: string[]): void {
    for (const key of keys) this.ledger.note(key, undefined);
  }

  /** Takes those keys out of the store that are held. */
  async free(keys: string[]): Promise<void> {
    const isHeld = (key: string) => this.ledger.noteOf(key) === 'held';
    if (!keys.some(isHeld)) return;
    await this.keyStore.inTurn(async () => {
      for (const part of slicesOf(keys.filter(isHeld), MAX_REMOVED)) {
        for (const key of part) this.ledger.note(key, 'claimed');
        const note = await this.keyStore.remove(part);
        for (const key of part) this.ledger.note(key, note);
      }
    });
  }

  /** A warning if the store may have the key of an item that was not sent. */
  findWarning(key: string): string | undefined {
    return this.ledger.noteOf(key)
      ? `If a later execution skips the item, use another key: n8n's store may hold the idempotency key "${shown(key)}".`
      : undefined;
  }

  private async add(keys: string[]): Promise<void> {
    const notes = keys.map((key) => this.ledger.noteOf(key));
    for (const key of keys) this.ledger.note(key, 'claimed');
    const addition = await this.keyStore.add(keys);
    for (const [index, key] of keys.entries()) {
      const { note, denial } = afterAdding(key, notes[index], addition);
      this.ledger.note(key, note);
      if (denial) this.denials.set(key, denial);
    }
  }
}

/**
 * What adding a key to the store means.
 *
 * @param note the ledger's note before
 */
function afterAdding(
  key: string,
  note: string | undefined,
  addition: Addition,
): { note?: string; denial?: News } {
  if (addition.kind === 'failed') {
    const denial = unstored('idempotency key', addition.reason);
    return { note: addition.mayHold ? 'claimed' : note, denial };
  }
  if (addition.fresh.has(key)) return { note: 'held' };
  if (note !== 'claimed') {
    // An earlier execution, or another node of the workflow, has recorded it.
    const msg = `Not sent: the idempotency key "${shown(key)}" was used before in this workflow`;
    return { denial: { happening: 'keyUsed', msg } };
  }
  // A call of an earlier try failed, which may have recorded it.
  const msg = `It is not known who recorded the idempotency key "${shown(key)}" in n8n's store`;
  const advice =
    'An earlier try of this execution may have recorded it and sent nothing. If no earlier execution has sent this item, send it again with another key.';
  return { note, denial: { happening: 'keyUnclear', msg, advice } };
}
