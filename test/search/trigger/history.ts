import type { IDataObject } from 'n8n-workflow';
import type { Poller } from '../../engine/harness';
import { PATHS } from '../../engine/harness/pulls';
import type { EventName } from '../../engine/harness/pulls';
import type { Gateway, GatewayOptions } from '../../sandbox/gateway';
import type { Queue } from '../../sandbox/queue';
import { Oracle } from './oracle';
import { Life, live, passMinute, pause, untilNever, waitFor } from './processes';
import type { Process } from './processes';
import { FATES, MOST_RECORDS, STARTED } from './scenario';
import type { Fate, Scenario, Step } from './scenario';

/**
 * Random lives of a trigger in the real engine. Records come; n8n takes them, or refuses them early or
 * late, is stopped, killed and started again; the service does anything that a service may do.
 */

/** The most polls until two in a row have nothing to do, when neither the service nor n8n fails. */
const MOST_SOUND_POLLS = 60;

export interface World {
  gateway: Gateway;
  /** The gateway's own options, which it reads at every request. */
  options: GatewayOptions;
  processes: Process[];
}

let histories = 0;

/**
 * Plays a scenario. Returns the number of polls.
 *
 * @throws when a record is lost or came twice
 */
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

/** One life of a trigger: n8n, its processes, and the service. */
class History {
  polls = 0;

  private readonly oracle = new Oracle();

  private fate: Fate = STARTED;
  private soundExecutions = 0;
  private readonly fates = new WeakMap<IDataObject[], Fate>();
  private isSaving = true;
  private killAt = Infinity;
  private isKillSaved = false;
  /** The parts of one page are handed over at once. */
  private isSamePage = false;

  private reports = 0;
  private current = 0;
  private readonly alive = new Map<number, Poller & { life: Life }>();
  private nextProcess = 1;
  private saved: IDataObject = {};
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
        this.oracle.excuseUnsaved();
        this.startNext();
        break;
      case 'otherProcess':
        await this.settle();
        // When n8n cannot save, its database cannot change the leader either.
        if (!this.oracle.hasUnsaved && this.canStartNext) this.startNext();
        break;
    }
  }

  /** From now on nothing fails, and every living process polls, until there is nothing left. */
  async end(): Promise<void> {
    const { gateway } = this.world;
    this.beSound();
    this.killAt = Infinity;
    gateway.clearFaults();
    await this.settle();
    // The latest leader is first: only its memory has what n8n could not save.
    const processes = [this.current, ...[...this.alive.keys()].filter((n) => n !== this.current)];
    let idle = 0;
    for (let polls = 0; idle < 2; polls++) {
      if (polls > MOST_SOUND_POLLS) throw new Error('The queue does not get empty');
      const before = this.oracle.startedTotal;
      for (const process of processes) {
        this.start(process);
        await this.poll(1, false);
      }
      idle = this.oracle.startedTotal === before ? idle + 1 : 0;
    }
    this.oracle.judge(gateway, this.scenario.events);
  }

  async close(): Promise<void> {
    await Promise.all([...this.alive.values()].map(async (poller) => await poller.deactivate()));
  }

  // --- Polls ---

  private get poller(): Poller & { life: Life } {
    return this.alive.get(this.current) as Poller & { life: Life };
  }

  /** A poller of this process, with the static data that n8n has saved. */
  private start(process: number): void {
    this.current = process;
    const before = this.alive.get(process);
    const { pullSize, itemsPerExecution, events } = this.scenario;
    const life = before?.life ?? new Life();
    const poller = (this.world.processes[process] as Process).createPoller(
      { events, options: { pullSize, itemsPerExecution } },
      {
        workflowId: this.workflowId,
        restarted: JSON.parse(JSON.stringify(this.saved)) as IDataObject,
        onEmit: (items) => this.emit(items, life),
        onExecution: async (items) => await this.execute(items),
      },
    );
    this.alive.set(process, Object.assign(poller, { life }));
  }

  /** The number of processes is limited, and one more is needed after a kill. */
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
        passMinute();
      }
      this.polls += 1;
      const { poller } = this;
      const errorsBefore = poller.errors.length;
      const polled = live(poller.life, async () => await poller.tick());
      const ended = Promise.race([polled, this.untilKilled(poller.life)]).then(() => {
        this.oracle.errors += poller.errors.length - errorsBefore;
      });
      polls.push(ended);
      if (!overlapping) await ended;
      else await pause(1);
      if (poller.life.isOver) break;
    }
    await Promise.all(polls);
    if (this.poller.life.isOver) this.bury();
    else this.saved = { ...this.saved, ...this.poller.saved };
    this.oracle.expectBounded(this.scenario.events);
  }

  private async untilKilled(life: Life): Promise<void> {
    await life.ended;
    // The last request may still be on its way to the gateway.
    await pause(10);
    while (this.world.gateway.requests.some(({ outcome }) => outcome === 'pending')) await pause(1);
  }

  /** The process was killed, and a new one starts. */
  private bury(): void {
    const { life, saved } = this.poller;
    this.saved = { ...this.saved, ...saved };
    this.alive.delete(this.current);
    this.world.processes[this.current]?.release(`${this.workflowId}/node-1`);
    this.oracle.noteKilled(life);
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
      if (this.isKillSaved) this.oracle.noteHandedOver(items, life);
      return this.isKillSaved ? 'usual' : 'gone';
    }
    // With the first part of a page n8n saves that all of the page came.
    if (!life.isOver || (this.isSamePage && this.isKillSaved))
      this.oracle.noteHandedOver(items, life);
    if (life.isOver) return 'gone';
    const isMet = items.length === 0 || this.soundExecutions-- <= 0;
    const fate = isMet ? this.fate : STARTED;
    this.fates.set(items, fate);
    if (fate.isThrownAtOnce) {
      this.oracle.noteRefused(items);
      throw new Error(fate.throws);
    }
    if (!this.isSaving && !fate.isStarted) return 'notSaved';
    this.oracle.noteSaved();
    return 'usual';
  }

  private async execute(items: IDataObject[]): Promise<unknown> {
    if (items.length === 0) return undefined;
    const fate = this.fates.get(items) ?? STARTED;
    await untilNever(this.oracle.lifeOf(items[0] as IDataObject)?.isOver);
    if (fate.isStarted) this.oracle.noteStarted(items);
    const said = waitFor(fate.afterMs);
    if (fate.afterMs !== Infinity) {
      this.pending.add(said);
      void said.then(() => this.pending.delete(said));
    }
    await said;
    if (!fate.isStarted) this.oracle.noteRefused(items);
    if (fate.throws !== undefined) throw new Error(fate.throws);
    return fate.isStarted ? undefined : 'no run';
  }

  private beSound(): void {
    this.fate = STARTED;
    this.soundExecutions = 0;
    this.isSaving = true;
  }

  /** Waits until n8n has told the trigger what became of every execution. */
  private async settle(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending);
    await pause(5);
    this.saved = { ...this.saved, ...this.poller.saved };
    this.oracle.errors += this.poller.errors.length;
  }

  // --- The service ---

  /** Notes what a pull gets. */
  private watch(event: EventName, queue: Queue<unknown>): void {
    const { gateway } = this.world;
    // The method of the prototype: the queue may still have that of an earlier history.
    const take = (Object.getPrototypeOf(queue) as Queue<unknown>).take;
    queue.take = (count) => {
      const page = take.call(queue, count);
      const request = gateway.requests.findLast(({ path }) => path === PATHS[event]);
      if (!request) throw new Error('Taken without a request');
      this.oracle.noteGiven(page as IDataObject[], request, this.poller.life);
      return page;
    };
  }

  private queueReports(wanted: number): void {
    const count = Math.min(wanted, MOST_RECORDS - this.reports);
    this.reports += count;
    this.world.gateway.queueReports(count);
  }

  private redeliver(event: EventName, queue: Queue<unknown>, count: number): void {
    for (const record of this.oracle.latestGiven(event, queue).slice(-count)) queue.push(record);
  }
}
