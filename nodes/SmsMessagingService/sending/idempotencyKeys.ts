import { KEY_PREFIX, MAX_ADDED, MAX_REMOVED, slicesOf, unstored } from './keyStore';
import type { KeyStore } from './keyStore';
import type { News } from './outcome';
import type { SendLedger } from './sendLedger';

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
   * @param missing gives the open keys under which nothing was sent. A run that waits for its turn may record some meanwhile
   */
  async record(missing: () => string[]): Promise<void> {
    if (missing().length === 0) return;
    await this.keyStore.inTurn(async () => {
      for (const part of slicesOf(missing(), MAX_ADDED)) await this.add(part);
    });
  }

  /** Whether a key is neither recorded nor denied. */
  isOpen(key = ''): boolean {
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
    const before = new Map(keys.map((key) => [key, this.ledger.noteOf(key)]));
    for (const key of keys) this.ledger.note(key, 'claimed');
    const addition = await this.keyStore.add(keys);
    for (const [key, note] of before) {
      if (addition.kind === 'failed') {
        this.denials.set(key, unstored('idempotency key', addition.reason));
        if (!addition.mayHold) this.ledger.note(key, note);
      } else if (addition.fresh.has(key)) {
        this.ledger.note(key, 'held');
      } else {
        this.denials.set(key, note === 'claimed' ? unclear(key) : used(key));
        this.ledger.note(key, note);
      }
    }
  }
}

/** An earlier execution, or another node of the workflow, has recorded the key. */
function used(key: string): News {
  const msg = `Not sent: the idempotency key "${shown(key)}" was used before in this workflow`;
  return { happening: 'keyUsed', msg };
}

/** A call of an earlier try failed, which may have recorded the key. */
function unclear(key: string): News {
  return {
    happening: 'keyUnclear',
    msg: `It is not known who recorded the idempotency key "${shown(key)}" in n8n's store`,
    advice:
      'An earlier try of this execution may have recorded it and sent nothing. If no earlier execution has sent this item, send it again with another key.',
  };
}
