import type { IExecuteFunctions } from 'n8n-workflow';
import { within } from '../n8n/abort';
import { turns } from '../n8n/queue';
import { insideSentence } from '../service/sentences';
import type { News } from './outcome';

/** The result of adding keys. `fresh` are the keys that were not in the store before. */
export type Addition =
  | { kind: 'added'; fresh: Set<unknown> }
  /** `mayHold`: the store may have added the keys all the same. */
  | { kind: 'failed'; reason: string; mayHold: boolean };

/** Marks the idempotency keys of this package: nodes of other kinds may keep values in the workflow's list too. */
export const KEY_PREFIX = 'smsMessagingService:';

/** One list for the whole workflow, so that two nodes do not both send the same thing. */
const SCOPE = 'workflow';

/** The list has a limit, because n8n reads and writes it whole. Then n8n drops the oldest for each new one. */
export const MAX_KEYS = 100_000;

/** From this number of keys on, a hint says that they are many. */
export const MANY_KEYS = 0.5 * MAX_KEYS;

/** Most keys that one call adds. n8n makes a hash of each while nothing else in its process can run. */
export const MAX_ADDED = 500;

/** Most keys that one call removes. For each, n8n searches the list from its oldest key while nothing else can run. */
export const MAX_REMOVED = 25;

const OPTIONS = { mode: 'entries' as const, maxEntries: MAX_KEYS };

/** A database that does not answer must not hold up this run and every later one of the workflow. */
export const STORE_TIMEOUT_MS = 10_000;

const NO_ANSWER = 'the database of n8n did not answer in time';

/** The workflow's keys in n8n's deduplication store. n8n cannot tell who recorded a key. */
export class KeyStore {
  /** The store has not answered in time. It is not asked again in this run. */
  private isSilent = false;

  constructor(
    private readonly helpers: IExecuteFunctions['helpers'],
    readonly workflowId: string,
  ) {}

  /**
   * Runs a task that changes the store when the earlier ones of the workflow have ended. The store has no
   * lock: between processes a race remains.
   */
  async inTurn<T>(task: () => Promise<T>): Promise<T> {
    return await turns.run(this.workflowId, task);
  }

  /** @param keys 1 to `MAX_ADDED` */
  async add(keys: string[]): Promise<Addition> {
    const mayHold = !this.isSilent;
    try {
      const add = () => this.helpers.checkProcessedAndRecord(keys, SCOPE, OPTIONS);
      return { kind: 'added', fresh: new Set((await this.inTime(add)).new) };
    } catch (error) {
      return { kind: 'failed', reason: (error as Error).message, mayHold };
    }
  }

  /**
   * @param keys 1 to `MAX_REMOVED`, all `held`
   * @returns the ledger's note of them after the call; undefined if they are removed
   */
  async remove(keys: string[]): Promise<'claimed' | 'held' | undefined> {
    if (this.isSilent) return 'held';
    try {
      await this.inTime(() => this.helpers.removeProcessed(keys, SCOPE, OPTIONS));
      return undefined;
    } catch {
      return 'claimed';
    }
  }

  /** What the user must know before n8n drops keys. */
  async findHint(): Promise<string | undefined> {
    const count = () => this.helpers.getProcessedDataCount(SCOPE, OPTIONS);
    const size = await this.inTime(count).catch(() => 0);
    if (size < MANY_KEYS) return undefined;
    return `n8n keeps ${MAX_KEYS} keys for a workflow, and then drops the oldest for each new one: an item whose key was dropped is sent again, and a number gets more than its limit. ${size} are in use.`;
  }

  /** @throws Error if the store does not answer in time. It may still make the change later. */
  private async inTime<T>(ask: () => Promise<T>): Promise<T> {
    if (this.isSilent) throw new Error(NO_ANSWER);
    const late = new Error(NO_ANSWER);
    return await within(STORE_TIMEOUT_MS, ask(), late).catch((error: Error) => {
      this.isSilent ||= error === late;
      throw error;
    });
  }
}

/** A key of the messages may not be in the store, so they are not sent. */
export function unstored(what: string, reason: string): News {
  return {
    happening: 'heldBack',
    msg: `The ${what} could not be recorded (${insideSentence(reason)})`,
    advice:
      'Save the workflow, give a Remove Duplicates node in it the scope Node, or try again when the database of n8n works.',
  };
}

export function* slicesOf<T>(all: T[], size: number): Generator<T[], void> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
