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

/** So is what n8n has stopped so often, whatever is in it. */
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
}

/** A pull, and the IDs of what the service gave. */
export interface Request {
  poll: Poll;
  event: EventName;
  ids: string[];
  state: 'underway' | 'arrived';
  /** Its answer is neither records nor that there are none. */
  isWrong?: boolean;
}

/** What an error says about an event. */
const PLURALS: Record<EventName, string> = { deliveryReport: 'delivery reports', reply: 'replies' };

/** A moment of a history: how long n8n had polled by then, and how often something had gone wrong. */
interface Moment {
  polledMs: number;
  disturbances: number;
}

/** The latest execution with a record. */
interface Run {
  /** Its items: the same list for whatever n8n says of it. */
  items: IDataObject[];
  process: Process;
  at: number;
  /** Whether it comes again if the execution fails. */
  repeats: boolean;
  /** Undefined if it has none, or if the page has been divided since. */
  pageId: unknown;
  state: 'runs' | 'failed' | 'succeeded';
  /** How often it came. */
  times: number;
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

  /** What somebody was told of that it comes no more. */
  private readonly told = new Set<string>();

  /** The same, as it was told. What could not be read is a record of its own, with all that is in it. */
  private readonly tells = new Set<string>();

  /** By record, how often the workflow has handled it. */
  private readonly handled = new Map<string, number>();

  /** By record that is not done, when it arrived. */
  private readonly arrivals = new Map<string, Moment>();

  /** By event, when it was pulled last. */
  private readonly pulls = new Map<EventName, Moment>();

  /** When something else than the workflow went wrong last, how often, and the number of polls. */
  private disturbed: Moment = { polledMs: 0, disturbances: 0 };

  /** Of a long time between two polls, only so much counts that four polls reach the limit. */
  private polledMs = 0;
  private polledAt: number;

  /** What the static data has. */
  private kept = new Set<string>();

  /** By ID, in the form in which it came last. */
  private readonly records = new Map<string, string>();

  /** By record, in its form. */
  private readonly runs = new Map<string, Run>();

  /** By page_id, the records that came with it. Who does something once by its page_id knows no others. */
  private readonly pages = new Map<string, string>();

  private readonly requests: Request[] = [];

  /** By record, when it arrived first. */
  private readonly arrived = new Map<string, number>();

  /** What n8n got and has neither stored nor refused. */
  private readonly handedOver = new Map<string, Poll>();

  /** What may be missing: it did not arrive whole, or its process was killed. */
  private readonly excused = new Set<string>();

  /** What may come again: two processes have it. */
  private readonly forgotten = new Set<string>();

  /** The polls whose process polls no more: another one has what they have handed over. */
  private readonly takenOver = new Set<Poll>();

  /** What n8n refused and has not saved since: only the memory of its process has it. */
  readonly unsaved = new Set<string>();

  /** By record, the poll that has handed it over last. What n8n says of an earlier one makes nothing due. */
  private readonly tried = new Map<string, Poll>();

  /** By trigger and process, what n8n has refused and not stored since. */
  private readonly refused = new Map<string, Set<string>>();

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
    return { polledMs, disturbances: this.disturbed.disturbances };
  }

  private get sincePollMs(): number {
    return Math.min(this.clock.now - this.polledAt, MAX_LATE_MS / MAX_LATE_POLLS);
  }

  /** Something happened that excuses delays and repetitions. */
  noteDisturbed(isOther = true): void {
    const { moment } = this;
    this.disturbed = { ...moment, disturbances: moment.disturbances + Number(isOther) };
  }

  isPoison(item: IDataObject): boolean {
    return idsOf([item]).some((id) => this.poison.has(id));
  }

  /** The workflow has done with an item what it does. */
  noteHandled(item: IDataObject): void {
    for (const id of idsOf([item])) {
      const record = recordIn(item, id);
      const times = (this.handled.get(record) ?? 0) + 1;
      this.handled.set(record, times);
      const arrived = this.arrivals.get(id)?.disturbances ?? 0;
      const excused = this.disturbed.disturbances - arrived;
      const most = MAX_HANDLED + excused;
      this.expect(this.forgotten.has(id) || times <= most, `${id} was handled ${times} times`);
    }
  }

  /** A failed execution says something. */
  noteTold(message: string, description: string): void {
    if (message.includes('keeps so many')) this.noteDisturbed();
    if (!message.includes('given up')) return;
    const listed = description.slice(description.indexOf('[{'), description.lastIndexOf(']') + 1);
    for (const record of JSON.parse(listed) as IDataObject[]) {
      const form = JSON.stringify(record);
      for (const id of idsOf([record])) {
        const isCause = this.isPoison(record) || (this.stops.get(id) ?? 0) >= MIN_STOPS;
        this.expect(isCause, `${id} was given up`);
        this.expect(!this.tells.has(form) || this.forgotten.has(id), `${id} was given up twice`);
        this.told.add(id);
      }
      this.tells.add(form);
    }
  }

  /** Whether it is too late for what has waited since a moment, with nothing else going wrong. */
  private isLate(since: Moment): boolean {
    return this.polledMs - Math.max(since.polledMs, this.disturbed.polledMs) > MAX_LATE_MS;
  }

  private expectInTime(poll: Poll): void {
    for (const [id, arrival] of this.arrivals) {
      const isOver = this.isThere(id) || this.poison.has(id) || this.forgotten.has(id);
      if (isOver) this.arrivals.delete(id);
      else this.expect(!this.isLate(arrival), `${id} is late`);
    }
    for (const event of poll.events) {
      const since = this.pulls.get(event) ?? { polledMs: 0, disturbances: 0 };
      this.expect(!this.isLate(since), `${event}: nothing is pulled any more`);
    }
  }

  // --- The service ---

  noteRequest(poll: Poll, event: EventName, count: number): Request {
    this.note(`${poll.trigger} pulls ${count} ${event}`);
    const kept = this.refused.get(keyOf(poll, event));
    this.expect(!kept?.size, `${event}: pulled while n8n refuses ${kept?.size} records`);
    this.pulls.set(event, this.moment);
    const request: Request = { poll, event, ids: [], state: 'underway' };
    this.requests.push(request);
    return request;
  }

  /** The text of an answer has arrived. */
  noteArrived(request: Request, text: string): void {
    request.state = 'arrived';
    const { event } = request;
    this.note(`  ${event}: ${text === '' ? 'no answer' : text.slice(0, 90)} (${text.length})`);
    const ids = new Set(idsIn(text));
    if (request.isWrong) this.noteDisturbed();
    for (const id of request.ids) {
      if (this.arrived.has(id)) continue;
      this.arrivals.set(id, this.moment);
      if (ids.has(id)) this.arrived.set(id, this.clock.now);
      else this.excused.add(id);
    }
  }

  // --- n8n ---

  noteHandedOver(ids: string[], poll: Poll): void {
    for (const id of ids) if (!this.done.has(id)) this.handedOver.set(id, poll);
  }

  noteStored(items: IDataObject[], poll: Poll): void {
    const ids = idsOf(items);
    if (ids.length > 0) poll.stored += 1;
    this.note(`  stored: ${shortOf(ids)}`);
    this.forgetRefused(ids);
    this.expectWholePage(items);
    for (const item of items) {
      for (const id of idsOf([item])) {
        if (!poll.repeats) {
          this.done.add(id);
          this.handedOver.delete(id);
        }
        this.unsaved.delete(id);
        // Who cannot handle one record of an answer that was not understood cannot handle the others.
        if (this.isPoison(item)) this.poison.add(id);
        if (item.event !== 'unreadable') this.expectOnce(id, item, { items, poll });
        const { serial = SERIAL } = item;
        this.expect(
          serial === SERIAL,
          `${id} has the serial ${String(serial)}, not all its digits`,
        );
      }
    }
  }

  private expectWholePage(items: IDataObject[]): void {
    const pageId = items[0]?.page_id;
    if (typeof pageId !== 'string') return;
    const ids = shortOf(idsOf(items));
    const before = this.pages.get(pageId) ?? ids;
    this.pages.set(pageId, ids);
    this.expect(ids === before, `${pageId} was ${before}, and is ${ids}`);
  }

  /** A record that a service gives in two forms is two records for everybody. */
  private expectOnce(
    id: string,
    item: IDataObject,
    { items, poll: { process, repeats } }: { items: IDataObject[]; poll: Poll },
  ): void {
    const record = recordIn(item, id);
    const before = this.runs.get(record);
    this.records.set(id, record);
    const { page_id: pageId } = item;
    this.expect((pageId !== undefined) === repeats, `${id} has the page_id ${String(pageId)}`);
    if (before && !this.forgotten.has(id)) {
      this.expect(this.mayRepeat(before), `${id} came twice`);
      if (repeats && before.pageId !== undefined) this.expectSamePage(id, before.pageId, pageId);
    }
    this.runs.set(record, {
      ...{ items, process, at: this.clock.now, repeats, pageId, state: 'runs' },
      times: (before?.times ?? 0) + 1,
      isSilent: before && !before.isTakenOver && (before.isSilent || this.isLost(before)),
    });
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
    for (const id of ids) {
      this.done.add(id);
      this.handedOver.delete(id);
    }
    this.forgetRefused(ids);
  }

  /** n8n has stored an execution, and it has failed or was cancelled. */
  noteFailed(items: IDataObject[], poll: Poll, isStopped: boolean): void {
    const ids = idsOf(items);
    this.note(`  failed: ${shortOf(ids)}`);
    this.noteEnd(items, 'failed', poll);
    for (const id of isStopped ? ids : []) this.stops.set(id, (this.stops.get(id) ?? 0) + 1);
    this.forgetHandOver(ids, poll);
  }

  private noteEnd(items: IDataObject[], state: Run['state'], { process }: Poll): void {
    for (const item of items) {
      for (const id of idsOf([item])) {
        const run = this.runs.get(recordIn(item, id));
        // The end of an earlier execution says nothing of the latest one, but any success is enough that its process
        // hears of.
        const isHeard = state === 'succeeded' && run?.process === process;
        const counts = run?.items === items || isHeard;
        if (run && counts && run.state !== 'succeeded') run.state = state;
      }
    }
  }

  /** Nothing may be pulled before these records were handed over again. */
  private noteDue(ids: string[], poll: Poll): void {
    for (const id of ids) {
      if (this.done.has(id) || this.tried.get(id) !== poll) continue;
      const key = keyOf(poll, eventOf(id));
      this.refused.set(key, (this.refused.get(key) ?? new Set()).add(id));
    }
  }

  /** What n8n says of a hand-over says nothing of a later one. */
  private forgetHandOver(ids: string[], poll: Poll): void {
    for (const id of ids) if (this.handedOver.get(id) === poll) this.handedOver.delete(id);
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
    this.forgetHandOver(ids, poll);
    const isTakenOver = this.takenOver.has(poll);
    if (isTakenOver) for (const id of ids) this.forgotten.add(id);
    for (const id of ids) if (!this.done.has(id)) this.unsaved.add(id);
    // After that time it comes again, whatever n8n says.
    const isKnown = poll.repeats && this.clock.now - poll.startedAt >= REPORT_LOST_AFTER_MS;
    if (!isKnown && !isTakenOver) this.noteDue(ids, poll);
  }

  /** Records are handed over another time: until n8n answers, nothing is known of them. */
  noteTried(ids: string[], poll: Poll): void {
    this.forgetRefused(ids);
    for (const id of ids) this.tried.set(id, poll);
    if (poll.repeats) return;
    // From now on its page may be divided.
    const tried = new Set(ids);
    for (const [record, run] of this.runs) {
      if (idsIn(record).some((id) => tried.has(id))) run.pageId = undefined;
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
    for (const run of this.runs.values()) run.isTakenOver ||= run.process === process;
    for (const [id, poll] of this.handedOver) {
      if (poll.process !== process) continue;
      this.excuse(id);
      this.takenOver.add(poll);
      // The next process does not know of it.
      if (!poll.repeats) this.forgotten.add(id);
    }
    for (const id of this.unsaved) this.excuse(id);
  }

  /**
   * A process that polls no more has heard late of a refusal, and saves its own static data: what the present
   * one has done with the same pages, and what came to it, is not in there.
   */
  noteOverwritten(saved: IDataObject, by: Process): void {
    for (const id of idsOf([saved])) this.forgotten.add(id);
    for (const [record, { process }] of this.runs) {
      if (process !== by) for (const id of idsIn(record)) this.forgotten.add(id);
    }
  }

  /** n8n has closed the trigger in peace, and saved what its process knows. */
  noteClosed(process: Process): void {
    for (const run of this.runs.values()) {
      run.isSettled ||= run.process === process && run.state === 'succeeded';
    }
  }

  /** The process was killed: what it had in hand is gone. */
  noteKilled(process: Process): void {
    const latest = new Map<string, Request>();
    for (const request of this.requests) {
      if (request.poll.process !== process) continue;
      if (request.state === 'underway') for (const id of request.ids) this.excuse(id);
      latest.set(keyOf(request.poll, request.event), request);
      request.state = 'arrived';
    }
    for (const { ids } of latest.values()) for (const id of ids) this.excuse(id);
    this.noteEnded(process);
  }

  /**
   * To be asked at the end, when nothing more comes.
   *
   * @param left what is in the queues of the events that a trigger pulls
   * @param quiet the events of which nothing new has come for days: then nobody can say what is wrong with a record
   */
  judge(left: string[], quiet: EventName[]): void {
    for (const [id, at] of this.arrived) {
      const isQuiet = quiet.includes(eventOf(id)) || this.clock.now - at < GIVEN_UP_AFTER_MS;
      const mayStay = isQuiet && this.poison.has(id) && this.kept.has(id);
      const isKnown = this.told.has(id) || this.forgotten.has(id) || mayStay;
      this.expect(this.isThere(id) || isKnown, `${id} is lost`);
    }
    for (const id of left) this.expect(this.isThere(id) || this.poison.has(id), `${id} never came`);
  }

  private excuse(id: string): void {
    if (!this.done.has(id) && !this.kept.has(id)) this.excused.add(id);
  }

  private isThere(id: string): boolean {
    return this.done.has(id) || this.excused.has(id) || this.runsOn(id);
  }

  /** An execution with it has not ended, nor has the one after it. */
  private runsOn(id: string): boolean {
    const record = this.records.get(id);
    const { state, times = 0 } = (record && this.runs.get(record)) || {};
    return state === 'runs' && times > 1;
  }

  private forgetRefused(ids: string[]): void {
    for (const set of this.refused.values()) for (const id of ids) set.delete(id);
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.finding ??= new Error([otherwise, ...this.log.slice(-LINES)].join('\n  '));
  }

  note(line: string): void {
    this.log.push(`${((this.clock.now - this.startedAt) / 1_000).toFixed(2)} ${line}`);
  }
}

/** A record in its form. */
function recordIn(item: IDataObject, id: string): string {
  const names = Object.keys(item).filter((name) => name !== 'page_id');
  return `${id} ${names.join()}`;
}

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
