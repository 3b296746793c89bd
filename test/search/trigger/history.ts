import type { EventName } from '../../engine/harness/pulls';
import { FATES, STORED, TriggerWorkflow } from './n8n';
import type { Fate, Instance, Version } from './n8n';
import { Oracle } from './oracle';
import type { Process } from './processes';
import { MAX_RECORDS } from './scenario';
import type { Change, Scenario, Step } from './scenario';
import { EVENTS, Service, SHAPES } from './service';
import { Life } from './time';
import type { Clock } from './time';

/**
 * Random lives of a trigger in the real engine. Records come; n8n takes them, or refuses them early or
 * late, is stopped, killed and started again; the trigger is changed; the service does anything that a
 * service may do.
 */

/** Polls without a new record, after which nothing more comes. */
const IDLE_POLLS = 3;

/** The same if n8n may have more to say about an execution, or have lost it. */
const IDLE_POLLS_WITH_VERDICTS = 14;

/** The most polls until there is nothing left, when neither the service nor n8n fails. */
const MAX_SOUND_POLLS = 1_000;

const MINUTE_MS = 61_000;

/** How long n8n waits for running executions before it ends: N8N_GRACEFUL_SHUTDOWN_TIMEOUT. */
const SHUTDOWN_MS = 30_000;

const HOST = 'https://sms.example.com/api';

export interface World {
  clock: Clock;
  processes: Process[];
}

let histories = 0;

/**
 * Plays a scenario. Returns the number of polls.
 *
 * @throws when a rule of the oracle is broken
 */
export async function play(scenario: Scenario, world: World): Promise<number> {
  const history = new History(scenario, world, `history-${++histories}`);
  try {
    await history.start();
    for (const step of scenario.steps) {
      await history.take(step);
      history.check();
    }
    await history.end();
    history.check();
  } finally {
    for (const { life } of world.processes) life.kill();
    world.clock.forget();
  }
  return history.polls;
}

/** One life of a trigger: n8n, its processes, and the service. */
class History {
  polls = 0;

  private readonly oracle: Oracle;
  private readonly service: Service;
  private readonly n8n: Instance;
  private readonly first: TriggerWorkflow;
  private readonly second?: TriggerWorkflow;

  private fates: Fate[] = [STORED];
  private soundExecutions = 0;
  private fateTimes = Infinity;
  private isSaving = true;
  /** What is to happen at a hand-over, by how many are left until then. */
  private due: { left: number; act: () => void }[] = [];

  private reports = 0;
  private readonly alive = new Set<Process>();
  private nextProcess = 0;
  private nodes = 1;

  constructor(
    private readonly scenario: Scenario,
    private readonly world: World,
    id: string,
  ) {
    const { clock } = world;
    const { service, steps, isDurable, isSecondEngine, second } = scenario;
    const isPlain = steps.every(
      (step) =>
        step.kind !== 'redelivery' && !(step.kind === 'service' && step.fault.kind === 'repeat'),
    );
    this.oracle = new Oracle(clock, service.deletesAfterMs !== Infinity, isPlain);
    this.service = new Service(service, clock, this.oracle);
    this.n8n = {
      clock,
      oracle: this.oracle,
      service: this.service,
      isDurable,
      isSecondEngine,
      process: this.newProcess(),
      nextFate: () => this.nextFate(),
      isSaving: () => this.isSaving,
      onHandOver: () => this.countHandOver(),
    };
    const { pullSize, itemsPerExecution, maxRecords, events, repeats } = scenario;
    const version = {
      nodeId: 'node-1',
      nodeName: 'SMS',
      events,
      pullSize,
      itemsPerExecution,
      maxRecords,
      repeatFailed: repeats,
    };
    this.first = new TriggerWorkflow(id, version, { baseUrl: HOST, apiKey: `${id}-a` }, this.n8n);
    if (second === 'none') return;
    const key = second === 'same' ? 'a' : 'b';
    const credential = { baseUrl: `${HOST}/`, apiKey: `${id}-${key}` };
    this.second = new TriggerWorkflow(`${id}-second`, version, credential, this.n8n);
  }

  /** @throws the first rule that was broken */
  check(): void {
    if (this.oracle.finding) throw this.oracle.finding;
  }

  async start(): Promise<void> {
    await this.open(this.scenario.startsWith);
  }

  async take(step: Step): Promise<void> {
    this.oracle.note(`-- ${JSON.stringify(step)}`);
    switch (step.kind) {
      case 'records':
        this.queueRecords(step);
        break;
      case 'n8n':
        this.fates = step.fates.map((fate) => FATES[fate] as Fate);
        this.soundExecutions = step.after;
        this.fateTimes = step.times;
        this.isSaving = step.isSaving || this.fates.some(({ isStored }) => isStored);
        break;
      case 'soundN8n':
        this.beSound();
        break;
      case 'service':
        this.service.account(this.first.credential.apiKey).faults.push({ ...step });
        break;
      case 'redelivery':
        for (const event of EVENTS)
          this.service.redeliver(this.first.credential.apiKey, event, step.count);
        break;
      case 'poll':
        await this.poll(step.times, step.overlapping);
        break;
      case 'publish':
        await this.publish(step);
        break;
      case 'unpublish':
        await this.unpublish(step);
        break;
      case 'credential':
        this.editCredential(step);
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
        this.world.clock.offset += step.hours * 3_600_000;
        break;
      case 'edit':
        await this.edit(step);
        break;
    }
  }

  /** From now on nothing fails, and the trigger polls until there is nothing left. */
  async end(): Promise<void> {
    const { steps } = this.scenario;
    this.oracle.note('-- from now on nothing fails');
    this.beSound();
    this.due = [];
    this.service.beSound();
    await this.settle();
    for (const each of this.workflows) if (!each.isRegistered) await this.retry(each);
    const mayHear = this.oracle.hasRepeated || steps.some(({ kind }) => kind === 'n8n');
    const idlePolls = mayHear ? IDLE_POLLS_WITH_VERDICTS : IDLE_POLLS;
    const since = this.world.clock.now + IDLE_POLLS * MINUTE_MS;
    for (let idle = 0, polls = 0; idle < idlePolls; polls++) {
      if (polls > MAX_SOUND_POLLS) throw new Error('The queue does not get empty');
      const before = this.oracle.storedItems - this.service.size;
      await this.poll(1, false);
      for (const each of this.workflows) if (!each.isRegistered) await this.retry(each);
      this.check();
      idle = this.oracle.storedItems - this.service.size === before ? idle + 1 : 0;
    }
    this.judge(since);
  }

  private judge(since: number): void {
    const polled = this.workflows.filter(({ isRegistered }) => isRegistered);
    const isReadable = SHAPES[this.scenario.service.shape]?.isUsual;
    if (isReadable) for (const { name } of polled) this.oracle.expectQuiet(name, since);
    for (const { latest, name } of polled)
      if (latest?.trigger === name && latest.requests === 0) this.oracle.expectTold(latest);
    const left = polled.flatMap((each) => {
      const { apiKey } = each.credential;
      const others = polled.filter((other) => other.credential.apiKey === apiKey);
      const names = others.map(({ name }) => name);
      // Of two triggers with one account, one pulls what both have chosen.
      const events = each.version.events.filter((event) =>
        others.every(({ version }) => version.events.includes(event)),
      );
      return events.flatMap((event) => {
        const waiting = this.service.left(apiKey, event);
        if (this.scenario.service.deletesAfterMs !== Infinity) return waiting;
        // A trigger asks for no more than the user has set, and says so.
        const pulling = others.filter(({ latest }) => latest?.usual.has(event));
        const sizes = pulling.flatMap(({ version }) => [version.pullSize, version.maxRecords]);
        const page = Math.min(...sizes);
        if (waiting.length > page) this.oracle.expectToldOf(names, event);
        return waiting.slice(0, page);
      });
    });
    this.oracle.judge(left);
  }

  // --- Time and polls ---

  private get workflows(): TriggerWorkflow[] {
    return [this.first, this.second].filter((each) => each !== undefined);
  }

  /** Waits for something of the present process, or for its end. */
  private async live(work: Promise<unknown>): Promise<void> {
    const { process } = this.n8n;
    await this.world.clock.until(Promise.race([work, process.life.end()]));
    if (process.life.isOver && this.n8n.process === process) await this.bury();
  }

  private async poll(times: number, overlapping: boolean): Promise<void> {
    for (let poll = 0; poll < times; poll++) {
      await this.live(this.n8n.process.life.sleep(MINUTE_MS));
      await this.live(Promise.all([this.tickAll(), this.tickLater(overlapping)]));
    }
  }

  private async tickAll(): Promise<void> {
    this.polls += this.workflows.length;
    await Promise.all(this.workflows.map(async (each) => await each.tick()));
  }

  private async tickLater(isWanted: boolean): Promise<void> {
    if (!isWanted) return;
    await this.n8n.process.life.sleep(100);
    await this.tickAll();
  }

  /** Waits until n8n has told the trigger what became of every execution. */
  private async settle(): Promise<void> {
    await this.live(this.n8n.process.life.sleep(4_000));
  }

  /** Nobody publishes, and no n8n starts, twice in a moment. */
  private async rest(): Promise<void> {
    await this.live(this.n8n.process.life.sleep(40_000));
  }

  // --- n8n ---

  private nextFate(): Fate {
    if (this.soundExecutions-- > 0) return STORED;
    if (this.fateTimes-- <= 0) return STORED;
    const fate = this.fates.shift() as Fate;
    this.fates.push(fate);
    return fate;
  }

  private countHandOver(): void {
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
    this.soundExecutions = 0;
    this.isSaving = true;
  }

  private async publish({ change, atHandOver }: Extract<Step, { kind: 'publish' }>): Promise<void> {
    // When n8n cannot write its database, nobody can publish.
    if (!this.isSaving || !this.first.isPublished) return;
    const publish = async () => await this.first.publish(this.changed(change), 'update');
    if (atHandOver === 0 || change === 'replace') {
      await this.rest();
      return await this.live(publish());
    }
    let published: Promise<void> | undefined;
    let publisher: Process | undefined;
    this.plan(atHandOver, () => {
      publisher = this.n8n.process;
      published = publish();
    });
    await this.poll(1, false);
    if (published && publisher === this.n8n.process) await this.live(published);
    this.due = [];
  }

  private changed(change: Change): Version {
    const { version } = this.first;
    switch (change) {
      case 'none':
        return { ...version };
      case 'rename':
        return { ...version, nodeName: `${version.nodeName} 2` };
      case 'replace':
        return { ...version, nodeId: `node-${++this.nodes}` };
      case 'events':
        return { ...version, events: version.events.length > 1 ? ['deliveryReport'] : [...EVENTS] };
      case 'pullSize':
        return { ...version, pullSize: version.pullSize === 20 ? 5 : 20 };
      case 'itemsPerExecution':
        return { ...version, itemsPerExecution: version.itemsPerExecution === 2 ? 1_000 : 2 };
      case 'repeatFailed':
        return { ...version, repeatFailed: !version.repeatFailed };
    }
  }

  private async unpublish({ isOther, thenPublish }: Extract<Step, { kind: 'unpublish' }>) {
    const which = isOther ? this.second : this.first;
    if (!which?.isPublished || !this.isSaving) return;
    await this.rest();
    await this.live(which.unpublish());
    if (thenPublish || which === this.first)
      await this.live(which.publish({ ...which.version }, 'activate'));
  }

  private async retry(which: TriggerWorkflow): Promise<void> {
    if (which.isPublished) await this.live(which.publish({ ...which.version }, 'update'));
  }

  private editCredential({ isSame, hasSlash }: Extract<Step, { kind: 'credential' }>): void {
    const { first, second } = this;
    if (!second) return;
    const apiKey = isSame ? first.credential.apiKey : `${first.id}-b`;
    second.credential = { apiKey, baseUrl: hasSlash ? `${HOST}/` : HOST };
    this.oracle.noteClosed(second.name);
  }

  private async edit({ value, depth }: Extract<Step, { kind: 'edit' }>): Promise<void> {
    if (!this.canStartNext) return;
    await this.settle();
    await this.stop();
    this.first.edit(value, depth);
    this.oracle.noteEdited(depth === 0);
    await this.startNext();
  }

  // --- Processes ---

  private get canStartNext(): boolean {
    // One more is needed after a kill.
    return this.nextProcess + 1 + this.due.length < this.world.processes.length;
  }

  private newProcess(): Process {
    const process = this.world.processes[this.nextProcess++] as Process;
    process.life = new Life(this.world.clock);
    this.alive.add(process);
    return process;
  }

  private async open(activation: 'activate' | 'init' | 'leadershipChange'): Promise<void> {
    for (const each of this.workflows) {
      if (activation === 'activate' || each.isPublished || !each.wasTried) {
        await this.live(each.publish(each.version, activation));
      }
    }
  }

  private async startNext(): Promise<void> {
    this.n8n.process = this.newProcess();
    await this.rest();
    await this.open('init');
  }

  private async stop(): Promise<void> {
    const { process } = this.n8n;
    await this.live(Promise.all(this.workflows.map(async (each) => await each.close())));
    this.alive.delete(process);
    this.oracle.noteEnded(process);
    // n8n waits no longer for what is still running, and has ended before the next process starts.
    this.world.clock.at(SHUTDOWN_MS, () => process.life.kill());
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
    if (this.oracle.hasUnsaved || !this.isSaving) return;
    const others = [...this.alive].filter((each) => each !== this.n8n.process);
    const [earlier] = others;
    if (!earlier && !this.canStartNext) return;
    await this.live(Promise.all(this.workflows.map(async (each) => await each.close())));
    this.oracle.noteEnded(this.n8n.process);
    this.n8n.process = earlier ?? this.newProcess();
    await this.open('leadershipChange');
  }

  private kill(afterMs: number): void {
    const { life } = this.n8n.process;
    this.world.clock.at(afterMs, () => life.kill());
  }

  /** The process was killed, and a new one starts. */
  private async bury(): Promise<void> {
    const { process } = this.n8n;
    this.alive.delete(process);
    this.oracle.note('-- killed');
    for (const each of this.workflows) each.drop();
    this.oracle.noteKilled(process);
    await this.startNext();
  }

  // --- The service ---

  private queueRecords({ reports, replies, isOther }: Extract<Step, { kind: 'records' }>): void {
    const { apiKey } = (isOther ? this.second : this.first)?.credential ?? this.first.credential;
    const count = Math.min(reports, MAX_RECORDS - this.reports);
    this.reports += count;
    const counts: Record<EventName, number> = { deliveryReport: count, reply: replies };
    for (const event of EVENTS) this.service.queue(apiKey, event, counts[event]);
  }
}
