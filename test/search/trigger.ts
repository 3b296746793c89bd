import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { createHarness, CREDENTIAL } from '../engine/harness';
import type { Harness, Poller } from '../engine/harness';
import type { Fault } from '../sandbox/faults';
import type { Gateway, GatewayOptions, RecordedRequest } from '../sandbox/gateway';
import type { Queue } from '../sandbox/queue';

/**
 * Random lives of a trigger in the real engine: records come, n8n takes them or refuses them early and
 * late, is stopped, killed and started again, and the service does anything a service may do. What is
 * true says the gateway's own log: which records it has given away, and whether their bytes arrived.
 */

const PATHS = { deliveryReport: '/sendsms/report/pull', reply: '/sendsms/mo/pull' } as const;

type EventName = keyof typeof PATHS;

/** Time is compressed: what the node waits for takes a fiftieth of it, and so does what it waits for. */
const COMPRESSION = 50;

/** A page of each event under way, and those that may be handed over and not confirmed. */
const MOST_UNSETTLED_PAGES = 11;

/** The memory knows so many again, and no history has more. */
const MOST_RECORDS = 3_000;

/** Until two polls in a row have nothing to do. The service is sound by then, and so is n8n. */
const MOST_SOUND_POLLS = 60;

// ---------------------------------------------------------------------------------------------------
// What may happen
// ---------------------------------------------------------------------------------------------------

interface Answer {
  data: IDataObject[];
}

/** Answers whose records are there, in a shape that nobody announced. */
const SHAPES: ((answer: Answer) => unknown)[] = [
  ({ data }) => ({ code: 0, msg: '', data: { list: data } }),
  ({ data }) => ({ code: '0', data: Object.fromEntries(data.map((each, n) => [`k${n}`, each])) }),
  ({ data }) => data,
  ({ data }) => ({ code: 0, data: JSON.stringify(data) }),
  ({ data }) => ({ code: 9000, msg: 'busy', data }),
  ({ data }) => ({ code: 0, result: { records: data } }),
];

/** These lose what the service gave away with them: its bytes do not arrive. */
const LOSING: Fault[] = [
  { kind: 'resetAfterAccept' },
  { kind: 'truncatedJson' },
  { kind: 'truncatedJson', mismatchedLength: true },
  { kind: 'html' },
  { kind: 'emptyBody' },
  { kind: 'status', status: 500, accept: true },
];

const FAULTS: Fault[] = [
  ...LOSING,
  ...SHAPES.map((body): Fault => ({ kind: 'wrongShape', body })),
  { kind: 'businessCode', code: 9000 },
  { kind: 'businessCode', code: 9000, times: 6 },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 401 },
  { kind: 'tooManyRequests', retryAfter: '1' },
  { kind: 'resetBeforeAccept' },
  { kind: 'redirect' },
  { kind: 'notConsuming' },
  { kind: 'repeatPage' },
  { kind: 'slow', delayMs: 15 },
];

/** What n8n does with an execution, and in how many of the trigger's milliseconds it says so. */
const FATES = [
  { isStarted: true, afterMs: 0 },
  { isStarted: true, afterMs: 3_000 },
  { isStarted: true, afterMs: Infinity },
  { isStarted: true, afterMs: 0, throws: 'No active execution found: 1' },
  { isStarted: false, afterMs: 0, throws: 'The database is locked' },
  { isStarted: false, afterMs: 0, isThrownAtOnce: true, throws: 'No longer active' },
  { isStarted: false, afterMs: 0 },
  { isStarted: false, afterMs: 1_000, throws: 'The database is slow' },
  { isStarted: false, afterMs: 2_500, throws: 'The database is down' },
  { isStarted: false, afterMs: 2_500 },
] as const satisfies Fate[];

interface Fate {
  isStarted: boolean;
  afterMs: number;
  /** The error that n8n says; without one, that there was no run. */
  throws?: string;
  isThrownAtOnce?: boolean;
}

const STARTED: Fate = FATES[0];

type Step =
  | { kind: 'records'; reports: number; replies: number }
  | { kind: 'poll'; times: number; overlapping: boolean }
  /** The next executions but `after` of them meet this fate, until n8n is sound again. */
  | { kind: 'n8n'; fate: number; after: number; isSaving: boolean }
  | { kind: 'soundN8n' }
  | { kind: 'service'; fault: Fault; nth: number; event: EventName }
  /** The service gives again what it gave last. */
  | { kind: 'redelivery'; count: number }
  /** n8n stops as it should, and another process goes on. */
  | { kind: 'restart' }
  /** kill -9 at so many hand-overs from now on: before n8n has saved, or right after. */
  | { kind: 'kill'; handOvers: number; isSaved: boolean }
  /** Another main process polls from now on; this one lives on. */
  | { kind: 'otherProcess' };

export interface Scenario {
  consume: boolean;
  /** The service gives no more at a time. */
  maxCount: number;
  pullSize: number;
  itemsPerExecution: number;
  events: EventName[];
  steps: Step[];
}

const records = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 25 }), weight: 6 },
  { arbitrary: fc.integer({ min: 100, max: 300 }), weight: 2 },
  { arbitrary: fc.constantFrom(950, MOST_RECORDS), weight: 2 },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('records' as const),
      reports: records,
      replies: fc.integer({ min: 0, max: 12 }),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      times: fc.integer({ min: 1, max: 4 }),
      overlapping: fc.boolean(),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('n8n' as const),
      fate: fc.nat(FATES.length - 1),
      after: fc.nat(3),
      isSaving: fc.boolean(),
    }),
    weight: 3,
  },
  { arbitrary: fc.constant({ kind: 'soundN8n' as const }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('redelivery' as const),
      count: fc.constantFrom(10, MOST_RECORDS),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('service' as const),
      fault: fc.constantFrom(...FAULTS),
      nth: fc.integer({ min: 1, max: 4 }),
      event: fc.constantFrom('deliveryReport', 'reply'),
    }),
    weight: 3,
  },
  { arbitrary: fc.constant({ kind: 'restart' as const }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      handOvers: fc.integer({ min: 1, max: 4 }),
      isSaved: fc.boolean(),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ kind: 'otherProcess' as const }), weight: 1 },
);

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    consume: fc.boolean(),
    maxCount: fc.constantFrom(Infinity, 7, 4),
    pullSize: fc.constantFrom(5, 20, 20, 100, 1_000),
    itemsPerExecution: fc.constantFrom(2, 1_000, 1_000),
    events: fc.constantFrom<EventName[][]>(['deliveryReport'], ['deliveryReport', 'reply']),
    steps: fc.array(step, { minLength: 2, maxLength: 9 }),
  })
  // What always shows the same oldest few has nothing else to give.
  .map((each) => (each.consume ? each : { ...each, maxCount: Infinity }))
  // Large queues in tiny pages show nothing but patience.
  .map((each) => ({ ...each, steps: each.steps.map((one) => scaled(one, each)) }));

function scaled(step: Step, { pullSize, maxCount }: Scenario): Step {
  if (step.kind !== 'records') return step;
  return { ...step, reports: Math.min(step.reports, 30 * Math.min(pullSize, maxCount)) };
}

// ---------------------------------------------------------------------------------------------------
// The world
// ---------------------------------------------------------------------------------------------------

/** What a poll is part of: a process that is killed does nothing more. */
class Life {
  isOver = false;
  end!: () => void;
  readonly ended = new Promise<void>((resolve) => {
    this.end = () => {
      this.isOver = true;
      resolve();
    };
  });
}

const lives = new AsyncLocalStorage<Life>();

/** One process: n8n and the package loaded anew, with nothing in memory of any other. */
export interface Process extends Pick<Harness, 'createPoller'> {
  /** Forgets that a trigger polled here: its process is gone, this one stands for it once more. */
  release: (trigger: string) => void;
}

export async function startProcess(gateway: Gateway): Promise<Process> {
  let started: Process | undefined;
  await jest.isolateModulesAsync(async () => {
    const { createPoller, loader } = await createHarness(gateway.credential() as never);
    const credential = loader.getCredential(CREDENTIAL).type;
    const authenticate = credential.authenticate as (...args: unknown[]) => Promise<unknown>;
    Object.assign(credential, {
      authenticate: async (...args: unknown[]) => {
        await untilNever(lives.getStore()?.isOver);
        return await authenticate.apply(credential, args);
      },
    });
    const { release } = jest.requireActual<Pick<Process, 'release'>>(
      '../../dist/nodes/SmsMessagingService/receiving/claims',
    );
    started = { createPoller, release };
    const n8n = jest.requireActual<{ sleep: (milliseconds: number) => Promise<void> }>(
      'n8n-workflow',
    );
    Object.defineProperty(n8n, 'sleep', {
      value: async (milliseconds: number) => {
        const life = lives.getStore();
        await pause(milliseconds / COMPRESSION);
        await untilNever(life?.isOver);
      },
    });
  });
  return started as Process;
}

/** What is over goes no further. */
async function untilNever(isOver = false): Promise<void> {
  if (isOver) await new Promise(() => undefined);
}

async function pause(milliseconds: number): Promise<void> {
  await untilNever(milliseconds === Infinity);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export interface World {
  gateway: Gateway;
  /** The gateway's own, which it reads at every request. */
  options: GatewayOptions;
  processes: Process[];
}

/** The clock of n8n and of the gateway; a minute passes between two polls. */
let minutes = 0;
const realNow = Date.now.bind(Date);
export const now = () => realNow() + minutes * 61_000;

/** Records that the service gave away with one answer. */
interface Given {
  page: IDataObject[];
  request: RecordedRequest;
  life: Life;
}

let histories = 0;

/** Plays a scenario, and throws what is not true of what came. Returns the polls that were run. */
export async function play(scenario: Scenario, world: World): Promise<number> {
  const { gateway, options } = world;
  gateway.reset();
  options.consume = scenario.consume;
  options.maxCount = scenario.maxCount;
  const history = new History(scenario, world, `history-${++histories}`);
  try {
    for (const step of scenario.steps) await history.take(step);
    await history.end();
  } finally {
    await history.close();
  }
  return history.polls;
}

class History {
  polls = 0;

  /** Executions that were started, by record. */
  private readonly started = new Map<string, number>();

  /** What the service gave away, in order. */
  private readonly given: Given[] = [];

  /** Records that n8n got and neither started nor said no to, by the life in which it got them. */
  private readonly handedOver = new Map<string, Life>();

  /** Records that may be missing: what they were in did not arrive, or its process was killed. */
  private readonly excused = new Set<string>();

  /** Refused, and n8n has not saved since: they are in the memory of their process only. */
  private readonly unsaved = new Set<string>();

  private fate: Fate = STARTED;
  private soundExecutions = 0;
  private readonly fates = new WeakMap<IDataObject[], Fate>();
  private isSaving = true;
  private killAt = Infinity;
  private isKillSaved = false;
  private kills = 0;
  /** The parts of one page are handed over at once. */
  private isSamePage = false;

  private reports = 0;
  private current = 0;
  private readonly alive = new Map<number, Poller & { life: Life }>();
  private nextProcess = 1;
  private saved: IDataObject = {};
  private refusals = 0;
  private errors = 0;
  private readonly pending = new Set<Promise<unknown>>();

  constructor(
    private readonly scenario: Scenario,
    private readonly world: World,
    private readonly workflowId: string,
  ) {
    this.watch('deliveryReport', world.gateway.state.reports);
    this.watch('reply', world.gateway.state.replies);
    this.start(0);
  }

  async take(step: Step): Promise<void> {
    const { gateway } = this.world;
    switch (step.kind) {
      case 'records':
        this.queueReports(step.reports);
        gateway.queueReplies(step.replies);
        break;
      case 'n8n':
        this.fate = FATES[step.fate] as Fate;
        this.soundExecutions = step.after;
        this.isSaving = step.isSaving;
        break;
      case 'soundN8n':
        this.beSound();
        break;
      case 'service':
        gateway.fault({ ...step.fault, nth: step.nth, path: PATHS[step.event] });
        break;
      case 'redelivery':
        this.redeliver('deliveryReport', gateway.state.reports, step.count);
        this.redeliver('reply', gateway.state.replies, step.count);
        break;
      case 'poll':
        await this.poll(step.times, step.overlapping);
        break;
      case 'kill':
        if (!this.canStartNext) break;
        this.killAt = step.handOvers;
        this.isKillSaved = step.isSaved;
        break;
      case 'restart':
        if (!this.canStartNext) break;
        await this.settle();
        await this.poller.deactivate();
        this.alive.delete(this.current);
        // What n8n could not save is gone with the process.
        for (const id of this.unsaved) this.excused.add(id);
        this.startNext();
        break;
      case 'otherProcess':
        await this.settle();
        // The database that says who leads is the one that saves.
        if (this.unsaved.size === 0 && this.canStartNext) this.startNext();
        break;
    }
  }

  /** Everything is sound from now on, and every process that still lives has its turn. */
  async end(): Promise<void> {
    const { gateway } = this.world;
    this.beSound();
    this.killAt = Infinity;
    gateway.clearFaults();
    await this.settle();
    // Whoever led last goes first: only it knows what n8n could not save.
    const processes = [this.current, ...[...this.alive.keys()].filter((n) => n !== this.current)];
    let idle = 0;
    for (let polls = 0; idle < 2; polls++) {
      if (polls > MOST_SOUND_POLLS) throw new Error('The queue does not get empty');
      const before = this.startedTotal;
      for (const process of processes) {
        this.start(process);
        await this.poll(1, false);
      }
      idle = this.startedTotal === before ? idle + 1 : 0;
    }
    this.judge();
  }

  async close(): Promise<void> {
    await Promise.all([...this.alive.values()].map(async (poller) => await poller.deactivate()));
  }

  private judge(): void {
    for (const [id, count] of this.started) {
      if (count > 1) throw new Error(`${id} came ${count} times`);
    }
    for (const { page, request } of this.given) {
      const isLost = LOSING.some(({ kind }) => request.outcome === `fault ${kind}`);
      for (const id of isLost ? [] : page.map(idOf)) {
        if (!this.started.has(id) && !this.excused.has(id)) {
          throw new Error(`${id} is lost: ${request.path}, ${request.outcome}`);
        }
      }
    }
    const { reports, replies } = this.world.gateway.state;
    const left = this.scenario.events.includes('reply') ? [reports, replies] : [reports];
    for (const queue of left as Queue<unknown>[]) {
      for (const record of queue) {
        const id = idOf(record as IDataObject);
        if (!this.started.has(id) && !this.excused.has(id)) throw new Error(`${id} never came`);
      }
    }
    if (this.refusals > 0 && this.kills === 0 && this.errors === 0)
      throw new Error('n8n refused, and nobody was told');
    expect(this.world.gateway.violations).toEqual([]);
  }

  // --- Polls ---

  private get poller(): Poller & { life: Life } {
    return this.alive.get(this.current) as Poller & { life: Life };
  }

  private get startedTotal(): number {
    let total = 0;
    for (const count of this.started.values()) total += count;
    return total;
  }

  /** A poller of this process, with the static data that n8n has saved. */
  private start(process: number): void {
    this.current = process;
    const before = this.alive.get(process);
    const { pullSize, itemsPerExecution, events } = this.scenario;
    const life = before?.life ?? new Life();
    const poller = (this.world.processes[process] as Process).createPoller(
      { pullSize, events, options: { itemsPerExecution } },
      {
        workflowId: this.workflowId,
        restarted: JSON.parse(JSON.stringify(this.saved)) as IDataObject,
        onEmit: (items) => this.emit(items, life),
        onExecution: async (items) => await this.execute(items),
      },
    );
    this.alive.set(process, Object.assign(poller, { life }));
  }

  /** There are only so many, and one may have to follow one that is killed. */
  private get canStartNext(): boolean {
    const needed = this.killAt === Infinity ? 1 : 2;
    return this.nextProcess + needed <= this.world.processes.length;
  }

  private startNext(): void {
    this.start(this.nextProcess);
    this.nextProcess += 1;
  }

  private async poll(times: number, overlapping: boolean): Promise<void> {
    const polls: Promise<void>[] = [];
    for (let poll = 0; poll < times; poll++) {
      if (poll === 0 || !overlapping) {
        await this.settle();
        minutes += 1;
      }
      this.polls += 1;
      const { poller } = this;
      const errorsBefore = poller.errors.length;
      const polled = lives.run(poller.life, async () => await poller.tick());
      const ended = Promise.race([polled, this.untilKilled(poller.life)]).then(() => {
        this.errors += poller.errors.length - errorsBefore;
      });
      polls.push(ended);
      if (!overlapping) await ended;
      else await pause(1);
      if (poller.life.isOver) break;
    }
    await Promise.all(polls);
    if (this.poller.life.isOver) this.bury();
    else this.saved = { ...this.saved, ...this.poller.saved };
    this.expectBounded();
  }

  private async untilKilled(life: Life): Promise<void> {
    await life.ended;
    // Its last request may still be on the way to the gateway.
    await pause(10);
    while (this.world.gateway.requests.some(({ outcome }) => outcome === 'pending')) await pause(1);
  }

  /** The process was killed: what it had in hand is gone, and a new one starts. */
  private bury(): void {
    this.kills += 1;
    const { life, saved } = this.poller;
    this.saved = { ...this.saved, ...saved };
    this.alive.delete(this.current);
    this.world.processes[this.current]?.release(`${this.workflowId}/node-1`);
    // Of each event the page that was in flight.
    for (const path of Object.values(PATHS)) {
      const page = this.given.findLast((each) => each.life === life && each.request.path === path);
      for (const record of page?.page ?? []) this.excused.add(idOf(record));
    }
    // What n8n got and had not started.
    for (const [id, of] of this.handedOver) if (of === life) this.excused.add(id);
    for (const id of this.unsaved) this.excused.add(id);
    this.startNext();
  }

  // --- n8n ---

  private emit(items: IDataObject[], life: Life): 'usual' | 'notSaved' | 'gone' {
    const isFirstPart = !this.isSamePage && items.length > 0;
    if (isFirstPart) {
      this.isSamePage = true;
      queueMicrotask(() => (this.isSamePage = false));
    }
    if (isFirstPart && !life.isOver && --this.killAt <= 0) {
      this.killAt = Infinity;
      life.end();
      if (this.isKillSaved) this.keepIn(life, items);
      return this.isKillSaved ? 'usual' : 'gone';
    }
    // With the first part of a page n8n has saved that all of it came.
    if (!life.isOver || (this.isSamePage && this.isKillSaved)) this.keepIn(life, items);
    if (life.isOver) return 'gone';
    const isMet = items.length === 0 || this.soundExecutions-- <= 0;
    const fate = isMet ? this.fate : STARTED;
    this.fates.set(items, fate);
    if (fate.isThrownAtOnce) {
      this.refuse(items);
      throw new Error(fate.throws);
    }
    if (!this.isSaving && !fate.isStarted) return 'notSaved';
    this.unsaved.clear();
    return 'usual';
  }

  private keepIn(life: Life, items: IDataObject[]): void {
    for (const item of items) this.handedOver.set(idOf(item), life);
  }

  private async execute(items: IDataObject[]): Promise<unknown> {
    if (items.length === 0) return undefined;
    const fate = this.fates.get(items) ?? STARTED;
    const life = this.handedOver.get(idOf(items[0] as IDataObject));
    await untilNever(life?.isOver);
    if (fate.isStarted) this.begin(items);
    const said = pause(fate.afterMs / COMPRESSION);
    if (fate.afterMs !== Infinity) {
      this.pending.add(said);
      void said.then(() => this.pending.delete(said));
    }
    await said;
    if (!fate.isStarted) this.refuse(items);
    if (fate.throws !== undefined) throw new Error(fate.throws);
    return fate.isStarted ? undefined : 'no run';
  }

  private begin(items: IDataObject[]): void {
    for (const item of items) {
      const id = idOf(item);
      if (item.event === 'unreadable') continue;
      this.started.set(id, (this.started.get(id) ?? 0) + 1);
      this.handedOver.delete(id);
      this.unsaved.delete(id);
    }
  }

  private refuse(items: IDataObject[]): void {
    this.refusals += 1;
    for (const item of items) {
      const id = idOf(item);
      this.handedOver.delete(id);
      this.unsaved.add(id);
    }
  }

  private beSound(): void {
    this.fate = STARTED;
    this.soundExecutions = 0;
    this.isSaving = true;
  }

  /** Until n8n has said of every execution what it has to say, and the trigger has heard it. */
  private async settle(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending);
    await pause(5);
    this.saved = { ...this.saved, ...this.poller.saved };
    this.errors += this.poller.errors.length;
  }

  // --- The service ---

  /** Writes down what a pull gets. */
  private watch(event: EventName, queue: Queue<unknown>): void {
    const { gateway } = this.world;
    // The prototype's own: a history before this one has watched too.
    const take = (Object.getPrototypeOf(queue) as Queue<unknown>).take;
    queue.take = (count) => {
      const page = take.call(queue, count);
      const request = gateway.requests.findLast(({ path }) => path === PATHS[event]);
      if (!request) throw new Error('Taken without a request');
      this.given.push({ page: page as IDataObject[], request, life: this.poller.life });
      return page;
    };
  }

  private queueReports(wanted: number): void {
    const count = Math.min(wanted, MOST_RECORDS - this.reports);
    this.reports += count;
    this.world.gateway.queueReports(count);
  }

  private redeliver(event: EventName, queue: Queue<unknown>, count: number): void {
    const all = this.given.filter(({ request }) => request.path === PATHS[event]);
    const latest = new Map(all.flatMap(({ page }) => page).map((record) => [idOf(record), record]));
    // Equal ones inside one page are two records.
    for (const record of queue) latest.delete(idOf(record as IDataObject));
    for (const record of [...latest.values()].slice(-count)) queue.push(record);
  }

  /** What was pulled and has started nothing is never more than a few pages. */
  private expectBounded(): void {
    const open = this.given.filter(
      ({ page, request }) =>
        request.outcome === 'ok' &&
        page.map(idOf).some((id) => !this.started.has(id) && !this.excused.has(id)),
    );
    const most = MOST_UNSETTLED_PAGES * this.scenario.events.length;
    if (open.length > most) {
      throw new Error(`${open.length} pages were pulled and have started nothing`);
    }
  }
}

function idOf(record: IDataObject): string {
  return String(record.batch_id ?? record.event);
}
