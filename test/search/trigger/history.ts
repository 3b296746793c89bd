import type { WorkflowActivateMode } from 'n8n-workflow';
import type { EventName } from '../../kit/engine/pulls';
import { FATES, STORED, TriggerWorkflow } from './n8n';
import type { Fate, Version } from './n8n';
import { Oracle } from './oracle';
import type { Process } from './processes';
import { MAX_RECORDS } from './scenario';
import type { Change, Scenario, Step } from './scenario';
import { EVENTS, Service } from './service';
import { Life } from './time';
import type { Clock } from './time';

/**
 * Random lives of a trigger in the real engine. Records come; n8n takes them, or refuses them early or
 * late, is stopped, killed and started again; the trigger is changed; the service does anything that a
 * service may do.
 */

/** Polls without a new record, after which nothing more comes: n8n may tell late of an execution, or never. */
const IDLE_POLLS = 14;

/** What excuses nothing. */
const CALM: Step['kind'][] = ['records', 'poll', 'hours', 'soundN8n'];

const HOURS_TO_GIVE_UP = 48;

/** What has failed by itself, but can be handled, comes again after this time at most. */
const MAX_AGAIN_MS = 4 * 3_600_000;

/** Polls in some hours. */
const POLLS_IN_HOURS = 10;

/** The most polls until there is nothing left, when neither the service nor n8n fails. */
const MAX_SOUND_POLLS = 1_000;

const MINUTE_MS = 61_000;

/** How long n8n waits for running executions before it ends: N8N_GRACEFUL_SHUTDOWN_TIMEOUT. */
const SHUTDOWN_MS = 30_000;

export interface World {
  clock: Clock;
  processes: Process[];
}

let histories = 0;

/**
 * Plays a scenario.
 *
 * @throws when a rule of the oracle is broken
 */
export async function play(scenario: Scenario, world: World): Promise<void> {
  const history = new History(scenario, world, `history-${++histories}`);
  try {
    await history.open('activate');
    for (const step of scenario.steps) {
      await history.take(step);
      history.check();
    }
    await history.end();
    history.check();
  } finally {
    for (const process of world.processes) {
      process.life.kill();
      process.impossible = undefined;
    }
    world.clock.forget();
  }
}

/** One life of a trigger: n8n, its processes, and the service. */
export class History {
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly service: Service;
  /** Whether n8n's durable scheduler polls: each time in a context of its own. */
  readonly isDurable: boolean;
  /** The process that polls. */
  process: Process;
  /** Whether the database can be written. */
  isSaving = true;
  /** Whether the workflow can handle nothing, because something that it needs does not work. */
  isOut = false;

  private readonly workflow: TriggerWorkflow;

  private fates: Fate[] = [STORED];
  private fateTimes = Infinity;
  /** What is to happen at a hand-over, by how many are left until then. */
  private due: { left: number; act: () => void }[] = [];

  private reports = 0;
  private readonly alive = new Set<Process>();
  private nextProcess = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly world: World,
    id: string,
  ) {
    const { isDurable, events, pullSize, itemsPerExecution, maxRecords, repeats } = scenario;
    this.clock = world.clock;
    this.oracle = new Oracle(this.clock);
    this.service = new Service(scenario.service, this.clock, this.oracle);
    this.isDurable = isDurable;
    this.process = this.newProcess();
    const node = { nodeId: 'node-1', nodeName: 'SMS' };
    const options = { events, pullSize, itemsPerExecution, maxRecords, repeatFailed: repeats };
    this.workflow = new TriggerWorkflow(id, { ...node, ...options }, this);
  }

  /** @throws the first rule that was broken */
  check(): void {
    for (const { impossible } of this.world.processes) {
      this.oracle.expect(!impossible, String(impossible?.message));
    }
    if (this.oracle.finding) throw this.oracle.finding;
  }

  async take(step: Step): Promise<void> {
    this.oracle.note(`-- ${JSON.stringify(step)}`);
    if (!CALM.includes(step.kind)) this.oracle.noteDisturbed();
    switch (step.kind) {
      case 'records': {
        const reports = Math.min(step.reports, MAX_RECORDS - this.reports);
        this.reports += reports;
        this.service.queue('deliveryReport', reports, step.poisonEvery);
        this.service.queue('reply', step.replies, step.poisonEvery);
        break;
      }
      case 'hours':
        await this.spend(step);
        break;
      case 'n8n':
        this.fates = step.fates.map((fate) => FATES[fate] as Fate);
        this.fateTimes = step.times;
        this.isSaving = step.isSaving || this.fates.some(({ isStored }) => isStored);
        break;
      case 'soundN8n':
        this.beSound();
        break;
      case 'service':
        this.service.faults.push({ ...step });
        break;
      case 'redelivery':
        for (const event of EVENTS) this.service.redeliver(event, step.count);
        break;
      case 'poll':
        await this.poll(step.times, step.overlapping);
        break;
      case 'publish':
        await this.publish(step);
        break;
      case 'unpublish':
        await this.unpublish();
        break;
      case 'kill':
        if (this.canStartNext) this.plan(step.handOvers, () => this.kill(step.afterMs));
        break;
      case 'restart':
        await this.restart();
        break;
      case 'otherProcess':
        await this.changeLeader();
        break;
      case 'clock':
        this.clock.offset += step.hours * 3_600_000;
        break;
    }
  }

  /** From now on nothing fails, and the trigger polls until there is nothing left. */
  async end(): Promise<void> {
    this.oracle.note('-- from now on nothing fails');
    this.beSound();
    this.due = [];
    this.service.faults = [];
    await this.settle();
    await this.pollUntilIdle();
    await this.giveUp();
    await this.live(this.process.life.sleep(MAX_AGAIN_MS));
    await this.pollUntilIdle();
    const { events } = this.workflow.version;
    const isEndless = this.scenario.service.deletesAfterMs === Infinity;
    const quiet = EVENTS.filter((event) => isEndless || !events.includes(event));
    this.oracle.judge(
      EVENTS.flatMap((event) => this.shown(event)),
      quiet,
    );
  }

  private async pollUntilIdle(): Promise<void> {
    const left = () => EVENTS.reduce((sum, event) => sum + this.shown(event).length, 0);
    const isBlocked = () => this.scenario.service.deletesAfterMs !== Infinity && left() > 0;
    for (let idle = 0, polls = 0; idle < IDLE_POLLS || isBlocked(); polls++) {
      if (polls > MAX_SOUND_POLLS) throw new Error('The queue does not get empty');
      const before = this.oracle.doneRecords - this.service.size;
      if (!this.workflow.registered) await this.open('update');
      await this.poll(1, false);
      this.check();
      idle = this.oracle.doneRecords - this.service.size === before ? idle + 1 : 0;
    }
  }

  /** What the workflow cannot handle is given up within two days in which it handles others. */
  private async giveUp(): Promise<void> {
    if (this.oracle.poison.size === 0 || !this.workflow.version.repeatFailed) return;
    for (let hour = 0; hour < HOURS_TO_GIVE_UP; hour++) {
      for (const event of EVENTS) this.service.queue(event, 1);
      await this.live(this.process.life.sleep(3_600_000));
      await this.live(this.workflow.tick());
      this.check();
    }
  }

  /** What a trigger has seen at the end of what is still in the queue. */
  private shown(event: EventName): string[] {
    const { events, pullSize, maxRecords } = this.workflow.version;
    if (!events.includes(event)) return [];
    const left = this.service.left(event).map(({ id }) => id);
    // A service that never takes anything out shows one page.
    const isEndless = this.scenario.service.deletesAfterMs === Infinity;
    return isEndless ? left.slice(0, Math.min(pullSize, maxRecords)) : left;
  }

  // --- Time and polls ---

  /** Waits for something of the present process, or for its end. */
  private async live(work: Promise<unknown>): Promise<void> {
    const { process } = this;
    await this.clock.until(Promise.race([work, process.life.end]));
    if (process.life.isOver && this.process === process) await this.bury();
  }

  private async poll(times: number, overlapping: boolean): Promise<void> {
    for (let poll = 0; poll < times; poll++) {
      await this.live(this.process.life.sleep(MINUTE_MS));
      const later = async () => {
        await this.process.life.sleep(100);
        await this.workflow.tick();
      };
      await this.live(Promise.all([this.workflow.tick(), overlapping && later()]));
    }
  }

  /** Waits until n8n has told the trigger what became of every execution. */
  private async settle(): Promise<void> {
    await this.live(this.process.life.sleep(4_000));
  }

  /** Nobody publishes, and no n8n starts, twice in a moment. */
  private async rest(): Promise<void> {
    await this.live(this.process.life.sleep(40_000));
  }

  /** Some hours pass, and n8n polls ten times in them. */
  private async spend({
    hours,
    isOut,
    newRecords,
  }: Extract<Step, { kind: 'hours' }>): Promise<void> {
    this.isOut = isOut;
    if (isOut) this.oracle.noteDisturbed();
    for (let poll = 0; poll < POLLS_IN_HOURS; poll++) {
      for (const event of EVENTS) this.service.queue(event, newRecords);
      this.reports += newRecords;
      await this.live(this.process.life.sleep((hours / POLLS_IN_HOURS) * 3_600_000));
      if (isOut) this.oracle.noteDisturbed(false);
      await this.live(this.workflow.tick());
    }
    if (isOut) this.oracle.noteDisturbed();
    this.isOut = false;
  }

  // --- n8n ---

  /** What becomes of the next execution. */
  nextFate(): Fate {
    if (this.fateTimes-- <= 0) return STORED;
    const fate = this.fates.shift() as Fate;
    this.fates.push(fate);
    return fate;
  }

  /** Called when records are handed over. */
  onHandOver(): void {
    for (const each of this.due) each.left -= 1;
    const now = this.due.filter(({ left }) => left <= 0);
    this.due = this.due.filter(({ left }) => left > 0);
    for (const { act } of now) act();
  }

  private plan(handOvers: number, act: () => void): void {
    this.due.push({ left: handOvers, act });
  }

  private beSound(): void {
    this.fates = [STORED];
    this.isSaving = true;
  }

  private async publish({ change, atHandOver }: Extract<Step, { kind: 'publish' }>): Promise<void> {
    // When n8n cannot write its database, nobody can publish.
    if (!this.isSaving || !this.workflow.isPublished) return;
    const publish = async () => await this.workflow.publish(this.changed(change), 'update');
    if (atHandOver === 0 || change === 'replace') {
      await this.rest();
      return await this.live(publish());
    }
    let published: Promise<void> | undefined;
    let publisher: Process | undefined;
    this.plan(atHandOver, () => {
      publisher = this.process;
      published = publish();
    });
    await this.poll(1, false);
    if (published && publisher === this.process) await this.live(published);
    this.due = [];
  }

  private changed(change: Change): Version {
    const { version } = this.workflow;
    const { nodeId, nodeName, events, pullSize, itemsPerExecution, repeatFailed } = version;
    const changes: Record<Change, Partial<Version>> = {
      none: {},
      rename: { nodeName: `${nodeName} 2` },
      replace: { nodeId: `${nodeId} 2` },
      events: { events: events.length > 1 ? ['deliveryReport'] : EVENTS },
      pullSize: { pullSize: pullSize === 20 ? 5 : 20 },
      itemsPerExecution: { itemsPerExecution: itemsPerExecution === 2 ? 1_000 : 2 },
      repeatFailed: { repeatFailed: !repeatFailed },
    };
    return { ...version, ...changes[change] };
  }

  private async unpublish(): Promise<void> {
    if (!this.isSaving) return;
    await this.rest();
    await this.live(this.workflow.unpublish());
    await this.open('activate');
  }

  // --- Processes ---

  private get canStartNext(): boolean {
    // One more is needed after a kill.
    return this.nextProcess + 1 + this.due.length < this.world.processes.length;
  }

  private newProcess(): Process {
    const process = this.world.processes[this.nextProcess++] as Process;
    process.life = new Life(this.clock);
    this.alive.add(process);
    return process;
  }

  async open(activation: WorkflowActivateMode): Promise<void> {
    const { workflow } = this;
    await this.live(workflow.publish({ ...workflow.version }, activation));
  }

  private async startNext(): Promise<void> {
    this.process = this.newProcess();
    await this.rest();
    await this.open('init');
  }

  private async stop(): Promise<void> {
    const { process } = this;
    await this.close();
    this.alive.delete(process);
    this.oracle.noteEnded(process);
    // n8n waits no longer for what is still running, and has ended before the next process starts.
    this.clock.at(SHUTDOWN_MS, () => process.life.kill());
  }

  private async close(): Promise<void> {
    const { process } = this;
    await this.live(this.workflow.close());
    if (this.isSaving && !process.life.isOver) this.oracle.noteClosed(process);
  }

  private async restart(): Promise<void> {
    if (!this.canStartNext) return;
    await this.settle();
    await this.stop();
    await this.startNext();
  }

  private async changeLeader(): Promise<void> {
    await this.settle();
    // When n8n cannot save, its database cannot change the leader either.
    if (this.oracle.unsaved.size > 0 || !this.isSaving) return;
    const others = [...this.alive].filter((each) => each !== this.process);
    const [earlier] = others;
    if (!earlier && !this.canStartNext) return;
    await this.close();
    this.oracle.noteEnded(this.process);
    this.process = earlier ?? this.newProcess();
    await this.open('leadershipChange');
  }

  private kill(afterMs: number): void {
    const { life } = this.process;
    this.clock.at(afterMs, () => life.kill());
  }

  /** The process was killed, and a new one starts. */
  private async bury(): Promise<void> {
    const { process } = this;
    this.alive.delete(process);
    this.oracle.note('-- killed');
    this.workflow.registered = undefined;
    this.oracle.noteKilled(process);
    await this.startNext();
  }
}
