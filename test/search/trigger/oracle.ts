import type { IDataObject } from 'n8n-workflow';
import type { EventName } from '../../engine/harness/pulls';
import type { Process } from './processes';
import type { Clock } from './time';

/** A poll lasts at most this long: n8n's scheduler gives up on a longer one. */
const MAX_POLL_MS = 45_000;

/** Most executions that n8n may hold unstored before the trigger waits: ten pages, and the one in flight. */
const MAX_UNSETTLED_PAGES = 11;

const HOUR_MS = 3_600_000;

/** How many of the latest lines of the log go with a finding. */
const LINES = 60;

/** n8n may have lost a report after this time: then a page may come again. */
const REPORT_LOST_AFTER_MS = 600_000;

/** After this time n8n refuses nothing, as far as the trigger knows. */
const CONFIRMED_AFTER_MS = 30_000;

/** Longer than from one poll to the next. */
const TWO_MINUTES_MS = 122_000;

/** One poll of a trigger. */
export interface Poll {
  /** Names the workflow and the node. */
  trigger: string;
  process: Process;
  events: EventName[];
  pullSize: number;
  /** 'Repeat Failed Executions' is on. */
  repeats: boolean;
  startedAt: number;
  isPublication: boolean;
  /** Which events got only usual answers, and which got another one. */
  usual: Set<EventName>;
  unusual: Set<EventName>;
  /** Which events have brought records that n8n never had. */
  fresh: Set<EventName>;
  requests: number;
  stored: number;
  thrown?: Error;
}

/** A pull, and the IDs of what the service gave. */
export interface Request {
  poll: Poll;
  event: EventName;
  ids: string[];
  state: 'underway' | 'arrived';
}

/** A pull that was made by a trigger that is still there. */
interface Holder {
  trigger: string;
  process: Process;
}

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

  kills = 0;
  told = 0;

  /** Whether an execution was to be repeated if it fails. */
  hasRepeated = false;

  /** What need not come any more: an execution has it; if executions are repeated, one that succeeded. */
  private readonly done = new Set<string>();

  /** By workflow, what its static data has. */
  private readonly kept = new Map<string, Set<string>>();

  /** By record, in its form. */
  private readonly runs = new Map<string, Run>();

  private readonly requests: Request[] = [];

  /** IDs of what has arrived, by what was asked for. */
  private readonly arrived = new Map<string, Request>();

  /** What n8n got and has neither stored nor refused. */
  private readonly handedOver = new Map<string, { poll: Poll; at: number }>();

  /** What may be missing: it did not arrive whole, or its process was killed. */
  private readonly excused = new Set<string>();

  /** What may come again: the memory of it was edited away, or two processes have handed it over. */
  private readonly forgotten = new Set<string>();

  /** What n8n refused and has not saved since, by trigger: only the memory of its process has it. */
  private readonly unsaved = new Map<string, string>();

  /** By trigger and process, what n8n has refused and not stored since. */
  private readonly refused = new Map<string, Set<string>>();

  private refusals = 0;
  private refusedAt = -Infinity;

  /** Nothing can be saved any more: somebody has written nonsense over all of the static data. */
  private isUnsaveable = false;

  /** The largest Pull Size so far: a change of it may come while a page of the old size is shown. */
  private largestPull = 0;

  /** By account and event, who pulls. */
  private readonly holders = new Map<string, Holder>();

  /** By trigger, when it had failed executions. */
  private readonly errorTimes = new Map<string, number[]>();

  private readonly startedAt: number;

  constructor(
    private readonly clock: Clock,
    /** Whether the service takes out what it gives. */
    private readonly deletes: boolean,
    /** Whether nothing but the time of deleting can show a record twice. */
    private readonly isPlain: boolean,
  ) {
    this.startedAt = clock.now;
  }

  get hasUnsaved(): boolean {
    return this.unsaved.size > 0;
  }

  // --- The service ---

  noteRequest(poll: Poll, account: string, event: EventName, count: number): Request {
    poll.requests += 1;
    this.note(`${poll.trigger} pulls ${count} ${event}`);
    this.largestPull = Math.max(this.largestPull, poll.pullSize);
    const kept = this.refused.get(keyOf(poll, event));
    this.expect(!kept?.size, `${event}: pulled while n8n refuses ${kept?.size} records`);
    this.expect(count <= poll.pullSize, `${event}: ${count} asked for, more than Pull Size`);
    this.expectAlone(poll, account, event);
    const request: Request = { poll, event, ids: [], state: 'underway' };
    this.requests.push(request);
    return request;
  }

  /** The service gives records to a pull. */
  noteGiven(request: Request, ids: string[]): void {
    request.ids = ids;
    const fresh = ids.filter((id) => !this.arrived.has(id));
    this.expect(
      !this.deletes || !this.isPlain || fresh.length <= this.largestPull,
      `${request.event}: ${fresh.length} new records in one answer`,
    );
  }

  /** The text of an answer has arrived. */
  noteArrived(request: Request, text: string, isUsual: boolean): void {
    request.state = 'arrived';
    const { poll, event } = request;
    this.note(`  ${event}: ${text === '' ? 'no answer' : text.slice(0, 90)} (${text.length})`);
    const ids = new Set(idsIn(text));
    if (request.ids.some((id) => ids.has(id) && !this.arrived.has(id))) poll.fresh.add(event);
    for (const id of request.ids) {
      if (ids.has(id)) this.arrived.set(id, request);
      else if (!this.arrived.has(id)) this.excused.add(id);
    }
    (isUsual ? poll.usual : poll.unusual).add(event);
  }

  // --- n8n ---

  noteHandedOver(ids: string[], poll: Poll): void {
    const at = this.clock.now;
    for (const id of ids) if (!this.isDone(id)) this.handedOver.set(id, { poll, at });
    const [first = ''] = ids;
    const latest = this.arrived.get(first);
    const recent = [...this.handedOver].filter(
      ([, of]) => at - of.at < (of.poll.repeats ? REPORT_LOST_AFTER_MS : CONFIRMED_AFTER_MS),
    );
    const pages = new Set(recent.map(([id]) => this.arrived.get(id)));
    const open = [...pages].filter(
      (each) => each?.event === latest?.event && each?.poll.trigger === latest?.poll.trigger,
    );
    this.expect(
      open.length <= MAX_UNSETTLED_PAGES,
      `${open.length} pages are handed over and not stored`,
    );
  }

  noteStored(items: IDataObject[], poll: Poll): void {
    const ids = idsOf(items);
    if (ids.length > 0) poll.stored += 1;
    this.note(`  stored: ${shortOf(ids)}`);
    this.forEachRefused(ids, (set, id) => set.delete(id));
    this.storedItems += items.length;
    for (const item of items) {
      for (const id of idsOf([item])) {
        if (!poll.repeats) {
          this.done.add(id);
          this.handedOver.delete(id);
        }
        this.unsaved.delete(id);
        if (item.event !== 'unreadable') this.expectOnce(id, item, poll);
      }
    }
  }

  /** A record that a service gives in two forms is two records for everybody. */
  private expectOnce(id: string, item: IDataObject, poll: Poll): void {
    const { process, repeats } = poll;
    const record = recordIn(item, id, poll);
    const before = this.runs.get(record);
    const { page_id: pageId } = item;
    this.hasRepeated ||= repeats;
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
  noteSucceeded(items: IDataObject[], poll: Poll): void {
    const ids = idsOf(items);
    this.note(`  succeeded: ${shortOf(ids)}`);
    this.noteEnd(items, poll, 'succeeded');
    for (const id of ids) this.done.add(id);
    this.forEachRefused(ids, (set, id) => set.delete(id));
  }

  /** n8n has stored an execution, and it has failed or was cancelled. */
  noteFailed(items: IDataObject[], poll: Poll): void {
    const ids = idsOf(items);
    this.note(`  failed: ${shortOf(ids)}`);
    this.noteEnd(items, poll, 'failed');
    if (poll.repeats) this.noteDue(ids, poll);
  }

  private noteEnd(items: IDataObject[], poll: Poll, state: Run['state']): void {
    for (const item of items) {
      for (const id of idsOf([item])) {
        const run = this.runs.get(recordIn(item, id, poll));
        if (run && run.state !== 'succeeded') run.state = state;
        this.handedOver.delete(id);
      }
    }
  }

  /** Nothing may be pulled before these records were handed over again. */
  private noteDue(ids: string[], poll: Poll): void {
    for (const id of ids) {
      if (this.isDone(id)) continue;
      const key = keyOf(poll, eventOf(id));
      this.refused.set(key, (this.refused.get(key) ?? new Set()).add(id));
    }
  }

  /** n8n has saved static data. */
  noteKept(workflow: string, saved: IDataObject): void {
    this.kept.set(workflow, new Set(idsOf([saved])));
  }

  /** n8n says that it has not stored an execution. */
  noteRefused(ids: string[], poll: Poll): void {
    this.refusals += 1;
    this.refusedAt = this.clock.now;
    this.note(`  refused: ${shortOf(ids)}`);
    for (const id of ids) {
      poll.unusual.add(eventOf(id));
      if (this.isDone(id)) continue;
      this.handedOver.delete(id);
      this.unsaved.set(id, poll.trigger);
    }
    this.noteDue(ids, poll);
  }

  /** Records are handed over another time: until n8n answers, nothing is known of them. */
  noteTried(ids: string[], { repeats }: Poll): void {
    this.forEachRefused(ids, (set, id) => set.delete(id));
    if (repeats) return;
    // From now on its page may be divided.
    const tried = new Set(ids);
    for (const [record, run] of this.runs) {
      if (idsIn(record).some((id) => tried.has(id))) run.pageId = undefined;
    }
  }

  /** n8n writes the static data of a workflow as it is now. To be called when that is done. */
  saving(workflow: string): () => void {
    const ids = [...this.unsaved].flatMap(([id, trigger]) =>
      trigger.startsWith(`${workflow}/`) ? [id] : [],
    );
    return () => ids.forEach((id) => this.unsaved.delete(id));
  }

  noteError(poll: Poll, error: Error): void {
    this.told += 1;
    this.note(`  failed execution of ${poll.trigger}: ${error.message}`);
    // A service that never takes records out may hide some: that is told for each event.
    const isOfOldOnes = GIVEN_AGAIN.exec(error.message);
    const key = isOfOldOnes ? keyOfOld(poll.trigger, isOfOldOnes[1] ?? '') : poll.trigger;
    const times = this.errorTimes.get(key) ?? [];
    this.errorTimes.set(key, [...times, this.clock.now]);
  }

  /** A poll has ended by itself. */
  notePolled(poll: Poll): void {
    const { thrown, stored, events, usual, unusual, isPublication } = poll;
    const isGood = (event: EventName) => usual.has(event) && !unusual.has(event);
    // A publication without records fails for what its publisher can mend.
    const good = isPublication ? [] : events.filter(isGood);
    this.expect(!thrown || stored === 0, `A poll that brought records throws: ${thrown?.message}`);
    this.expect(
      !thrown || good.length === 0,
      `A poll throws though ${good.join()} is well: ${thrown?.message}`,
    );
    if (thrown) this.note(`  ${poll.trigger} throws: ${thrown.message}`);
    const took = this.clock.now - poll.startedAt;
    this.expect(took <= MAX_POLL_MS, `A poll takes ${took} ms`);
  }

  /** A trigger that pulls nothing has to say why, once an hour at most. */
  expectTold(poll: Poll): void {
    const times = this.errorTimes.get(poll.trigger) ?? [];
    const lately = times.filter((time) => time > this.clock.now - HOUR_MS - TWO_MINUTES_MS);
    this.expect(lately.length > 0, `${poll.trigger} pulls nothing, in silence`);
  }

  /** A service that takes nothing out of its queue hides what stands behind a page: that is told. */
  expectToldOf(triggers: string[], event: EventName): void {
    const times = triggers.flatMap(
      (trigger) => this.errorTimes.get(keyOfOld(trigger, PLURALS[event])) ?? [],
    );
    const isTold = times.some((time) => time > this.clock.now - HOUR_MS - TWO_MINUTES_MS);
    this.expect(isTold, `${event}: records of ${triggers.join()} stay behind others, in silence`);
  }

  /** A trigger has told too often: the same each minute. */
  expectQuiet(trigger: string, since: number): void {
    // A refusal that came late is told then.
    const begin = Math.max(since, this.refusedAt + TWO_MINUTES_MS);
    const times = (this.errorTimes.get(trigger) ?? []).filter((time) => time > begin);
    const most = 1 + (this.clock.now - since) / HOUR_MS;
    this.expect(times.length <= most, `${trigger} fails ${times.length} times though all is well`);
  }

  // --- Ends ---

  /** The triggers of a name pull no more. */
  noteClosed(trigger: string): void {
    for (const [key, held] of this.holders) if (held.trigger === trigger) this.holders.delete(key);
  }

  /** The node was replaced by another: its memory is gone, and with it what n8n could not save. */
  noteReplaced(): void {
    this.noteForgotten(false);
    this.excuseUnsaved();
  }

  /**
   * A process has ended, or another one takes over: what n8n could not save, or has not reported on yet, is
   * gone with it.
   */
  noteEnded(process: Process): void {
    if (this.isUnsaveable) this.noteForgotten(true);
    for (const [id, { poll }] of this.handedOver) {
      if (poll.process !== process) continue;
      this.excuse(id);
      // Another process hands it over, and this one may hear later that n8n has refused it.
      this.forgotten.add(id);
    }
    this.excuseUnsaved();
    this.holders.clear();
  }

  /** The process was killed: what it had in hand is gone. */
  noteKilled(process: Process): void {
    this.kills += 1;
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
   * Static data was edited by hand.
   *
   * @param isAll no static data is left that could hold anything
   */
  noteEdited(isAll: boolean): void {
    this.isUnsaveable ||= isAll;
    this.noteForgotten(true);
  }

  /** All before may come again, or be missing. */
  private noteForgotten(mayBeMissing: boolean): void {
    for (const id of this.arrived.keys()) {
      this.forgotten.add(id);
      if (mayBeMissing) this.excused.add(id);
    }
  }

  /**
   * To be asked at the end, when nothing more comes.
   *
   * @param left what is in the queues of the events that a trigger pulls
   */
  judge(left: string[]): void {
    for (const [id, { event, poll }] of this.arrived)
      this.expect(this.isThere(id), `${id} is lost: ${event}, ${poll.trigger}`);
    for (const id of left) this.expect(this.isThere(id), `${id} never came`);
    this.expect(
      this.refusals === 0 || this.kills > 0 || this.told > 0,
      'n8n refused, and nobody was told',
    );
  }

  private excuseUnsaved(): void {
    for (const id of this.unsaved.keys()) this.excuse(id);
  }

  private excuse(id: string): void {
    const isKept = [...this.kept.values()].some((ids) => ids.has(id));
    if (!this.isDone(id) && !isKept) this.excused.add(id);
  }

  private isThere(id: string): boolean {
    return this.isDone(id) || this.excused.has(id);
  }

  /** What need not come any more. */
  private isDone(id: string): boolean {
    return this.done.has(id);
  }

  /** While another trigger of this process pulls the same, a trigger must not. */
  private expectAlone({ trigger, process }: Poll, account: string, event: EventName): void {
    const key = `${account}/${event}`;
    const holder = this.holders.get(key);
    const isOther = holder && holder.process === process && holder.trigger !== trigger;
    this.expect(!isOther, `${event}: ${trigger} and ${holder?.trigger} pull one account`);
    this.holders.set(key, { trigger, process });
  }

  private forEachRefused(ids: string[], then: (set: Set<string>, id: string) => void): void {
    for (const set of this.refused.values()) for (const id of ids) then(set, id);
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.finding ??= new Error([otherwise, ...this.log.slice(-LINES)].join('\n  '));
  }

  note(line: string): void {
    this.log.push(`${((this.clock.now - this.startedAt) / 1_000).toFixed(2)} ${line}`);
  }
}

/** A record in its form. Two workflows do not know what came to the other. */
function recordIn(item: IDataObject, id: string, { trigger }: Poll): string {
  const names = Object.keys(item).filter((name) => name !== 'page_id');
  return `${trigger.split('/')[0]} ${id} ${names.join()}`;
}

/** What the trigger says of a page that it got again and again. */
const GIVEN_AGAIN = /^The service gave the same \d+ (.+) again/;

const PLURALS: Record<EventName, string> = { deliveryReport: 'delivery reports', reply: 'replies' };

const keyOfOld = (trigger: string, plural: string) => `${trigger}: ${plural}`;

const keyOf = ({ trigger, process }: Poll, event: EventName) =>
  `${trigger}/${process.number}/${event}`;

const eventOf = (id: string): EventName => (id.startsWith('<m') ? 'reply' : 'deliveryReport');

/** The IDs in a text. */
export function idsIn(text: string): string[] {
  return text.match(/<[rm]\d+>/g) ?? [];
}

/** The IDs in items. */
export function idsOf(items: IDataObject[]): string[] {
  return [...new Set(idsIn(JSON.stringify(items)))];
}

const shortOf = (ids: string[]) =>
  ids.length < 4 ? ids.join() : `${ids[0]} … ${ids.at(-1)} (${ids.length})`;
