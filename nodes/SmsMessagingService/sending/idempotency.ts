import type { IExecuteFunctions } from 'n8n-workflow';
import type { Outcome, Recipient } from './outcome';

type Helpers = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** The key of one item, and what has become of it in this run. */
interface Use {
  key: string;
  /** Recipients of the item without outcome. */
  pending: number;
  /** A message was accepted or may have been: the key stays. */
  isSpent: boolean;
  isRecorded: boolean;
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
 * released when the whole item was definitely refused.
 */
export class IdempotencyKeys {
  private readonly uses = new Map<number, Use>();

  constructor(
    private readonly helpers: Helpers,
    private readonly workflowId: string,
  ) {}

  /**
   * Says that an item has a key.
   *
   * @param recipients how many of it are to be sent
   * @param isResumed an earlier try of this execution has sent a part of the item, under its key
   */
  add(itemIndex: number, key: string, recipients: number, isResumed: boolean): void {
    const use = { key, pending: recipients, isSpent: isResumed, isRecorded: false };
    this.uses.set(itemIndex, use);
  }

  /** Records the keys of recipients about to be sent, and returns those whose key lets them. */
  async admit(recipients: Recipient[]): Promise<Recipient[]> {
    if (this.uses.size === 0) return recipients;
    const uses = this.usesOf(recipients);
    const refusals = await this.enqueue(() => this.record(uses));
    return recipients.filter((recipient) => {
      const use = this.uses.get(recipient.itemIndex);
      recipient.outcome = use && refusals.get(use);
      return recipient.outcome === undefined;
    });
  }

  /** Takes note of outcomes, and releases the keys of items that were refused as a whole. */
  async settle(recipients: Recipient[]): Promise<void> {
    if (this.uses.size === 0) return;
    for (const { itemIndex, outcome } of recipients) {
      const use = this.uses.get(itemIndex);
      if (use === undefined) continue;
      use.pending -= 1;
      use.isSpent ||= outcome?.status !== 'rejected';
    }
    const released = this.usesOf(recipients).filter(
      ({ pending, isSpent, isRecorded }) => pending === 0 && isRecorded && !isSpent,
    );
    if (released.length === 0) return;
    try {
      await this.enqueue(async () => {
        await this.helpers.removeProcessed(released.map(storedKey), SCOPE, OPTIONS);
      });
    } catch {
      for (const recipient of recipients) {
        const use = this.uses.get(recipient.itemIndex);
        if (use && released.includes(use)) recipient.outcome = withKeptKey(recipient.outcome, use);
      }
    }
  }

  private usesOf(recipients: Recipient[]): Use[] {
    const uses = recipients.map(({ itemIndex }) => this.uses.get(itemIndex));
    return [...new Set(uses)].filter((use) => use !== undefined);
  }

  /** Records the keys that are not yet, and gives the outcome of each item that must not be sent. */
  private async record(uses: Use[]): Promise<Map<Use, Outcome>> {
    const refusals = new Map<Use, Outcome>();
    // An item that is split over requests comes here with each of them.
    const open = uses.filter(({ isRecorded, refusal }) => !isRecorded && !refusal);
    try {
      const fresh = open.length > 0 ? await this.recordNew(open.map(storedKey)) : new Set();
      for (const use of open) {
        use.isRecorded = use.isSpent || fresh.has(storedKey(use));
        if (!use.isRecorded) use.refusal = usedBefore(use);
      }
    } catch (error) {
      const refusal = notRecorded(error as Error);
      for (const use of open) refusals.set(use, refusal);
    }
    for (const use of uses) if (use.refusal) refusals.set(use, use.refusal);
    return refusals;
  }

  /** Records keys, and returns those that were not there before. */
  private async recordNew(keys: string[]): Promise<Set<unknown>> {
    const record = () => this.helpers.checkProcessedAndRecord(keys, SCOPE, OPTIONS);
    // Another process may make the workflow's first entry in the same moment. Then nothing was
    // recorded, and now there is a row to add to. Any other failure may have left the keys recorded.
    const isFirstEntry = ({ message }: Error) => /unique|duplicate key/i.test(message);
    const recorded = await record().catch((error: Error) =>
      isFirstEntry(error) ? record() : Promise.reject(error),
    );
    return new Set(recorded.new);
  }

  private async enqueue<T>(change: () => Promise<T>): Promise<T> {
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

/** Named after the package: nodes of other kinds may keep values in the workflow's list too. */
function storedKey({ key }: Use): string {
  return `smsMessagingService:${key}`;
}

function usedBefore({ key }: Use): Outcome {
  return {
    status: 'skipped',
    msg: `Not sent: the idempotency key "${key}" was used before in this workflow`,
  };
}

function notRecorded({ message }: Error): Outcome {
  return {
    status: 'rejected',
    msg: `Not sent: the idempotency key could not be recorded (${message})`,
    advice:
      'n8n keeps the keys with the saved workflow, so save it first. If the workflow has a Remove Duplicates node with the scope Workflow, set its scope to Node.',
  };
}

function withKeptKey(outcome: Outcome | undefined, { key }: Use): Outcome | undefined {
  return (
    outcome && {
      ...outcome,
      warning: `The idempotency key "${key}" could not be released. Use another one to send this item again.`,
    }
  );
}
