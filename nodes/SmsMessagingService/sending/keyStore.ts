import type { IExecuteFunctions } from 'n8n-workflow';
import { untilAborted } from '../n8n/abort';

/** The functions of n8n's deduplication store. */
export type DeduplicationHelpers = Pick<
  IExecuteFunctions['helpers'],
  'checkProcessedAndRecord' | 'getProcessedDataCount' | 'removeProcessed'
>;

/** What came of adding keys. */
export type Addition =
  | {
      kind: 'added';
      /** The keys that were not in the store before. */
      fresh: Set<unknown>;
    }
  | {
      kind: 'failed';
      reason: string;
      /** How many keys were added all the same; undefined where that is not known. */
      added?: number;
    };

/** One list for the whole workflow, so that two nodes that send the same thing know of each other. */
const SCOPE = 'workflow';

/** The list has a limit, because n8n reads and writes it whole: a hash of 24 characters for each key. */
export const MAX_KEYS = 100_000;

const OPTIONS = { mode: 'entries' as const, maxEntries: MAX_KEYS };

/** A database that does not answer must not hold up the run, and every later one of the workflow. */
const STORE_TIMEOUT_MS = 10_000;

/** The workflow's keys in n8n's deduplication store. n8n cannot tell who recorded a key. */
export class KeyStore {
  /** Number of keys in the list, as far as is known. */
  size: number | undefined;

  /** The store has not answered in time. It is not asked again in this run. */
  private isSilent = false;

  constructor(private readonly helpers: DeduplicationHelpers) {}

  async add(keys: string[]): Promise<Addition> {
    const size = await this.count();
    if (this.isSilent) return { kind: 'failed', reason: NO_ANSWER, added: 0 };
    try {
      const fresh = await this.addNew(keys);
      this.size = size === undefined ? undefined : size + fresh.size;
      return { kind: 'added', fresh };
    } catch (error) {
      // A full store drops the oldest key for each that is added, so its size tells nothing.
      const isFull = size === undefined || size + keys.length > MAX_KEYS;
      const added = isFull ? undefined : await this.growthSince(size);
      return { kind: 'failed', reason: (error as Error).message, added };
    }
  }

  /** @returns how many keys were removed; undefined if that is not known */
  async remove(keys: string[]): Promise<number | undefined> {
    const size = await this.count();
    if (this.isSilent) return 0;
    try {
      await this.inTime(this.helpers.removeProcessed(keys, SCOPE, OPTIONS));
      return keys.length;
    } catch {
      const growth = await this.growthSince(size);
      return growth === undefined ? undefined : -growth;
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

  /** How many more keys the store holds than before. Shows whether a change that failed was made after all. */
  private async growthSince(size: number | undefined): Promise<number | undefined> {
    const now = await this.count();
    return size === undefined || now === undefined ? undefined : now - size;
  }

  /** @throws Error if the store has not answered in time. It may still do then what was asked. */
  private async inTime<T>(answer: Promise<T>): Promise<T> {
    const timeout = AbortSignal.timeout(STORE_TIMEOUT_MS);
    return await untilAborted(timeout, answer).catch((error: Error) => {
      this.isSilent ||= timeout.aborted;
      throw timeout.aborted ? new Error(NO_ANSWER) : error;
    });
  }
}

const NO_ANSWER = 'the database of n8n did not answer in time';
