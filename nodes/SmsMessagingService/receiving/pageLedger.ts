import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { RecordMemory, Sighting } from './recordMemory';

/** Names this process in what it stores: of several main processes another one may poll next. */
const PROCESS = randomUUID();

/** So many pages may be handed over and not confirmed: all of them may come back, and are kept then. */
const MAX_UNCONFIRMED = 10;

/**
 * A page of which n8n has said nothing for so long counts as confirmed: its executions are under way.
 * The slowest refusal known comes after 20 s, when n8n gives up waiting for its database.
 */
const CONFIRMED_AFTER_MS = 30_000;

/** So many confirmed pages are remembered: far more than another process can still hold as refused. */
const REMEMBERED = 200;

/** The records of one pull, from their arrival until n8n has confirmed that they started executions. */
export interface Page {
  /** The same in every process. */
  readonly id: string;
  /**
   * `arrived`: n8n has not got it. `handedOver`: n8n has it, and has not said what became of all of it.
   * `refused`: some of it came back. `confirmed`: none of it will.
   */
  state: 'arrived' | 'handedOver' | 'refused' | 'confirmed';
  /** To be handed over: all that arrived, or what n8n refused. */
  records: unknown[];
  /** The page as the service showed it, with the old records in it, until it is handed over. */
  sighting?: Sighting;
  /** Executions of which n8n has said nothing yet. */
  pending: number;
  /** In Unix milliseconds. */
  handedOverAt: number;
  /** n8n refused it once, so it is in static data. */
  isKept: boolean;
  /** The process that changed it last. */
  by: string;
}

/** A page in static data. Once it is handed over it is without records. */
type StoredPage = Pick<Page, 'id' | 'records' | 'by'>;

/** As version 0.1.0 stored it: what that kept is handed over after an update. */
interface Stored {
  version: 1;
  leftOvers: StoredPage[];
}

/** Where a ledger keeps what outlives its process. */
export interface Storage {
  /** What the service has shown; marked when a page is handed over. */
  memory: RecordMemory;
  /** The object for the pages, which are under `key`: a workflow's static data. */
  store: IDataObject;
  key: string;
  /** Has n8n save the static data. */
  save: () => void;
}

/** One for each event of each trigger of this process, for all its polls. */
const ledgers = new Map<string, PageLedger>();

/**
 * The pages of one event that were pulled and are not confirmed: what is to be handed over again, what
 * the service may show again, and whether more may be pulled. In this process, and as far as n8n
 * refused them in static data, for the next one. This process knows better than static data, since
 * n8n may load that before it was saved, and may fail to save it; unless another process has changed
 * a page since.
 */
export class PageLedger {
  private readonly pages = new Map<string, Page>();

  private constructor(private storage: Storage) {}

  /** The ledger with this name, from now on kept in `storage`, which is that of the newest poll. */
  static open(name: string, storage: Storage): PageLedger {
    const ledger = ledgers.get(name) ?? new PageLedger(storage);
    ledgers.set(name, ledger);
    ledger.storage = storage;
    ledger.learn();
    return ledger;
  }

  /** Pages to be handed over before anything is pulled. */
  get due(): Page[] {
    return [...this.pages.values()].filter(({ records }) => records.length > 0);
  }

  /** Whether more may be pulled: so much that n8n may yet refuse stays bounded, and nothing else. */
  get isOpen(): boolean {
    const unconfirmed = [...this.pages.values()].filter(
      ({ state, handedOverAt }) =>
        state === 'handedOver' && Date.now() - handedOverAt < CONFIRMED_AFTER_MS,
    );
    const isDoubtful = this.due.length > 0 || unconfirmed.some(({ isKept }) => isKept);
    return !isDoubtful && unconfirmed.length < MAX_UNCONFIRMED;
  }

  /** Enters the new records of a page. */
  arrive(sighting: Sighting): Page {
    return this.enter({ id: randomUUID(), records: sighting.fresh, by: PROCESS }, sighting);
  }

  /**
   * To be called when n8n gets the page, right before: n8n saves with it that its records were seen.
   *
   * @param divide says which records one execution gets
   * @returns the records of each execution, each of which is to be confirmed or refused
   */
  handOver(page: Page, divide: (records: unknown[]) => unknown[][]): unknown[][] {
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

  /** One of the page's executions has started. */
  confirm(page: Page): void {
    page.pending -= 1;
    if (page.pending > 0 || page.state !== 'handedOver') return;
    this.change(page, { state: 'confirmed' });
    if (!page.isKept) this.pages.delete(page.id);
  }

  /** n8n did not start one of the page's executions: its records are to be handed over again. */
  refuse(page: Page, records: unknown[]): void {
    page.pending -= 1;
    this.change(page, {
      state: 'refused',
      records: page.records.concat(records),
      isKept: true,
    });
    this.write();
  }

  /** Puts what n8n refused in safety, without waiting for the next hand-over. */
  save(): void {
    this.storage.save();
  }

  private enter(stored: StoredPage, sighting?: Sighting): Page {
    const none = { pending: 0, handedOverAt: 0, isKept: false };
    const page: Page = { ...stored, ...none, state: 'arrived', sighting };
    this.pages.set(page.id, page);
    return page;
  }

  /** What was changed last stands last. */
  private change(page: Page, change: Partial<Page>): void {
    Object.assign(page, change, { by: PROCESS });
    this.pages.delete(page.id);
    this.pages.set(page.id, page);
  }

  /** From what another process has stored. */
  private learn(): void {
    for (const stored of readStored(this.storage)) {
      const known = this.pages.get(stored.id);
      if (stored.by === PROCESS) continue;
      // What this process has handed over comes back to no other one.
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

/** Static data may be edited by hand, or saved in part. */
function readStored({ store, key }: Storage): StoredPage[] {
  const stored = store[key] as Stored | undefined;
  if (stored?.version !== 1 || !Array.isArray(stored.leftOvers)) return [];
  return stored.leftOvers.filter((page) => Array.isArray(page?.records));
}
