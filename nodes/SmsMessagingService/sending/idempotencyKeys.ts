import { UserError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';
import { describeValue } from '../parameters/values';
import type { Ledger } from './ledger';
import type { Outcome, Recipient, Verdict } from './outcome';

type Store = Pick<
  IExecuteFunctions['helpers'],
  'checkProcessedAndRecord' | 'getProcessedDataCount' | 'removeProcessed'
>;

/** The key of one item, and what has become of it in this run. */
interface Use {
  key: string;
  /** Recipients of the item without outcome. */
  pending: number;
  /** A message was accepted or may have been: the key stays. */
  isSpent: boolean;
  /** This execution has recorded the key, in this try or an earlier one. */
  isOurs: boolean;
  /** The store has been asked for it in this try. */
  isChecked: boolean;
  /** Why the item must not be sent. */
  refusal?: Outcome;
}

/** The whole workflow shares one list, so that two nodes which send the same thing know of it. */
const SCOPE = 'workflow';

/** Where n8n keeps a key, it is a hash of 24 characters, in one row that is read and written whole. */
const OPTIONS = { mode: 'entries' as const, maxEntries: 100_000 };

/**
 * n8n's store reads, changes and writes a row without a lock. Inside one process every change of a
 * workflow's keys waits for the one before; between processes nothing can be done.
 */
const queues = new Map<string, Promise<unknown>>();

/**
 * Idempotency keys on n8n's deduplication store: a key is recorded before its item is sent, and
 * released when nothing of the item was or may have been sent.
 */
export class IdempotencyKeys {
  private readonly uses = new Map<number, Use>();

  constructor(
    private readonly store: Store,
    private readonly workflowId: string,
    private readonly ledger: Ledger,
  ) {}

  /**
   * Says that an item has a key.
   *
   * @param recipients how many of it are to be sent
   * @param isResumed an earlier try of this execution has sent a part of the item, under its key
   */
  add(itemIndex: number, key: string, recipients: number, isResumed: boolean): void {
    // Named after the package: nodes of other kinds may keep values in the workflow's list too.
    const storedKey = `smsMessagingService:${key}`;
    this.uses.set(itemIndex, {
      key: storedKey,
      pending: recipients,
      isSpent: isResumed,
      isOurs: isResumed || this.ledger.keyState(storedKey) === 'ours',
      isChecked: isResumed,
    });
  }

  /** Records the keys of recipients about to be sent. Those whose key forbids it get their outcome. */
  async admit(recipients: Recipient[]): Promise<{ admitted: Recipient[]; refused: Verdict[] }> {
    if (this.uses.size === 0) return { admitted: recipients, refused: [] };
    const refusals = await this.inTurn(() => this.record(this.usesOf(recipients)));
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
   * To be told every outcome. Releases the keys of items of which all recipients were refused, and
   * gives the outcomes back, with a warning where a key could not be released.
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
        return { recipients: [recipient], outcome: isKept ? withKeptKey(outcome, use) : outcome };
      }),
    );
  }

  private usesOf(recipients: Recipient[]): Use[] {
    const uses = recipients.map(({ itemIndex }) => this.uses.get(itemIndex));
    return [...new Set(uses)].filter((use) => use !== undefined);
  }

  /** From here on the ledger knows the item's recipients, and so whose the key is. */
  private spend(use: Use): void {
    if (use.isOurs && !use.isSpent) this.ledger.noteKey(use.key, undefined);
    use.isSpent = true;
  }

  /** Whether the keys are free now. */
  private async release(uses: Use[]): Promise<boolean> {
    const keys = uses.map(({ key }) => key);
    const removed = await this.inTurn(async () => {
      const size = await this.countKeys();
      try {
        await this.store.removeProcessed(keys, SCOPE, OPTIONS);
        return keys.length;
      } catch {
        return -((await this.growthSince(size)) ?? NaN);
      }
    });
    const isReleased = removed === keys.length;
    // Where that is not clear, another execution may have the key by the time of a retry.
    const state = isReleased ? undefined : removed === 0 ? 'ours' : 'claimed';
    for (const key of keys) this.ledger.noteKey(key, state);
    return isReleased;
  }

  /** Records the keys that are not yet, and gives the outcome of each item that cannot be sent now. */
  private async record(uses: Use[]): Promise<Map<Use, Outcome>> {
    // An item that is split over requests comes here with each of them.
    const open = uses.filter(({ isChecked, refusal }) => !isChecked && !refusal);
    if (open.length === 0) return new Map();
    const keys = open.map(({ key }) => key);
    const unclear = new Set(open.filter((use) => this.isUnclear(use)));
    for (const use of open) if (!use.isOurs) this.ledger.noteKey(use.key, 'claimed');
    const size = await this.countKeys();
    try {
      const fresh = await this.recordNew(keys);
      for (const use of open) {
        use.isChecked = true;
        if (use.isOurs || fresh.has(use.key)) this.own(use);
        else if (unclear.has(use)) use.refusal = notClearWhose(use);
        else use.refusal = this.disown(use);
      }
      return new Map();
    } catch (error) {
      const added = this.isFull(size, keys) ? undefined : await this.growthSince(size);
      for (const use of open) {
        if (added === keys.length) this.own(use);
        else if (added === 0 && !use.isOurs && !unclear.has(use)) this.disown(use);
      }
      return new Map(open.map((use) => [use, notRecorded(error as Error, this.isUnclear(use))]));
    }
  }

  /** Whether a call to the store failed that may have recorded the key. */
  private isUnclear({ key }: Use): boolean {
    return this.ledger.keyState(key) === 'claimed';
  }

  private own(use: Use): void {
    use.isOurs = true;
    this.ledger.noteKey(use.key, 'ours');
  }

  private disown(use: Use): Outcome {
    this.ledger.noteKey(use.key, undefined);
    return usedBefore(use);
  }

  /** Records keys, and returns those that were not there before. */
  private async recordNew(keys: string[]): Promise<Set<unknown>> {
    const record = () => this.store.checkProcessedAndRecord(keys, SCOPE, OPTIONS);
    // Another process may make the workflow's first entry in the same moment. Then nothing was
    // recorded, and now there is a row to add to. Any other failure may have left the keys recorded.
    const isFirstEntry = ({ message }: Error) => /unique|duplicate key/i.test(message);
    const recorded = await record().catch((error: Error) =>
      isFirstEntry(error) ? record() : Promise.reject(error),
    );
    return new Set(recorded.new);
  }

  private async countKeys(): Promise<number | undefined> {
    return await this.store.getProcessedDataCount(SCOPE, OPTIONS).catch(() => undefined);
  }

  /**
   * How many keys the store holds more than before: where a change of it failed, that tells whether
   * it was made all the same. It has no way to ask whose a key is.
   */
  private async growthSince(size: number | undefined): Promise<number | undefined> {
    const now = await this.countKeys();
    return size === undefined || now === undefined ? undefined : now - size;
  }

  /** A full store drops the oldest key for each that is added, so its size tells nothing. */
  private isFull(size: number | undefined, added: string[]): boolean {
    return size === undefined || size + added.length > OPTIONS.maxEntries;
  }

  private async inTurn<T>(change: () => Promise<T>): Promise<T> {
    const before = queues.get(this.workflowId);
    const result = (before ?? Promise.resolve()).then(change);
    const done = result.catch(() => undefined);
    queues.set(this.workflowId, done);
    try {
      return await result;
    } finally {
      if (queues.get(this.workflowId) === done) queues.delete(this.workflowId);
    }
  }
}

/** What an expression without a value leaves in a text: one key, such as order-undefined, for all items. */
const NO_VALUE =
  /(?<![\p{L}\p{N}])(?:undefined|null|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])|\[object \w+\]/u;

/**
 * The key of one item; undefined where there is none.
 *
 * @param isWanted whether each item is to have one: the option is filled by an expression
 * @throws UserError for a key that would not be the item's own
 */
export function readIdempotencyKey(value: unknown, isWanted: boolean): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  if (value === null || value === undefined || text?.trim() === '') {
    if (!isWanted) return undefined;
    throw unusable("'Idempotency Key' has no value for this item");
  }
  if (text === undefined) {
    throw unusable(`'Idempotency Key' must be text, not ${describeValue(value)}`);
  }
  if (NO_VALUE.test(text)) {
    throw unusable(`'Idempotency Key' is ${describeValue(value)}, of which a part has no value`);
  }
  return text;
}

function unusable(message: string): UserError {
  return new UserError(message, {
    description:
      "Check the expression that fills 'Idempotency Key': each item needs a key of its own. Items that are to be sent without a key go through a node without this option.",
  });
}

const shown = ({ key }: Use) => key.slice(key.indexOf(':') + 1);

function usedBefore(use: Use): Outcome {
  return {
    status: 'skipped',
    msg: `Not sent: the idempotency key "${shown(use)}" was used before in this workflow`,
  };
}

function notClearWhose(use: Use): Outcome {
  return {
    status: 'unknown',
    msg: `Not sent now: the idempotency key "${shown(use)}" is in n8n's store, and an earlier try of this execution could not tell whether it recorded the key or found it there`,
    advice: 'If no earlier execution has sent this item, send it again with another key.',
  };
}

function notRecorded({ message }: Error, isUnclear: boolean): Outcome {
  return {
    status: 'rejected',
    msg: `Not sent: the idempotency key could not be recorded (${message})`,
    advice:
      'n8n keeps the keys with the saved workflow, so save it first. If the workflow has a Remove Duplicates node with the scope Workflow, set its scope to Node.',
    warning: isUnclear
      ? "n8n's store may hold the idempotency key now. If a later execution skips the item, use another key."
      : undefined,
  };
}

function withKeptKey(outcome: Outcome, use: Use): Outcome {
  return {
    ...outcome,
    warning: `The idempotency key "${shown(use)}" could not be released. Another execution skips the item, unless it has another key.`,
  };
}
