import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Sighting } from '../service/newRecords';
import type { RecordMemory } from './recordMemory';

/** Identifies this process in static data: another main process of n8n may poll next. */
const PROCESS = randomUUID();

/** Most pages that are handed over and not confirmed. All of them may come back, and are kept then. */
const MAX_UNCONFIRMED = 10;

/**
 * After this time without a word from n8n a page counts as confirmed: its executions are running. The
 * slowest known refusal comes after 20 s, when n8n gives up waiting for its database.
 */
const CONFIRMED_AFTER_MS = 30_000;

/** Number of confirmed pages to remember: far more than another process can still hold as refused. */
const REMEMBERED = 200;

/** The records of one pull, from their arrival until n8n has started executions with them. */
export interface PulledPage {
  /** The same in every process. */
  readonly id: string;
  /**
   * - `arrived`: n8n does not have the page yet;
   * - `handedOver`: n8n has it, and has not said what became of all of it;
   * - `refused`: n8n did not start an execution with some of it;
   * - `confirmed`: n8n has started executions with all of it.
   */
  state: 'arrived' | 'handedOver' | 'refused' | 'confirmed';
  /** The records to hand over: all that arrived, or those that n8n refused. */
  records: unknown[];
  /** The whole page, with its old records, until it is handed over. */
  sighting?: Sighting<unknown>;
  /** Number of executions of which n8n has said nothing yet. */
  pending: number;
  /** In Unix milliseconds. */
  handedOverAt: number;
  /** n8n refused some of it once, so it is in static data. */
  isKept: boolean;
  /** The process that changed it last. */
  by: string;
}

/** A page in static data. It has no records once it is handed over again. */
type StoredPage = Pick<PulledPage, 'id' | 'records' | 'by'>;

/** The format of version 0.1.0, whose left-overs are handed over after an update. */
interface Stored {
  version: 1;
  leftOvers: StoredPage[];
}

/** Where a ledger keeps what must outlive its process. */
export interface Storage {
  /** Remembers the records of a page when it is handed over. */
  memory: RecordMemory;
  /** The object that has the pages under `key`: a workflow's static data. */
  store: IDataObject;
  key: string;
  /** Has n8n save the static data. */
  save: () => void;
}

/** One ledger for each event of each trigger in this process. */
const ledgers = new Map<string, PageLedger>();

/**
 * The pages of one event that were pulled and are not confirmed. It knows the left-overs (what n8n
 * refused and must be handed over again) and whether more may be pulled.
 *
 * Pages are kept in this process. Pages that n8n refused are in static data too, for the next process.
 * This process trusts its own pages more than static data, because n8n may load static data before it was
 * saved, or fail to save it. It takes a page from static data only where another process has changed it.
 */
export class PageLedger {
  private readonly pages = new Map<string, PulledPage>();

  private constructor(private storage: Storage) {}

  /** The ledger with this name. From now on it uses the storage of this poll. */
  static open(name: string, storage: Storage): PageLedger {
    const ledger = ledgers.get(name) ?? new PageLedger(storage);
    ledgers.set(name, ledger);
    ledger.storage = storage;
    ledger.learn();
    return ledger;
  }

  /** Pages to hand over before anything is pulled. */
  get due(): PulledPage[] {
    return [...this.pages.values()].filter(({ records }) => records.length > 0);
  }

  /** Whether more may be pulled. This bounds how many pages n8n may still refuse. */
  get isOpen(): boolean {
    const unconfirmed = [...this.pages.values()].filter(
      ({ state, handedOverAt }) =>
        state === 'handedOver' && Date.now() - handedOverAt < CONFIRMED_AFTER_MS,
    );
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
   * @returns the records of each execution. Each is to be confirmed or refused.
   */
  handOver(page: PulledPage, divide: (records: unknown[]) => unknown[][]): unknown[][] {
    const { memory } = this.storage;
    memory.mark(page.sighting ?? memory.look(page.records));
    const parts = divide(page.records);
    this.change(page, {
      state: 'handedOver',
      records: [],
      sighting: undefined,
      pending: page.pending + parts.length,
      handedOverAt: Date.now(),
    });
    this.write();
    return parts;
  }

  /** n8n has started one of the page's executions. */
  confirm(page: PulledPage): void {
    page.pending -= 1;
    if (page.pending > 0 || page.state !== 'handedOver') return;
    this.change(page, { state: 'confirmed' });
    if (!page.isKept) this.pages.delete(page.id);
  }

  /** n8n did not start one of the page's executions. Its records must be handed over again. */
  refuse(page: PulledPage, records: unknown[]): void {
    page.pending -= 1;
    this.change(page, {
      state: 'refused',
      records: page.records.concat(records),
      isKept: true,
    });
    this.write();
  }

  /** Has n8n save the left-overs now, and not with the next hand-over. */
  save(): void {
    this.storage.save();
  }

  private enter(stored: StoredPage, sighting?: Sighting<unknown>): PulledPage {
    const none = { pending: 0, handedOverAt: 0, isKept: false };
    const page: PulledPage = { ...stored, ...none, state: 'arrived', sighting };
    this.pages.set(page.id, page);
    return page;
  }

  /** The page that changed last stands last. */
  private change(page: PulledPage, change: Partial<PulledPage>): void {
    Object.assign(page, change, { by: PROCESS });
    this.pages.delete(page.id);
    this.pages.set(page.id, page);
  }

  /** Learns from static data what another process has changed. */
  private learn(): void {
    for (const stored of readStored(this.storage)) {
      const known = this.pages.get(stored.id);
      if (stored.by === PROCESS) continue;
      // Records that this process has handed over can only come back to this process.
      if (known && known.by === PROCESS && known.records.length === 0) continue;
      const state = stored.records.length === 0 ? 'confirmed' : 'refused';
      Object.assign(this.enter(stored), { state, isKept: true });
    }
  }

  private write(): void {
    const confirmed = [...this.pages.values()].filter(({ state }) => state === 'confirmed');
    for (const { id } of confirmed.slice(0, -REMEMBERED)) this.pages.delete(id);
    const leftOvers = [...this.pages.values()]
      .filter(({ isKept }) => isKept)
      .map(({ id, records, by }): StoredPage => ({ id, records, by }));
    const { store, key } = this.storage;
    if (leftOvers.length === 0 && store[key] === undefined) return;
    store[key] = { version: 1, leftOvers } satisfies Stored as unknown as IDataObject;
  }
}

/** Tolerates anything: static data may be edited by hand, or saved in part. */
function readStored({ store, key }: Storage): StoredPage[] {
  const stored = store[key] as Stored | undefined;
  if (stored?.version !== 1 || !Array.isArray(stored.leftOvers)) return [];
  return stored.leftOvers.filter((page) => Array.isArray(page?.records));
}
