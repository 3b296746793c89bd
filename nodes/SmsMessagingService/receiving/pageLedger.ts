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
  state: PageState;
  /** The process that changed it last, and how often it was changed in all. */
  by: string;
  changes: number;
}

/**
 * Where a page is. Its `records` are to be handed over, or may be again:
 *
 * - `arrived`: it was pulled, with old records beside the new ones;
 * - `handedOver`: n8n has it, and may still report. `isAgain`: it was due before, so another process may have it;
 * - `due`: n8n did not take it, or another process has kept it;
 * - `done`: n8n has it for certain. It is remembered if it was due before.
 */
type PageState =
  | { kind: 'arrived'; records: unknown[]; sighting: Sighting<unknown> }
  | { kind: 'handedOver'; records: unknown[]; handOver: HandOver; isAgain: boolean }
  | { kind: 'due' | 'done'; records: unknown[] };

/**
 * One hand-over of a page to n8n. What n8n reports about it changes nothing in any other hand-over. Like the
 * lease of a job, it ends by itself.
 */
export interface HandOver {
  readonly page: PulledPage;
  /** Only an execution that has succeeded counts. Otherwise, one that has started. */
  readonly awaitsSuccess: boolean;
  /** In milliseconds of `performance.now()`, which a change of the clock does not move. */
  readonly endsAt: number;
  /** The records of each execution that n8n has not reported on yet. */
  readonly pending: Set<unknown[]>;
  /** The page of what n8n did not start of it. */
  leftOver?: PulledPage;
}

/** A page in static data. It has no records once another process need not hand it over. */
type StoredPage = Omit<PulledPage, 'state'> & Pick<PageState, 'records'>;

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

  /** Takes over what another node has left. Old hand-overs of a page still report to the same page. */
  takeOver(former: PageLedger): void {
    const left = former.due;
    for (const page of left) {
      former.pages.delete(page.id);
      if (this.pages.has(page.id)) continue;
      this.pages.set(page.id, page);
      this.change(page, kept(page.state.records));
    }
    if (left.length > 0) this.write();
  }

  /** Pages to hand over before anything is pulled. */
  get due(): PulledPage[] {
    return this.current.filter(({ state: { kind } }) => kind === 'arrived' || kind === 'due');
  }

  /** Whether a page awaits success that only this ledger will learn of. Then static data must keep it. */
  get isWaiting(): boolean {
    return this.current.some(
      ({ state }) => state.kind === 'handedOver' && state.handOver.awaitsSuccess,
    );
  }

  /** Whether more may be pulled. This bounds how many pages n8n may still refuse. */
  get isOpen(): boolean {
    const open = this.current.filter(({ state }) => state.kind !== 'done');
    const isHopeful = ({ state }: PulledPage) =>
      state.kind === 'handedOver' && !state.isAgain && !state.handOver.leftOver;
    return open.length < MAX_UNCONFIRMED && open.every(isHopeful);
  }

  /** The pages as they are by now. */
  private get current(): PulledPage[] {
    for (const page of this.pages.values()) this.settle(page);
    return [...this.pages.values()];
  }

  /** Enters the new records of a page. */
  arrive(sighting: Sighting<unknown>): PulledPage {
    return this.enter({ kind: 'arrived', records: sighting.fresh, sighting });
  }

  /**
   * To be called right before n8n gets the page. n8n saves static data together with the page, and so it
   * saves that the records were seen.
   *
   * @param parts the records of each execution. If only a success counts, the whole page is one part
   */
  handOver(page: PulledPage, parts: unknown[][], awaitsSuccess: boolean): HandOver {
    const { memory } = this;
    const { state } = page;
    memory.mark(state.kind === 'arrived' ? state.sighting : memory.look(state.records));
    const endsAt = performance.now() + (awaitsSuccess ? REPORT_LOST_AFTER_MS : CONFIRMED_AFTER_MS);
    const handOver = { page, awaitsSuccess, endsAt, pending: new Set(parts) };
    // What n8n refuses of the parts will be a page of its own.
    const records = awaitsSuccess ? state.records : [];
    const isAgain = state.kind !== 'arrived';
    this.change(page, { kind: 'handedOver', records, handOver, isAgain });
    this.saved = this.write();
    return handOver;
  }

  /** n8n has reported that a part has started; or that it has succeeded, if only that counts. */
  complete({ page, awaitsSuccess, pending }: HandOver, part: unknown[]): void {
    const { state } = page;
    pending.delete(part);
    if (awaitsSuccess) {
      // A later hand-over goes on until n8n has reported on that one.
      this.change(page, state.kind === 'handedOver' ? { ...state, records: [] } : kept([]));
    }
    this.settle(page);
  }

  /** n8n has reported that a part has not started; or not succeeded, if only that counts. */
  fail(handOver: HandOver, part: unknown[]): void {
    handOver.pending.delete(part);
    if (!handOver.awaitsSuccess) this.leave(handOver, part);
    this.settle(handOver.page);
  }

  /** Records that n8n refused are a page of their own: an earlier or later hand-over says nothing about them. */
  private leave(handOver: HandOver, records: unknown[]): void {
    const { leftOver } = handOver;
    // Unless that was handed over, here or by another process.
    const canGrow = leftOver?.changes === 0 && this.pages.get(leftOver.id) === leftOver;
    const page = canGrow ? leftOver : this.enter({ kind: 'due', records: [] });
    for (const record of records) page.state.records.push(record);
    handOver.leftOver = page;
  }

  /** The hand-over of a page ends when n8n has reported on all of it, or when its time is over. */
  private settle(page: PulledPage): void {
    const { id, state } = page;
    if (state.kind !== 'handedOver') return;
    const { records, isAgain, handOver } = state;
    if (handOver.pending.size > 0 && performance.now() < handOver.endsAt) return;
    page.state = kept(records);
    if (records.length === 0 && !isAgain) this.pages.delete(id);
  }

  /** Makes n8n save what is kept now, and not with the next hand-over. */
  async save(): Promise<void> {
    this.saved = this.write();
    await this.storage.save();
  }

  /** To be called before this process may end, so that the next one repeats no page that has succeeded. */
  async close(): Promise<void> {
    const isStale = this.saved.some((id) => !this.pages.get(id)?.state.records.length);
    if (isStale) await this.save();
  }

  private enter(state: PageState, stored?: StoredPage): PulledPage {
    const { id, by, changes } = stored ?? { id: randomUUID(), by: PROCESS, changes: 0 };
    const page = { id, state, by, changes };
    this.pages.set(id, page);
    return page;
  }

  /** The page that changed last is last. Another ledger may have it by now. */
  private change(page: PulledPage, state: PageState): void {
    Object.assign(page, { state, by: PROCESS, changes: page.changes + 1 });
    if (this.pages.delete(page.id)) this.pages.set(page.id, page);
  }

  /** Takes over the pages in static data that another process has changed. */
  private learn(stored: unknown): void {
    for (const page of pagesIn(stored)) {
      const { id, records, by, changes } = page;
      const known = this.pages.get(id);
      // Unless it has forgotten the trigger, this process knows its pages better.
      if (by === PROCESS && (known || this.written !== undefined)) continue;
      // Static data may be older than what this process did with the page, or newer.
      if (known && known.changes > changes) continue;
      this.enter(kept(records), page);
    }
  }

  /** Returns the IDs of the pages whose records are written. */
  private write(): string[] {
    const done = this.current.filter(({ state }) => state.kind === 'done');
    for (const { id } of done.slice(0, -REMEMBERED)) this.pages.delete(id);
    const leftOvers = [...this.pages.values()].flatMap(({ state, ...page }): StoredPage[] => {
      const isKept = state.kind !== 'handedOver' || state.isAgain || state.records.length > 0;
      return isKept ? [{ ...page, records: state.records }] : [];
    });
    const memory = this.memory.stored;
    const { data, key } = this.storage;
    data[key] = { version: 1, leftOvers, memory } satisfies Stored as unknown as IDataObject;
    this.written = memory.seen;
    return leftOvers.filter(({ records }) => records.length > 0).map(({ id }) => id);
  }
}

/** Where a page is that no hand-over has: due, if records are left. */
function kept(records: unknown[]): PageState {
  return { kind: records.length > 0 ? 'due' : 'done', records };
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
