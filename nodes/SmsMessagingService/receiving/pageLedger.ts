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

/** Number of finished pages to remember: far more than another process can still hold as due. */
const REMEMBERED = 200;

/** Records that came together, until n8n has them for certain. */
export interface PulledPage {
  /** The same in every process. */
  readonly id: string;
  /** What is to be handed over, or may be again. Empty once n8n has all of it, or the rest is a page of its own. */
  records: unknown[];
  /** The whole page, with its old records, until it is handed over. */
  sighting?: Sighting<unknown>;
  /** The latest hand-over. Only this one can make the page due again. */
  handOver?: HandOver;
  /** It was in static data, so another process may have it. */
  isKept: boolean;
  /** The process that changed it last, and how often it was changed in all. */
  by: string;
  changes: number;
}

/** One hand-over of a page to n8n. What n8n reports about it changes nothing in any other hand-over. */
export interface HandOver {
  readonly page: PulledPage;
  /** Only an execution that has succeeded counts. Otherwise, one that has started. */
  readonly awaitsSuccess: boolean;
  /** In milliseconds of `performance.now()`, which a change of the clock does not move. */
  readonly at: number;
  /** The records of each execution that n8n has not reported on yet. */
  readonly pending: Set<unknown[]>;
  /** Some of it did not start, or did not succeed. */
  hasFailed: boolean;
  /** The records that n8n refused. */
  leftOver?: PulledPage;
}

/** A page in static data. It has no records once another process need not hand it over. */
type StoredPage = Pick<PulledPage, 'id' | 'records' | 'by' | 'changes'>;

/** What static data holds of one event. */
interface Stored {
  version: 1;
  leftOvers: StoredPage[];
  /** See `RecordMemory.stored`. */
  memory: IDataObject;
}

/** The place for what must outlive the ledger's process. */
export interface Storage {
  /** The object that has it under `key`: a workflow's static data. */
  data: IDataObject;
  key: string;
  /** Makes n8n save the static data, and waits until it most likely has. */
  save: () => Promise<void>;
}

/**
 * The pages of one event that were pulled and that n8n does not have for certain, and which records came
 * before. It knows what is due and whether more may be pulled.
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

  /** The IDs of the pages whose records are in the static data that n8n has saved. */
  private saved: string[] = [];

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

  /** Takes over pages that another node has left. Old hand-overs of them still report to the same page. */
  takeOver(left: PulledPage[]): void {
    const pages = left.filter(({ id }) => !this.pages.has(id));
    for (const page of pages) {
      this.pages.set(page.id, page);
      this.change(page, { isKept: true });
    }
    if (pages.length > 0) this.write();
  }

  /** Removes and returns what is due, for another ledger. */
  giveAway(): PulledPage[] {
    const { due } = this;
    for (const { id } of due) this.pages.delete(id);
    return due;
  }

  /** Pages to hand over before anything is pulled. */
  get due(): PulledPage[] {
    return [...this.pages.values()].filter(isDue);
  }

  /** Whether a page awaits success that only this ledger will learn of. Then static data must keep it. */
  get isWaiting(): boolean {
    return this.underWay.some(({ handOver }) => handOver?.awaitsSuccess);
  }

  /** Whether more may be pulled. This bounds how many pages n8n may still refuse. */
  get isOpen(): boolean {
    const { due, underWay } = this;
    const isDoubtful = underWay.some(({ isKept, handOver }) => isKept || handOver?.hasFailed);
    return due.length === 0 && !isDoubtful && underWay.length < MAX_UNCONFIRMED;
  }

  private get underWay(): PulledPage[] {
    return [...this.pages.values()].filter(isUnderWay);
  }

  /** Which records of a page are new. */
  look(records: unknown[]): Sighting<unknown> {
    return this.memory.look(records);
  }

  /** Enters the new records of a page. */
  arrive(sighting: Sighting<unknown>): PulledPage {
    return this.enter(sighting.fresh, { sighting });
  }

  /**
   * To be called right before n8n gets the page. n8n saves static data together with the page, and so it
   * saves that the records were seen.
   *
   * @param parts the records of each execution. If only a success counts, the whole page is one part
   */
  handOver(page: PulledPage, parts: unknown[][], awaitsSuccess: boolean): HandOver {
    const { memory } = this;
    memory.mark(page.sighting ?? memory.look(page.records));
    const at = performance.now();
    const handOver = { page, awaitsSuccess, at, pending: new Set(parts), hasFailed: false };
    this.change(page, {
      // What n8n refuses of the parts will be a page of its own.
      records: awaitsSuccess ? page.records : [],
      sighting: undefined,
      isKept: page.isKept || page.handOver !== undefined,
      handOver,
    });
    this.saved = this.write();
    return handOver;
  }

  /**
   * n8n has reported on an execution.
   *
   * @param isGood it has started; or it has succeeded, if only that counts
   */
  report(handOver: HandOver, records: unknown[], isGood: boolean): void {
    const { page, awaitsSuccess, pending } = handOver;
    pending.delete(records);
    handOver.hasFailed ||= !isGood;
    if (!isGood && !awaitsSuccess) this.leave(handOver, records);
    if (isGood && awaitsSuccess) this.change(page, { records: [] });
    const isOver = pending.size === 0 && page.records.length === 0;
    if (isOver && !page.isKept) this.pages.delete(page.id);
  }

  /** Records that n8n refused are a page of their own: an earlier or later hand-over says nothing about them. */
  private leave(handOver: HandOver, records: unknown[]): void {
    const { leftOver } = handOver;
    const canGrow = leftOver && !leftOver.handOver && this.pages.has(leftOver.id);
    const page = canGrow ? leftOver : this.enter([], { isKept: true });
    for (const record of records) page.records.push(record);
    handOver.leftOver = page;
  }

  /** Makes n8n save what is kept now, and not with the next hand-over. */
  async save(): Promise<void> {
    this.saved = this.write();
    await this.storage.save();
  }

  /** To be called before this process may end, so that the next one repeats no page that has succeeded. */
  async close(): Promise<void> {
    const isStale = this.saved.some((id) => !this.pages.get(id)?.records.length);
    if (isStale) await this.save();
  }

  private enter(records: unknown[], more: Partial<PulledPage>): PulledPage {
    const id = randomUUID();
    const page = { id, records, isKept: false, by: PROCESS, changes: 0 };
    const entered: PulledPage = { ...page, ...more };
    this.pages.set(entered.id, entered);
    return entered;
  }

  /** The page that changed last is last. Another ledger may have it by now. */
  private change(page: PulledPage, change: Partial<PulledPage>): void {
    Object.assign(page, change, { by: PROCESS, changes: page.changes + 1 });
    if (this.pages.delete(page.id)) this.pages.set(page.id, page);
  }

  /** Takes over the pages in static data that another process has changed. */
  private learn(stored: unknown): void {
    for (const { id, records, by, changes } of pagesIn(stored)) {
      const known = this.pages.get(id);
      // Unless it has forgotten the trigger, this process knows its pages better.
      if (by === PROCESS && (known || this.written !== undefined)) continue;
      // Static data may be older than what this process did with the page, or newer.
      if (known && known.changes > changes) continue;
      this.enter(records, { id, by, changes, isKept: true });
    }
  }

  /** Returns the IDs of the pages whose records are written. */
  private write(): string[] {
    const finished = [...this.pages.values()].filter((page) => !isDue(page) && !isUnderWay(page));
    for (const { id } of finished.slice(0, -REMEMBERED)) this.pages.delete(id);
    const leftOvers = [...this.pages.values()]
      .filter(({ isKept, records }) => isKept || records.length > 0)
      .map(({ id, records, by, changes }): StoredPage => ({ id, records, by, changes }));
    const memory = this.memory.stored;
    const { data, key } = this.storage;
    data[key] = { version: 1, leftOvers, memory } satisfies Stored as unknown as IDataObject;
    this.written = memory.seen;
    return leftOvers.filter(({ records }) => records.length > 0).map(({ id }) => id);
  }
}

/** Whether n8n has the page and may still report on it. */
function isUnderWay({ handOver }: PulledPage): boolean {
  if (!handOver || handOver.pending.size === 0) return false;
  const limitMs = handOver.awaitsSuccess ? REPORT_LOST_AFTER_MS : CONFIRMED_AFTER_MS;
  return performance.now() - handOver.at < limitMs;
}

function isDue(page: PulledPage): boolean {
  return page.records.length > 0 && !isUnderWay(page);
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
