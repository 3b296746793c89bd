import type { IExecuteFunctions } from 'n8n-workflow';
import { untilAborted } from '../n8n/abort';

/** The functions of n8n's deduplication store. */
export type DeduplicationHelpers = Pick<
  IExecuteFunctions['helpers'],
  'checkProcessedAndRecord' | 'getProcessedDataCount' | 'removeProcessed'
>;

/** What a change did to the store: it was made for all keys or for none, or that is not known. */
export type Effect = 'all' | 'none' | 'unclear';

/** The result of adding keys. `fresh` are the keys that were not in the store before. */
export type Addition =
  { kind: 'added'; fresh: Set<unknown> } | { kind: 'failed'; reason: string; effect: Effect };

/** One list for the whole workflow, so that two nodes do not both send the same thing. */
const SCOPE = 'workflow';

/** The list has a limit, because n8n reads and writes it whole: a hash of 24 characters for each key. */
export const MAX_KEYS = 100_000;

/** From this number of keys on, the store is nearly full. When it is full, n8n drops the oldest for each new one. */
export const NEARLY_FULL = 0.9 * MAX_KEYS;

const OPTIONS = { mode: 'entries' as const, maxEntries: MAX_KEYS };

/** A database that does not answer must not hold up this run and every later one of the workflow. */
const STORE_TIMEOUT_MS = 10_000;

const NO_ANSWER = 'the database of n8n did not answer in time';

/** The workflow's keys in n8n's deduplication store. n8n cannot tell who recorded a key. */
export class KeyStore {
  /** Number of keys in the list. Undefined if it is not known. */
  private size: number | undefined;

  /** The store has not answered in time. It is not asked again in this run. */
  private isSilent = false;

  constructor(private readonly helpers: DeduplicationHelpers) {}

  /** What the user must know if the store is nearly full. */
  get hint(): string | undefined {
    const { size = 0 } = this;
    if (size < NEARLY_FULL) return undefined;
    return `n8n keeps ${MAX_KEYS} idempotency keys for a workflow, and then drops the oldest for each new one. ${size} are in use: soon an item whose key was dropped is sent again.`;
  }

  /** Adds keys, at least one. */
  async add(keys: string[]): Promise<Addition> {
    const size = await this.count();
    if (this.isSilent) return { kind: 'failed', reason: NO_ANSWER, effect: 'none' };
    try {
      const fresh = await this.addNew(keys);
      this.size = size === undefined ? undefined : size + fresh.size;
      return { kind: 'added', fresh };
    } catch (error) {
      // A full store drops the oldest key for each that is added, so its size tells nothing.
      const isFull = size === undefined || size + keys.length > MAX_KEYS;
      const added = isFull ? undefined : await this.growthSince(size);
      return { kind: 'failed', reason: (error as Error).message, effect: effectOn(keys, added) };
    }
  }

  /** Removes keys, at least one. Does not throw. */
  async remove(keys: string[]): Promise<Effect> {
    const size = await this.count();
    if (this.isSilent) return 'none';
    try {
      await this.inTime(this.helpers.removeProcessed(keys, SCOPE, OPTIONS));
      return 'all';
    } catch {
      const growth = await this.growthSince(size);
      return effectOn(keys, growth === undefined ? undefined : -growth);
    }
  }

  private async addNew(keys: string[]): Promise<Set<unknown>> {
    const add = () => this.inTime(this.helpers.checkProcessedAndRecord(keys, SCOPE, OPTIONS));
    // Another process may make the workflow's first entry at the same moment. Then nothing was added,
    // and now there is a list to add to. After any other failure the keys may be in the store.
    const isFirstEntry = ({ message }: Error) => /unique|duplicate key/i.test(message);
    const result = await add().catch((error: Error) =>
      isFirstEntry(error) ? add() : Promise.reject(error),
    );
    return new Set(result.new);
  }

  private async count(): Promise<number | undefined> {
    if (this.isSilent) return undefined;
    return await this.inTime(this.helpers.getProcessedDataCount(SCOPE, OPTIONS)).catch(
      () => undefined,
    );
  }

  /** How many more keys the store has than before. Shows whether a change that failed was made after all. */
  private async growthSince(size: number | undefined): Promise<number | undefined> {
    const now = await this.count();
    return size === undefined || now === undefined ? undefined : now - size;
  }

  /** @throws Error if the store does not answer in time. It may still make the change later. */
  private async inTime<T>(answer: Promise<T>): Promise<T> {
    const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS);
    return await untilAborted(timeout, answer).catch((error: Error) => {
      this.isSilent ||= timeout.aborted;
      throw timeout.aborted ? new Error(NO_ANSWER) : error;
    });
  }
}

/** @param changed number of keys that the change was made for. Undefined if it is not known */
function effectOn(keys: string[], changed: number | undefined): Effect {
  if (changed === keys.length) return 'all';
  return changed === 0 ? 'none' : 'unclear';
}
