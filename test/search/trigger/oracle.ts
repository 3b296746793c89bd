import type { IDataObject } from 'n8n-workflow';
import type { EventName } from '../../kit/engine/pulls';
import type { Process } from './processes';
import { SERIAL } from './service';
import type { Clock } from './time';

/** A poll lasts at most this long: n8n's scheduler gives up on a longer one. */
const MAX_POLL_MS = 45_000;

/** How many of the latest lines of the log go with a finding. */
const LINES = 60;

/**
 * How late a record may come because of others that the workflow cannot handle: so long, and so many polls. And
 * how often one may be handled that the workflow can handle.
 */
const MAX_LATE_MS = 30 * 60_000;
const MAX_LATE_POLLS = 4;
const MAX_HANDLED = 2;

/** After this time in which others work, what the workflow cannot handle is given up. */
const GIVEN_UP_AFTER_MS = 40 * 3_600_000;

/** So is what n8n has stopped so often, whatever is in it. Before that it comes again, an hour after the last time. */
const MIN_STOPS = 5;

/** How many records a trigger keeps at most, in Pull Sizes. */
const MAX_KEPT = 11;
const LEAST_PULL_SIZE = 100;

/** n8n may have lost a report after this time: then a page may come again. */
const REPORT_LOST_AFTER_MS = 600_000;

/** One poll of a trigger. */
export interface Poll {
  /** Names the workflow and the node. */
  trigger: string;
  process: Process;
  /** 'Repeat Failed Executions' is on. */
  repeats: boolean;
  /** What it pulls. */
  events: EventName[];
  startedAt: number;
  stored: number;
  thrown?: Error;
  /** The messages of its failed executions. */
  said: string[];
  /** Its process polls no more: another one has what it has handed over. */
  isTakenOver?: boolean;
}

/** A pull, and the IDs of what the service gave. */
export interface Request {
  poll: Poll;
  event: EventName;
  ids: string[];
  /** Its answer is neither records nor that there are none. */
  isWrong?: boolean;
}

/** What an error says about an event. */
const PLURALS: Record<EventName, string> = { deliveryReport: 'delivery reports', reply: 'replies' };

/** A moment of a history: how long n8n had polled by then, and how often something had gone wrong. */
interface Moment {
  at: number;
  polledMs: number;
  disturbances: number;
}

/** The latest hand-over of a record. What n8n says of an earlier one makes nothing due. */
interface HandOver {
  poll: Poll;
  at: number;
  /** n8n has neither stored nor refused it. */
  isOpen: boolean;
}

/** The latest execution with a record in one form: one that a service gives in two forms is two for everybody. */
interface Run {
  form: string;
  /** Its items: the same list for whatever n8n says of it. */
  items: IDataObject[];
  process: Process;
  at: number;
  /** Whether it comes again if the execution fails. */
  repeats: boolean;
  /** Undefined if it has none, or if the page has been divided since. */
  pageId: unknown;
  state: 'runs' | 'failed' | 'succeeded';
  /** How often it came, and how often the workflow has handled it. */
  times: number;
  handled: number;
  /** It has succeeded, and what its process knows was saved: no process may bring it again. */
  isSettled?: boolean;
  /** Another process polls since. It does not know how the execution ended. */
  isTakenOver?: boolean;
  /** It came because n8n said nothing of the one before. That happens once. */
  isSilent?: boolean;
}

/**
 * What is true of the records of one history. It knows what the service gave away and what n8n has stored,
 * and asks nothing of the code of the node.
 */
export class Oracle {
  /** The first rule that was broken, also where the node would swallow the error. */
  finding?: Error;

  /** What has happened, with the seconds since the beginning. */
  readonly log: string[] = [];

  /** What need not come any more: an execution has it; if executions are repeated, one that succeeded. */
  private readonly done = new Set<string>();

  /** What the workflow cannot handle, whatever else works. */
  readonly poison = new Set<string>();

  /** By record, how many of its executions n8n has stopped: it may stop each, and none of the others. */
  private readonly stops = new Map<string, number>();

  /** The records, all that is in them, of which somebody was told that they come no more. */
  private readonly told = new Set<string>();

  /** By record, when it came first. */
  private readonly arrivals = new Map<string, Moment & { isOver?: boolean }>();

  /** By event, when it was pulled last. */
  private readonly pulls = new Map<EventName, Moment>();

  /** When something else than the workflow went wrong last, how often, and the number of polls. */
  private disturbed = { polledMs: 0, disturbances: 0 };

  /** Of a long time between two polls, only so much counts that four polls reach the limit. */
  private polledMs = 0;
  private polledAt: number;

  /** What the static data has. */
  private kept = new Set<string>();

  /** By record, a run for each of its forms. */
  private readonly runs = new Map<string, Run[]>();

  /** By page_id, the records that came with it. Who does something once by its page_id knows no others. */
  private readonly pages = new Map<string, string>();

  private readonly requests: Request[] = [];

  private readonly handOvers = new Map<string, HandOver>();

  /** What may be missing: it did not arrive whole, or its process was killed. */
  private readonly excused = new Set<string>();

  /** What may come again: two processes have it. */
  private readonly forgotten = new Set<string>();

  /** What static data says otherwise than the process knows, until the process writes it again: see `notePublished`. */
  private readonly stale = new Set<string>();

  /** What n8n refused and has not saved since: only the memory of its process has it. */
  readonly unsaved = new Set<string>();

  /** By record that n8n has refused and not stored since, the trigger and process that must hand it over first. */
  private readonly refused = new Map<string, string>();

  private readonly startedAt: number;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.now;
    this.polledAt = clock.now;
  }

  // --- The workflow ---

  get doneRecords(): number {
    return this.done.size;
  }

  private get moment(): Moment {
    const polledMs = this.polledMs + this.sincePollMs;
    return { at: this.clock.now, polledMs, disturbances: this.disturbed.disturbances };
  }

  private get sincePollMs(): number {
    return Math.min(this.clock.now - this.polledAt, MAX_LATE_MS / MAX_LATE_POLLS);
  }

  /** Something happened that excuses delays and repetitions. */
  noteDisturbed(isOther = true): void {
    const { polledMs, disturbances } = this.moment;
    this.disturbed = { polledMs, disturbances: disturbances + Number(isOther) };
  }

  isPoison(item: IDataObject): boolean {
    return idsOf([item]).some((id) => this.poison.has(id));
  }

  /** The workflow has done with an item what it does. */
  noteHandled(item: IDataObject): void {
    for (const id of idsOf([item])) {
      const run = this.runOf(id, item) as Run;
      run.handled += 1;
      const since = this.arrivals.get(id)?.disturbances ?? 0;
      const most = MAX_HANDLED + this.disturbed.disturbances - since;
      const isFine = this.forgotten.has(id) || run.handled <= most;
      this.expect(isFine, `${id} was handled ${run.handled} times`);
    }
  }

  /** A failed execution says something. */
  noteTold(message: string, description: string): void {
    if (message.includes('keeps so many')) this.noteDisturbed();
    if (!message.includes('given up')) return;
    const listed = description.slice(description.indexOf('[{'), description.lastIndexOf(']') + 1);
    for (const record of JSON.parse(listed) as IDataObject[]) {
      const form = JSON.stringify(record);
      for (const id of idsIn(form)) {
        const isCause = this.isPoison(record) || this.stopsOf(id) >= MIN_STOPS;
        this.expect(isCause, `${id} was given up`);
        this.expect(!this.told.has(form) || this.forgotten.has(id), `${id} was given up twice`);
      }
      this.told.add(form);
    }
  }

  /** Whether it is too late for what has waited since a moment, with nothing else going wrong. */
  private isLate(since: Pick<Moment, 'polledMs'>): boolean {
    return this.polledMs - Math.max(since.polledMs, this.disturbed.polledMs) > MAX_LATE_MS;
  }

  private expectInTime(poll: Poll): void {
    for (const [id, arrival] of this.arrivals) {
      const hasFailed = this.poison.has(id) || this.stopsOf(id) >= MIN_STOPS - 1;
      arrival.isOver ||= hasFailed || this.isThere(id) || this.forgotten.has(id);
      this.expect(arrival.isOver || !this.isLate(arrival), `${id} is late`);
    }
    for (const event of poll.events) {
      const since = this.pulls.get(event) ?? { polledMs: 0 };
      this.expect(!this.isLate(since), `${event}: nothing is pulled any more`);
    }
  }

  // --- The service ---

  noteRequest(poll: Poll, event: EventName, count: number): Request {
    this.note(`${poll.trigger} pulls ${count} ${event}`);
    const key = keyOf(poll, event);
    const [due] = [...this.refused].find(([, of]) => of === key) ?? [];
    this.expect(!due, `${event}: pulled while n8n refuses ${due}`);
    this.pulls.set(event, this.moment);
    const request: Request = { poll, event, ids: [] };
    this.requests.push(request);
    return request;
  }

  /** The text of an answer has arrived. */
  noteArrived(request: Request, text: string): void {
    const { event } = request;
    this.note(`  ${event}: ${text === '' ? 'no answer' : text.slice(0, 90)} (${text.length})`);
    const ids = new Set(idsIn(text));
    if (request.isWrong) this.noteDisturbed();
    for (const id of request.ids) {
      if (this.arrivals.has(id)) continue;
      this.arrivals.set(id, this.moment);
      if (!ids.has(id)) this.excused.add(id);
    }
  }

  // --- n8n ---

  noteStored(items: IDataObject[], poll: Poll): void {
    const ids = idsOf(items);
    if (ids.length > 0) poll.stored += 1;
    this.note(`  stored: ${shortOf(ids)}`);
    this.forgetRefused(ids);
    this.expectWholePage(items);
    for (const item of items) {
      for (const id of idsOf([item])) {
        if (!poll.repeats) this.done.add(id);
        this.unsaved.delete(id);
        // Who cannot handle one record of an answer that was not understood cannot handle the others.
        if (this.isPoison(item)) this.poison.add(id);
        this.noteRun(id, item, { items, poll });
        const { serial = SERIAL } = item;
        this.expect(serial === SERIAL, `${id} has the serial ${String(serial)}`);
      }
    }
  }

  private expectWholePage(items: IDataObject[]): void {
    const pageId = items[0]?.page_id;
    if (typeof pageId !== 'string') return;
    const ids = idsOf(items);
    const now = shortOf(ids);
    const before = this.pages.get(pageId) ?? now;
    this.pages.set(pageId, now);
    // Of what comes again after a takeover, another process may have done a part.
    const isFine = now === before || ids.every((id) => this.forgotten.has(id));
    this.expect(isFine, `${pageId} was ${before}, and is ${now}`);
  }

  private noteRun(
    id: string,
    item: IDataObject,
    { items, poll: { process, repeats } }: { items: IDataObject[]; poll: Poll },
  ): void {
    const before = this.runOf(id, item);
    const { page_id: pageId } = item;
    this.expect((pageId !== undefined) === repeats, `${id} has the page_id ${String(pageId)}`);
    if (before && item.event !== 'unreadable' && !this.forgotten.has(id)) {
      this.expect(this.mayRepeat(before), `${id} came twice`);
      if (repeats && before.pageId !== undefined) this.expectSamePage(id, before.pageId, pageId);
    }
    const others = this.runsOf(id).filter((run) => run !== before);
    const run: Run = {
      ...{ form: formOf(item), items, process, at: this.clock.now, repeats, pageId, state: 'runs' },
      ...{ times: (before?.times ?? 0) + 1, handled: before?.handled ?? 0 },
      isSilent: before && !before.isTakenOver && (before.isSilent || this.isLost(before)),
    };
    this.runs.set(id, [...others, run]);
  }

  private runsOf(id: string): Run[] {
    return this.runs.get(id) ?? [];
  }

  private runOf(id: string, item: IDataObject): Run | undefined {
    return this.runsOf(id).find(({ form }) => form === formOf(item));
  }

  /** Whoever handles a page once finds the record in it, or by its number in it. */
  private expectSamePage(id: string, before: unknown, now: unknown): void {
    const [page, number] = String(before).split('/');
    const [samePage, sameNumber] = String(now).split('/');
    this.expect(page === samePage, `${id} came twice, in different pages`);
    const isSame = !number || !sameNumber || number === sameNumber;
    this.expect(isSame, `${id} came as ${String(before)} and as ${String(now)}`);
  }

  private mayRepeat(before: Run): boolean {
    const { repeats, state, isSettled, isSilent, isTakenOver } = before;
    if (!repeats || isSettled) return false;
    return isTakenOver || state === 'failed' || (this.isLost(before) && !isSilent);
  }

  /** Whether n8n may have lost its report. */
  private isLost({ at, state }: Run): boolean {
    return state === 'runs' && this.clock.now - at >= REPORT_LOST_AFTER_MS;
  }

  /** An execution has succeeded. Nobody may have been there to hear of it. */
  noteSucceeded(items: IDataObject[], poll: Poll): void {
    const ids = idsOf(items);
    this.note(`  succeeded: ${shortOf(ids)}`);
    this.noteEnd(items, 'succeeded', poll);
    for (const id of ids) this.done.add(id);
    this.forgetRefused(ids);
  }

  /** n8n has stored an execution, and it has failed or was cancelled. */
  noteFailed(items: IDataObject[], poll: Poll, isStopped: boolean): void {
    const ids = idsOf(items);
    this.note(`  failed: ${shortOf(ids)}`);
    this.noteEnd(items, 'failed', poll);
    for (const id of isStopped ? ids : []) this.stops.set(id, this.stopsOf(id) + 1);
  }

  private stopsOf(id: string): number {
    return this.stops.get(id) ?? 0;
  }

  private noteEnd(items: IDataObject[], state: Run['state'], poll: Poll): void {
    this.closeHandOver(idsOf(items), poll);
    for (const item of items) {
      for (const id of idsOf([item])) {
        const run = this.runOf(id, item);
        // The end of an earlier execution says nothing of the latest one, but any success is enough that its process
        // hears of.
        const isHeard = state === 'succeeded' && run?.process === poll.process;
        const counts = run?.items === items || isHeard;
        if (run && counts && run.state !== 'succeeded') run.state = state;
      }
    }
  }

  private closeHandOver(ids: string[], poll: Poll): void {
    for (const id of ids) {
      const handOver = this.handOvers.get(id);
      if (handOver?.poll === poll) handOver.isOpen = false;
    }
  }

  /** n8n has saved static data. */
  noteKept(saved: IDataObject, pullSize: number): void {
    this.kept = new Set(idsOf([saved]));
    const most = 2 * MAX_KEPT * Math.max(LEAST_PULL_SIZE, pullSize);
    this.expect(this.kept.size <= most, `Static data has ${this.kept.size} records`);
  }

  /** n8n says that it has not stored an execution. */
  noteRefused(ids: string[], poll: Poll): void {
    this.note(`  refused: ${shortOf(ids)}`);
    this.closeHandOver(ids, poll);
    // After that time it comes again, whatever n8n says.
    const isKnown = poll.repeats && this.clock.now - poll.startedAt >= REPORT_LOST_AFTER_MS;
    for (const id of ids) {
      if (poll.isTakenOver) this.forgotten.add(id);
      if (this.done.has(id)) continue;
      this.unsaved.add(id);
      // Nothing may be pulled before it was handed over again.
      const isDue = !isKnown && !poll.isTakenOver && this.handOvers.get(id)?.poll === poll;
      if (isDue) this.refused.set(id, keyOf(poll, eventOf(id)));
    }
  }

  /** Records are handed over: until n8n answers, nothing is known of them. */
  noteHandedOver(ids: string[], poll: Poll): void {
    this.forgetRefused(ids);
    for (const id of ids) {
      this.handOvers.set(id, { poll, at: this.clock.now, isOpen: true });
      // From now on its page may be divided.
      if (!poll.repeats) for (const run of this.runsOf(id)) run.pageId = undefined;
    }
  }

  /** n8n writes the static data as it is now. To be called when that is done. */
  saving(): () => void {
    const ids = [...this.unsaved];
    return () => ids.forEach((id) => this.unsaved.delete(id));
  }

  /** A poll has ended by itself. */
  notePolled(poll: Poll): void {
    const { trigger, thrown, stored, startedAt } = poll;
    this.polledMs += this.sincePollMs;
    this.polledAt = this.clock.now;
    if (poll.repeats) this.expectInTime(poll);
    if (thrown) this.note(`  ${trigger} throws: ${thrown.message}`);
    this.expectNoSilence(poll);
    this.expect(!thrown || stored === 0, `A poll that brought records throws: ${thrown?.message}`);
    const took = this.clock.now - startedAt;
    this.expect(took <= MAX_POLL_MS, `A poll takes ${took} ms`);
  }

  /** Records came, or the service said that there are none, or somebody is told what is wrong. */
  private expectNoSilence(poll: Poll): void {
    const said = [...poll.said, poll.thrown?.message ?? ''];
    const own = this.requests.filter((request) => request.poll === poll);
    const wrong = own.filter(({ isWrong }) => isWrong);
    for (const { event } of wrong) {
      const tells = new RegExp(`while pulling .*${PLURALS[event]}`);
      this.expect(
        said.some((message) => tells.test(message)),
        `${event}: a wrong answer, and silence`,
      );
    }
    const blames = said.find((message) => /not of the expected shape/.test(message));
    this.expect(!blames || wrong.length > 0, `Nothing was wrong: ${blames}`);
  }

  // --- Ends ---

  /**
   * A process has ended, or another one takes over: what n8n could not save, or has not reported on yet, is
   * gone with it: n8n tells nobody but the process that handed it over.
   */
  noteEnded(process: Process): void {
    this.noteDisturbed();
    for (const run of this.allRuns()) run.isTakenOver ||= run.process === process;
    for (const [id, { poll, isOpen }] of this.handOvers) {
      if (!isOpen || this.done.has(id) || poll.process !== process) continue;
      this.excuse(id);
      poll.isTakenOver = true;
      // The next process does not know of it.
      if (!poll.repeats) this.forgotten.add(id);
    }
    for (const id of this.stale) this.forgotten.add(id);
    for (const id of [...this.unsaved, ...this.stale]) this.excuse(id);
  }

  /**
   * A version is published. n8n writes the static data that it had loaded before the old version was closed, and the
   * node corrects what it pulls. What the new version does not pull is as it was loaded, and another process may read
   * it so.
   */
  notePublished(events: EventName[], loadedAt: number): void {
    for (const [id, { at }] of this.arrivals) {
      const latest = Math.max(at, this.handOvers.get(id)?.at ?? 0);
      if (events.includes(eventOf(id))) this.stale.delete(id);
      else if (latest >= loadedAt) this.stale.add(id);
    }
  }

  /**
   * A process that polls no more has heard late of a refusal, and saves its own static data: what the present
   * one has done with the same pages, and what came to it, is not in there.
   */
  noteOverwritten(saved: IDataObject, by: Process): void {
    for (const id of idsOf([saved])) this.forgotten.add(id);
    for (const [id, runs] of this.runs) {
      if (runs.some(({ process }) => process !== by)) this.forgotten.add(id);
    }
  }

  /** n8n has closed the trigger in peace, and saved what its process knows. */
  noteClosed(process: Process): void {
    for (const run of this.allRuns()) {
      run.isSettled ||= run.process === process && run.state === 'succeeded';
    }
  }

  private allRuns(): Run[] {
    return [...this.runs.values()].flat();
  }

  /** The process was killed: what it had in hand is gone. */
  noteKilled(process: Process): void {
    const own = this.requests.filter(({ poll }) => poll.process === process);
    const latest = new Map(own.map(({ poll, event, ids }) => [keyOf(poll, event), ids]));
    for (const id of [...latest.values()].flat()) this.excuse(id);
    this.noteEnded(process);
  }

  /**
   * To be asked at the end, when nothing more comes.
   *
   * @param left what is in the queues of the events that a trigger pulls
   * @param quiet the events of which nothing new has come for days: then nobody can say what is wrong with a record
   */
  judge(left: string[], quiet: EventName[]): void {
    const told = new Set(idsIn([...this.told].join()));
    for (const [id, { at }] of this.arrivals) {
      const isQuiet = quiet.includes(eventOf(id)) || this.clock.now - at < GIVEN_UP_AFTER_MS;
      const mayStay = isQuiet && this.poison.has(id) && this.kept.has(id);
      const isKnown = told.has(id) || this.forgotten.has(id) || mayStay;
      this.expect(this.isThere(id) || isKnown, `${id} is lost`);
    }
    for (const id of left) this.expect(this.isThere(id) || this.poison.has(id), `${id} never came`);
  }

  private excuse(id: string): void {
    if (!this.done.has(id) && !this.kept.has(id)) this.excused.add(id);
  }

  private isThere(id: string): boolean {
    const isNear = ({ state, times }: Run) => state === 'runs' && times > 1;
    // Or an execution with it has not ended, nor has the one after it.
    return this.done.has(id) || this.excused.has(id) || this.runsOf(id).some(isNear);
  }

  private forgetRefused(ids: string[]): void {
    for (const id of ids) this.refused.delete(id);
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.finding ??= new Error([otherwise, ...this.log.slice(-LINES)].join('\n  '));
  }

  note(line: string): void {
    this.log.push(`${((this.clock.now - this.startedAt) / 1_000).toFixed(2)} ${line}`);
  }
}

/** The names of a record's fields. */
const formOf = (item: IDataObject) =>
  Object.keys(item)
    .filter((name) => name !== 'page_id')
    .join();

const keyOf = ({ trigger, process }: Poll, event: EventName) =>
  `${trigger}/${process.number}/${event}`;

const eventOf = (id: string): EventName => (id.startsWith('<m') ? 'reply' : 'deliveryReport');

/** The IDs in a text. */
function idsIn(text: string): string[] {
  return text.match(/<[rm]\d+>/g) ?? [];
}

/** The IDs in items. */
export function idsOf(items: IDataObject[]): string[] {
  return [...new Set(idsIn(JSON.stringify(items)))];
}

const shortOf = (ids: string[]) =>
  ids.length < 4 ? ids.join() : `${ids[0]} … ${ids.at(-1)} (${ids.length})`;
