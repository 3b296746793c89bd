import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/json';
import { againMs, newLife, next, readLife, readLike } from './recordLife';
import type { Happening, Life, State } from './recordLife';
import { RecordMemory } from './recordMemory';
import type { PollSettings } from './triggerFields';

export const MAX_UNCONFIRMED = 20;

/** A smaller Pull Size counts as this where records are kept. */
const MIN_PULL_SIZE = 100;

/**
 * Max number of records that are kept, in Pull Sizes: of all, of those that have failed by themselves, and of the
 * others while nothing works.
 */
export const MAX_KEPT = 10;
export const MAX_FAILED = 5;
export const MAX_UNDECIDED = 2;

/** While nothing works, a page more is pulled after so many tries. */
const TRIES_PER_PAGE = 3;

/** After so many tries by itself, and so long after the first, a record is left. */
export const MIN_TRIES = 5;
export const LEFT_AFTER_MS = 24 * 3_600_000;

/** After how long there is another try when nothing has worked once, twice and so on, in milliseconds. */
export const NOTHING_WORKS_MS = [1, 2, 4, 8, 10].map((minutes) => minutes * 60_000);

/**
 * After this time without a report from n8n an execution counts as started. The slowest known refusal comes
 * after 20 s, when n8n gives up waiting for its database.
 */
export const CONFIRMED_AFTER_MS = 30_000;

/** After this time without a report, an execution that must succeed is silent: n8n may have lost the report. */
export const REPORT_LOST_AFTER_MS = 600_000;

export interface Entry {
  /** The ID of its page, the same in every process, and its place there, from 1. */
  readonly page: string;
  readonly number: number;
  readonly record: unknown;
  life: Life;
  /** The latest one in this process. */
  handOver?: HandOver;
}

/** One execution with records. What n8n says of it changes nothing in a later one. */
export interface HandOver {
  readonly entries: readonly Entry[];
  /** The `page_id` of its items. Undefined: a failure does not matter. */
  readonly pageId?: string;
  /** When it began, by `performance.now()`, which a change of the clock does not move. */
  readonly at: number;
  end?: End;
}

export type End = 'started' | 'refused' | 'succeeded' | 'failed';

/** The place for what must outlive the ledger's process. */
interface Storage {
  /** The object that has it under `key`: a workflow's static data. */
  data: IDataObject;
  key: string;
  /** Makes n8n save the static data, and waits until it most likely has. */
  save: () => Promise<void>;
  /** Whether n8n keeps what is given up. */
  mayGiveUp: boolean;
}

const isIn =
  (...states: State[]) =>
  ({ life }: Entry) =>
    states.includes(life.state);

const isWaiting = isIn('waiting');
const isAlone = isIn('alone');
const isFree = isIn('waiting', 'probe', 'alone');
const isProbing = isIn('probe', 'probed');
const isUnderWay = isIn('handedOver', 'probed', 'handedOverAlone');
const comesAlone = isIn('alone', 'handedOverAlone', 'left');
const isDone = isIn('done');

export const hasFailed = ({ life }: Entry) => life.tries > 0;

/**
 * The records of one account and event that were pulled and that n8n does not have for certain, and which records
 * came before. It knows what is due, and whether more may be pulled.
 *
 * Memory has it for this process, and static data for the next one.
 */
export class Ledger {
  readonly memory = new RecordMemory();

  /** Another process may have written later: this one is new, or n8n has made it the leader. */
  isStale = true;

  private entries = new Set<Entry>();

  /**
   * Whether the workflow can handle anything: number of tries in a row in which nothing has worked, when the last
   * one ended, and the first; and when an execution succeeded last.
   */
  private works = { vain: 0, at: 0, since: 0, succeededAt: 0 };

  /** Whether anything has happened that n8n has not saved. */
  private isChanged = false;

  /** Of the latest poll: `open` comes before anything else that a poll does. */
  private storage!: Storage;
  private settings!: PollSettings;

  open(storage: Storage, settings: PollSettings): void {
    Object.assign(this, { storage, settings });
    // n8n may have loaded static data before it was saved, and saves it with the other event's.
    if (this.isStale) this.learn(Object(storage.data[storage.key]) as IDataObject);
    else this.write();
    this.isStale = false;
  }

  /** Takes over what another process has written. What it keeps no more is done. */
  private learn({ records, works, memory }: IDataObject): void {
    this.memory.merge(memory);
    const nameOf = ({ page, number }: Entry) => `${page}/${number}`;
    const known = new Map([...this.entries].map((entry) => [nameOf(entry), entry]));
    this.entries = new Set();
    for (const stored of readEntries(records)) {
      const entry = known.get(nameOf(stored)) ?? stored;
      // A success was told to the process that had handed it over.
      if (isDone(entry)) continue;
      // Nobody has taken it over meanwhile.
      const isOwn = entry !== stored && isUnderWay(entry) && entry.life.at === stored.life.at;
      this.entries.add(isOwn ? entry : Object.assign(entry, stored, { handOver: undefined }));
      if (!isOwn && isUnderWay(entry)) this.happen(entry, 'restarted');
    }
    this.works = readLike(this.works, works);
  }

  /** Enters new records, so many as each execution is to get. */
  arrive(records: unknown[], size: number): void {
    for (let start = 0; start < records.length; start += size) {
      const page = randomUUID();
      for (const [index, record] of records.slice(start, start + size).entries()) {
        this.entries.add({ page, number: index + 1, record, life: newLife(Date.now()) });
      }
    }
  }

  private get kept(): Entry[] {
    return [...this.entries].filter((entry) => !isDone(entry));
  }

  /** How many executions n8n may still be given. */
  get slots(): number {
    const all = new Set(this.kept.filter(isUnderWay).map(({ handOver }) => handOver));
    return MAX_UNCONFIRMED - [...all].filter((each) => !isOlder(each, CONFIRMED_AFTER_MS)).length;
  }

  /** Does what time does. */
  settle(): void {
    if (!this.settings.repeatFailed) this.works.vain = 0;
    const now = Date.now();
    // Otherwise, after a clock was set back, all that fails would fail by itself.
    this.works.succeededAt = Math.min(this.works.succeededAt, now);
    for (const entry of this.entries) {
      if (isDone(entry)) this.entries.delete(entry);
      if (isUnderWay(entry)) this.awaitReport(entry);
    }
    const failed = this.kept
      .filter((entry) => this.storage.mayGiveUp && isAlone(entry) && hasFailed(entry))
      .sort((one, other) => one.life.since - other.life.since);
    const tooMany = failed.length - MAX_FAILED * this.size;
    for (const [index, entry] of failed.entries()) {
      const { tries, since } = entry.life;
      const isEnough = tries >= MIN_TRIES && now - since >= LEFT_AFTER_MS;
      // While nothing works, nobody can say whether the record is the reason.
      if (this.works.vain === 0 && (isEnough || index < tooMany)) this.happen(entry, 'givenUp');
    }
    this.divide(this.kept.filter(comesAlone));
  }

  private awaitReport(entry: Entry): void {
    const { handOver } = entry;
    const isAwaited = handOver?.pageId !== undefined;
    const limit = isAwaited ? REPORT_LOST_AFTER_MS : CONFIRMED_AFTER_MS;
    if (!isOlder(handOver, limit)) return;
    this.happen(entry, isAwaited ? 'silent' : 'started');
    // n8n may still refuse what has started, or say how the second try of a silent record ended.
    if (isAlone(entry)) entry.handOver = undefined;
  }

  /** If one record of a page comes alone, all do: who handles a page once would take the rest of it for handled. */
  private divide(some: readonly Entry[]): void {
    const pages = new Set(some.map(({ page }) => page));
    const others = this.kept.filter(isIn('waiting', 'probe')).filter(({ page }) => pages.has(page));
    for (const entry of others) this.happen(entry, 'divided');
  }

  /**
   * What is to be handed over, each with an execution of its own: `first`, and `beside` by turns with pulls.
   *
   * @param mayFail whether it may be a record that has failed by itself
   */
  due(mayFail: boolean): { first: Entry[][]; beside?: Entry[] } {
    const { works, kept } = this;
    const free = kept.filter(isFree);
    if (!this.settings.repeatFailed) return { first: pagesOf(free) };
    const probing = kept.filter(isProbing);
    if (probing.length > 0) return { first: probing.filter(isFree).map((entry) => [entry]) };
    const waitMs = NOTHING_WORKS_MS.slice(0, works.vain).at(-1) ?? 0;
    const isTime = works.vain === 0 || (hasPassed(waitMs, works.at) && !kept.some(isTried));
    const pages = pagesOf(free.filter(isWaiting)).filter(([one]) => isTime || one?.life.vain === 0);
    const alone = free.filter(isAlone).map((entry) => [entry]);
    const undecided = alone.filter(([one]) => isTime && one?.life.tries === 0);
    const again = alone.filter(([one]) => mayFail && one && hasFailed(one) && this.isDueAgain(one));
    // While nothing works, a try is one page, or one that comes alone: what was tried least.
    const least = [...pages, ...undecided].sort(([one], [other]) => vainOf(one) - vainOf(other));
    return works.vain > 0
      ? { first: least.slice(0, 1), beside: again[0] }
      : { first: pages.slice(0, 1), beside: undecided[0] ?? again[0] };
  }

  private isDueAgain({ life }: Entry): boolean {
    return hasPassed(againMs(life, this.works.succeededAt > life.at), life.at);
  }

  get mayPull(): boolean {
    const { kept, works } = this;
    const isHeldUp = ({ handOver }: Entry) => handOver?.end === 'refused';
    if (this.slots <= 0 || this.isFull || kept.some(isProbing) || kept.some(isHeldUp)) return false;
    if (works.vain === 0) return !kept.some(isWaiting);
    const undecided = kept.filter(isUndecided);
    const isTurn = works.vain % TRIES_PER_PAGE === 0 || undecided.length === 0;
    if (!isTurn || undecided.some(isUnderWay)) return false;
    return undecided.length < MAX_UNDECIDED * this.size;
  }

  /** Whether what is kept leaves no room for a page. */
  get isFull(): boolean {
    return this.stored.length > (MAX_KEPT - 1) * this.size;
  }

  private get size(): number {
    return Math.max(MIN_PULL_SIZE, this.settings.pullSize);
  }

  get inVainSince(): number | undefined {
    return this.works.vain >= TRIES_PER_PAGE ? this.works.since : undefined;
  }

  /** Records that are left, and that nobody has been told of. */
  get left(): Entry[] {
    return this.kept.filter(isIn('left'));
  }

  noteTold(entries: Entry[]): void {
    for (const entry of entries) this.happen(entry, 'told');
    void this.save();
  }

  /** To be called right before n8n gets these: it saves static data with them, and so that they are tried. */
  handOver(entries: Entry[]): HandOver {
    const [{ page, number } = { page: '', number: 0 }] = entries;
    const id = entries.every(isWaiting) ? page : `${page}/${number}`;
    const pageId = this.settings.repeatFailed ? id : undefined;
    const handOver: HandOver = { entries, pageId, at: performance.now() };
    for (const entry of entries) {
      this.happen(entry, 'handOver');
      entry.handOver = handOver;
    }
    this.write();
    this.isChanged = false;
    return handOver;
  }

  report(handOver: HandOver, end: End): void {
    handOver.end = end;
    this.isChanged ||= end !== 'started';
    const { entries } = handOver;
    const current = entries.filter((entry) => entry.handOver === handOver);
    if (end === 'failed') return void this.fail(current, entries.length > 1);
    // A success counts whatever has become of them since.
    for (const entry of end === 'succeeded' ? entries : current) {
      this.entries.add(entry);
      this.happen(entry, end);
      // What other executions with it say later changes nothing.
      if (end === 'succeeded') entry.handOver = undefined;
    }
    if (end !== 'succeeded') return;
    Object.assign(this.works, { vain: 0, succeededAt: Date.now() });
    this.divide(entries);
  }

  private fail(entries: Entry[], isPage: boolean): void {
    const hasWorked = entries.every(({ life }) => this.works.succeededAt > life.at);
    const happening = hasWorked && !isPage ? 'failedByItself' : 'failed';
    for (const entry of entries) this.happen(entry, happening);
    if (hasWorked) {
      if (isPage) this.divide(entries);
      return;
    }
    if (isPage) for (const entry of chooseProbes(entries)) this.happen(entry, 'chosen');
    // Several pages may fail at a time: together they are one try.
    if (this.kept.some(isProbing) || entries.every(hasFailed)) return;
    const { works } = this;
    works.vain += 1;
    works.at = Date.now();
    if (works.vain === 1) works.since = works.at;
  }

  private happen(entry: Entry, happening: Happening): void {
    entry.life = next(entry.life, happening, Date.now());
  }

  /** Makes n8n save what is kept now, and not with the next hand-over. */
  async save(): Promise<void> {
    this.write();
    this.isChanged = false;
    await this.storage.save();
  }

  /** To be called before this process may end, so that the next one repeats nothing that is done. */
  async close(): Promise<void> {
    if (this.isChanged) await this.save();
  }

  forget(): void {
    if (this.kept.length === 0) Reflect.deleteProperty(this.storage.data, this.storage.key);
  }

  /** What a crash must not lose. What has started is n8n's: it would come twice. */
  private get stored(): Entry[] {
    return this.kept.filter((entry) => !isUnderWay(entry) || entry.handOver?.pageId !== undefined);
  }

  private write(): void {
    const records = this.stored.map((entry) => ({ ...entry, handOver: undefined }));
    const kept = { records, works: { ...this.works }, memory: this.memory.stored };
    this.storage.data[this.storage.key] = kept as unknown as IDataObject;
  }
}

/** The entries in static data. Tolerates anything: it may have been edited by hand, or saved in part. */
function readEntries(stored: unknown): Entry[] {
  const list: unknown[] = Array.isArray(stored) ? stored : [];
  return list
    .filter(isObject)
    .filter(({ page, record }) => typeof page === 'string' && record !== undefined)
    .map(({ page, number, record, life }) => ({
      ...{ page: String(page), number: Number(number) || 1, record, life: readLife(life) },
    }));
}

/** The first, the last and the middle one of those that were tried least. */
function chooseProbes(page: Entry[]): Entry[] {
  const least = Math.min(...page.map(vainOf));
  const pool = page.filter((entry) => vainOf(entry) === least);
  const places = [0, Math.floor((pool.length - 1) / 2), pool.length - 1];
  return pool.filter((_, index) => places.includes(index));
}

function pagesOf(entries: Entry[]): Entry[][] {
  const pages = new Map<string, Entry[]>();
  for (const entry of entries) pages.set(entry.page, [...(pages.get(entry.page) ?? []), entry]);
  return [...pages.values()];
}

const vainOf = (entry?: Entry) => entry?.life.vain ?? 0;

/** Whether it is to show whether anything works. It is not while n8n says nothing of it. */
const isUndecided = (entry: Entry) =>
  !hasFailed(entry) && !(isUnderWay(entry) && isOlder(entry.handOver, REPORT_LOST_AFTER_MS));

const isTried = (entry: Entry) => isUnderWay(entry) && isUndecided(entry);

const isOlder = (handOver: HandOver | undefined, milliseconds: number) =>
  !handOver || performance.now() - handOver.at >= milliseconds;

/** Whether a time has passed since a moment. A clock that was set back holds nothing up. */
function hasPassed(milliseconds: number, since: number): boolean {
  const passed = Date.now() - since;
  return passed >= milliseconds || passed < 0;
}
