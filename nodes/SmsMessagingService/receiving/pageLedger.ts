import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/json';
import type { Sighting } from '../service/newRecords';
import { RecordMemory } from './recordMemory';

/** Identifies this process in static data: another main process of n8n may poll next. */
const PROCESS = randomUUID();

/** Max number of pages that are handed over and not confirmed. n8n may refuse all of them, and then they are kept. */
export const MAX_UNCONFIRMED = 10;

/**
 * After this time without a report from n8n a page counts as confirmed: its executions are running. The
 * slowest known refusal comes after 20 s, when n8n gives up waiting for its database.
 */
export const CONFIRMED_AFTER_MS = 30_000;

/** After this time without a report from n8n, a page that awaits success is due again: n8n may have lost the report. */
export const REPORT_LOST_AFTER_MS = 600_000;

/** Number of confirmed pages to remember: far more than another process can still hold as refused. */
const REMEMBERED = 200;

/** The records of one pull, from their arrival until they are confirmed. */
export interface PulledPage {
  /** The same in every process. */
  readonly id: string;
  /**
   * - `arrived`: n8n does not have the page yet;
   * - `handedOver`: n8n has it, and has not yet reported on all of it;
   * - `refused`: n8n did not start an execution with some of it;
   * - `confirmed`: n8n has started executions with all of it.
   *
   * If the page awaits success, an execution counts only once it has succeeded.
   */
  state: 'arrived' | 'handedOver' | 'refused' | 'confirmed';
  /** Only an execution that has succeeded confirms it. Until then it keeps its records, in static data too. */
  awaitsSuccess: boolean;
  /** The records to hand over: all that arrived, or those that n8n refused. */
  records: unknown[];
  /** The whole page, with its old records, until it is handed over. */
  sighting?: Sighting<unknown>;
  /** Number of executions that n8n has not reported on yet. */
  pending: number;
  /** In milliseconds of `performance.now()`, which a change of the clock does not move. */
  handedOverAt: number;
  /** n8n refused some of it once, or did not report on it, so it is in static data. */
  isKept: boolean;
  /** The process that changed it last. */
  by: string;
}

/** A page in static data. It has no records once another process need not hand it over. */
type StoredPage = Pick<PulledPage, 'id' | 'records' | 'by'>;

/** What static data holds of one event. */
interface Stored {
  version: 1;
  leftOvers: StoredPage[];
  /** See `RecordMemory.stored`. */
  memory: IDataObject;
}

/** The place for what must outlive the ledger's process. */
interface Storage {
  /** The object that has it under `key`: a workflow's static data. */
  data: IDataObject;
  key: string;
  /** Makes n8n save the static data, and waits until it most likely has. */
  save: () => Promise<void>;
}

/**
 * The pages of one event that were pulled and are not confirmed, and which records came before. It knows
 * the left-overs (what n8n refused and must be handed over again) and whether more may be pulled.
 *
 * Everything is kept in this process. The memory, the pages that n8n refused and those that await success are in
 * static data too, for the next process. This process trusts itself more than static data, because n8n may load static data before
 * it was saved, or fail to save it. It takes a page from static data only if another process has changed it.
 */
export class PageLedger {
  readonly memory = new RecordMemory();

  private readonly pages = new Map<string, PulledPage>();

  /** The memory as this process has written it last. */
  private written: unknown;

  /** The static data that n8n has saved may have the records of a page that is confirmed. */
  private isStale = false;

  /** Of the latest poll: `open` comes before anything that writes. */
  private storage!: Storage;

  /** From now on the ledger uses the storage of this poll. It learns what another process has changed. */
  open(storage: Storage): void {
    this.storage = storage;
    const stored = storage.data[storage.key];
    // Compared by its text: n8n gives out copies.
    const { seen } = Object(memoryIn(stored)) as IDataObject;
    if (seen !== this.written) this.memory.merge(memoryIn(stored));
    this.learn(stored);
    // n8n may have loaded static data before it was saved, and saves it with the other event's pages.
    if (this.written !== undefined) this.write();
  }

  /** Takes over pages that another node has left over. */
  takeOver(leftOvers: Pick<StoredPage, 'id' | 'records'>[]): void {
    const pages = leftOvers.filter(({ id, records }) => records.length > 0 && !this.pages.has(id));
    for (const { id, records } of pages) {
      Object.assign(this.enter({ id, records, by: PROCESS }), { state: 'refused', isKept: true });
    }
    if (pages.length > 0) this.write();
  }

  /**
   * Removes and returns the left-overs, for another ledger.
   *
   * @param stored what static data has of this ledger
   */
  giveAway(stored: unknown): PulledPage[] {
    this.learn(stored);
    const { due } = this;
    for (const { id } of due) this.pages.delete(id);
    return due;
  }

  /** Pages to hand over before anything is pulled. */
  get due(): PulledPage[] {
    return [...this.pages.values()].filter((page) => page.records.length > 0 && !isUnderWay(page));
  }

  /** Whether a page awaits success that only this ledger will learn of. Then static data must keep it. */
  get isWaiting(): boolean {
    return [...this.pages.values()].some((page) => page.awaitsSuccess && isUnderWay(page));
  }

  /** Whether more may be pulled. This bounds how many pages n8n may still refuse. */
  get isOpen(): boolean {
    const unconfirmed = [...this.pages.values()].filter(isUnderWay);
    const isDoubtful = this.due.length > 0 || unconfirmed.some(({ isKept }) => isKept);
    return !isDoubtful && unconfirmed.length < MAX_UNCONFIRMED;
  }

  /** Enters the new records of a page. */
  arrive(sighting: Sighting<unknown>): PulledPage {
    return this.enter({ id: randomUUID(), records: sighting.fresh, by: PROCESS }, sighting);
  }

  /**
   * To be called right before n8n gets the page. n8n saves static data together with the page, and so it
   * saves that the records were seen.
   *
   * @param divide divides the records among executions
   * @param awaitsSuccess whether only a success confirms the page. Then it is not divided
   * @returns the records of each execution. Each is to be confirmed or refused.
   */
  handOver(
    page: PulledPage,
    divide: (records: unknown[]) => unknown[][],
    awaitsSuccess = false,
  ): unknown[][] {
    const { memory } = this;
    memory.mark(page.sighting ?? memory.look(page.records));
    const { records, state, isKept } = page;
    const parts = awaitsSuccess ? [records] : divide(records);
    this.change(page, {
      state: 'handedOver',
      awaitsSuccess,
      records: awaitsSuccess ? records : [],
      sighting: undefined,
      pending: page.pending + parts.length,
      handedOverAt: performance.now(),
      isKept: isKept || state === 'handedOver',
    });
    this.write();
    this.isStale = false;
    return parts;
  }

  /** n8n has started one of the page's executions. If the page awaits success, the execution has succeeded. */
  confirm(page: PulledPage): void {
    page.pending -= 1;
    if (!page.awaitsSuccess && (page.pending > 0 || page.state !== 'handedOver')) return;
    this.change(page, { state: 'confirmed', records: [] });
    this.isStale ||= page.awaitsSuccess;
    if (!page.isKept) this.pages.delete(page.id);
  }

  /**
   * n8n did not start one of the page's executions, or the page awaits success and the execution has not
   * succeeded. Its records must be handed over again.
   */
  refuse(page: PulledPage, records: unknown[]): void {
    page.pending -= 1;
    if (page.awaitsSuccess) {
      // Another execution with the page has succeeded, or may yet.
      if (page.state === 'confirmed' || page.pending > 0) return;
      this.change(page, { state: 'refused', isKept: true });
      return;
    }
    this.change(page, { state: 'refused', isKept: true });
    for (const record of records) page.records.push(record);
  }

  /** Makes n8n save the left-overs now, and not with the next hand-over. */
  async save(): Promise<void> {
    this.write();
    this.isStale = false;
    await this.storage.save();
  }

  /** To be called before this process may end, so that the next one repeats no page that is confirmed. */
  async close(): Promise<void> {
    if (this.isStale) await this.save();
  }

  private enter(stored: StoredPage, sighting?: Sighting<unknown>): PulledPage {
    const none = { awaitsSuccess: false, pending: 0, handedOverAt: 0, isKept: false };
    const page: PulledPage = { ...stored, ...none, state: 'arrived', sighting };
    this.pages.set(page.id, page);
    return page;
  }

  /** The page that changed last is last. */
  private change(page: PulledPage, change: Partial<PulledPage>): void {
    Object.assign(page, change, { by: PROCESS });
    this.pages.delete(page.id);
    this.pages.set(page.id, page);
  }

  /** Takes over the pages in static data that another process has changed. */
  private learn(stored: unknown): void {
    for (const page of pagesIn(stored)) {
      const known = this.pages.get(page.id);
      // Unless it has forgotten the trigger, this process knows its pages better.
      if (page.by === PROCESS && (known || this.written !== undefined)) continue;
      // What this process has handed over can only come back to this process.
      if (known?.by === PROCESS && known.state !== 'refused') continue;
      const state = page.records.length === 0 ? 'confirmed' : 'refused';
      Object.assign(this.enter(page), { state, isKept: true });
    }
  }

  private write(): void {
    const confirmed = [...this.pages.values()].filter(({ state }) => state === 'confirmed');
    for (const { id } of confirmed.slice(0, -REMEMBERED)) this.pages.delete(id);
    const leftOvers = [...this.pages.values()]
      .filter(({ isKept, records }) => isKept || records.length > 0)
      .map(({ id, records, by }): StoredPage => ({ id, records, by }));
    const memory = this.memory.stored;
    const { data, key } = this.storage;
    data[key] = { version: 1, leftOvers, memory } satisfies Stored as unknown as IDataObject;
    this.written = memory.seen;
  }
}

/** Whether n8n has the page and may still report on it. */
function isUnderWay({ state, awaitsSuccess, handedOverAt }: PulledPage): boolean {
  const limitMs = awaitsSuccess ? REPORT_LOST_AFTER_MS : CONFIRMED_AFTER_MS;
  return state === 'handedOver' && performance.now() - handedOverAt < limitMs;
}

/** What came before, in static data, as `RecordMemory.merge` reads it. */
export function memoryIn(stored: unknown): unknown {
  return isObject(stored) ? stored.memory : undefined;
}

/** The pages in static data. Tolerates anything: it may be edited by hand, or saved in part. */
function pagesIn(stored: unknown): StoredPage[] {
  if (!isObject(stored) || stored.version !== 1 || !Array.isArray(stored.leftOvers)) return [];
  const pages: unknown[] = stored.leftOvers;
  return pages.filter((page): page is StoredPage => isObject(page) && Array.isArray(page.records));
}
