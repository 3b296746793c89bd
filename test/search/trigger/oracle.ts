import type { IDataObject } from 'n8n-workflow';
import type { EventName } from '../../kit/engine/pulls';
import type { Process } from './processes';
import { SERIAL } from './service';
import type { Clock } from './time';

/** A poll lasts at most this long: n8n's scheduler gives up on a longer one. */
const MAX_POLL_MS = 45_000;

/** How many of the latest lines of the log go with a finding. */
const LINES = 60;

/** n8n may have lost a report after this time: then a page may come again. */
const REPORT_LOST_AFTER_MS = 600_000;

/** One poll of a trigger. */
export interface Poll {
  /** Names the workflow and the node. */
  trigger: string;
  process: Process;
  /** 'Repeat Failed Executions' is on. */
  repeats: boolean;
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

/** The latest execution with a record. */
interface Run {
  process: Process;
  at: number;
  /** Whether it comes again if the execution fails. */
  repeats: boolean;
  /** Undefined if it has none, or if the page has been divided since. */
  pageId: unknown;
  state: 'runs' | 'failed' | 'succeeded';
  /** Since when an earlier execution, of one that repeats what failed, has not ended. */
  openSince?: number;
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

  /** How many items executions have got, those included that came again. */
  storedItems = 0;

  /** What need not come any more: an execution has it; if executions are repeated, one that succeeded. */
  private readonly done = new Set<string>();

  /** What the static data has. */
  private kept = new Set<string>();

  /** By record, in its form. */
  private readonly runs = new Map<string, Run>();

  private readonly requests: Request[] = [];

  private readonly arrived = new Set<string>();

  /** What n8n got and has neither stored nor refused. */
  private readonly handedOver = new Map<string, Poll>();

  /** What may be missing: it did not arrive whole, or its process was killed. */
  private readonly excused = new Set<string>();

  /** What may come again: its node was replaced, or two processes have it. */
  private readonly forgotten = new Set<string>();

  /** What n8n refused and has not saved since: only the memory of its process has it. */
  readonly unsaved = new Set<string>();

  /** By record, the poll that has handed it over last. What n8n says of an earlier one makes nothing due. */
  private readonly tried = new Map<string, Poll>();

  /** By trigger and process, what n8n has refused and not stored since. */
  private readonly refused = new Map<string, Set<string>>();

  private readonly startedAt: number;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.now;
  }

  // --- The service ---

  noteRequest(poll: Poll, event: EventName, count: number): Request {
    this.note(`${poll.trigger} pulls ${count} ${event}`);
    const kept = this.refused.get(keyOf(poll, event));
    this.expect(!kept?.size, `${event}: pulled while n8n refuses ${kept?.size} records`);
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
    for (const id of request.ids) {
      if (ids.has(id)) this.arrived.add(id);
      else if (!this.arrived.has(id)) this.excused.add(id);
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
    this.storedItems += items.length;
    for (const item of items) {
      for (const id of idsOf([item])) {
        if (!poll.repeats) {
          this.done.add(id);
          this.handedOver.delete(id);
        }
        this.unsaved.delete(id);
        if (item.event !== 'unreadable') this.expectOnce(id, item, poll);
        const { serial = SERIAL } = item;
        this.expect(
          serial === SERIAL,
          `${id} has the serial ${String(serial)}, not all its digits`,
        );
      }
    }
  }

  /** A record that a service gives in two forms is two records for everybody. */
  private expectOnce(id: string, item: IDataObject, poll: Poll): void {
    const { process, repeats } = poll;
    const record = recordIn(item, id);
    const before = this.runs.get(record);
    const { page_id: pageId } = item;
    this.expect((pageId !== undefined) === repeats, `${id} has the page_id ${String(pageId)}`);
    if (before && !this.forgotten.has(id)) {
      this.expect(this.mayRepeat(before, process), `${id} came twice`);
      const isOther = repeats && before.pageId !== undefined && pageId !== before.pageId;
      this.expect(!isOther, `${id} came twice, in different pages`);
    }
    const openSince = before && before.state === 'runs' && before.repeats ? before.at : undefined;
    this.runs.set(record, {
      ...{ process, at: this.clock.now, repeats, pageId, state: 'runs' },
      openSince: openSince ?? before?.openSince,
    });
  }

  /** Another process does not know how an execution ended. */
  private mayRepeat({ process, at, repeats, state, openSince }: Run, by: Process): boolean {
    const isLost = (since: number) => this.clock.now - since >= REPORT_LOST_AFTER_MS;
    if (openSince !== undefined && isLost(openSince)) return true;
    return repeats && (process !== by || state === 'failed' || (state === 'runs' && isLost(at)));
  }

  /** An execution has succeeded. Nobody may have been there to hear of it. */
  noteSucceeded(items: IDataObject[]): void {
    const ids = idsOf(items);
    this.note(`  succeeded: ${shortOf(ids)}`);
    this.noteEnd(items, 'succeeded');
    for (const id of ids) {
      this.done.add(id);
      this.handedOver.delete(id);
    }
    this.forgetRefused(ids);
  }

  /** n8n has stored an execution, and it has failed or was cancelled. */
  noteFailed(items: IDataObject[], poll: Poll): void {
    const ids = idsOf(items);
    this.note(`  failed: ${shortOf(ids)}`);
    this.noteEnd(items, 'failed');
    this.forgetHandOver(ids, poll);
    if (poll.repeats) this.noteDue(ids, poll);
  }

  private noteEnd(items: IDataObject[], state: Run['state']): void {
    for (const item of items) {
      for (const id of idsOf([item])) {
        const run = this.runs.get(recordIn(item, id));
        if (run && run.state !== 'succeeded') run.state = state;
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
  noteKept(saved: IDataObject): void {
    this.kept = new Set(idsOf([saved]));
  }

  /** n8n says that it has not stored an execution. */
  noteRefused(ids: string[], poll: Poll): void {
    this.note(`  refused: ${shortOf(ids)}`);
    this.forgetHandOver(ids, poll);
    for (const id of ids) if (!this.done.has(id)) this.unsaved.add(id);
    this.noteDue(ids, poll);
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
    const blames = said.find((message) => /not of the expected shape|name twice/.test(message));
    this.expect(!blames || wrong.length > 0, `Nothing was wrong: ${blames}`);
  }

  // --- Ends ---

  /** The node was replaced by another: its memory is gone, and with it what n8n could not save. */
  noteReplaced(): void {
    for (const id of this.arrived) this.forgotten.add(id);
    this.excuseUnsaved();
  }

  /**
   * A process has ended, or another one takes over: what n8n could not save, or has not reported on yet, is
   * gone with it: n8n tells nobody but the process that handed it over.
   */
  noteEnded(process: Process): void {
    for (const [id, poll] of this.handedOver) {
      if (poll.process !== process) continue;
      this.excuse(id);
      // Another process hands it over, and this one may hear later that n8n has refused it.
      this.forgotten.add(id);
    }
    this.excuseUnsaved();
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
   */
  judge(left: string[]): void {
    for (const id of this.arrived) this.expect(this.isThere(id), `${id} is lost`);
    for (const id of left) this.expect(this.isThere(id), `${id} never came`);
  }

  private excuseUnsaved(): void {
    for (const id of this.unsaved) this.excuse(id);
  }

  private excuse(id: string): void {
    if (!this.done.has(id) && !this.kept.has(id)) this.excused.add(id);
  }

  private isThere(id: string): boolean {
    return this.done.has(id) || this.excused.has(id);
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
