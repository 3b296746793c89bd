import { AsyncLocalStorage } from 'node:async_hooks';
import type { PollContext } from 'n8n-core';
import { ManualExecutionCancelledError } from 'n8n-workflow';
import type { IDataObject, NodeOperationError, Workflow, WorkflowActivateMode } from 'n8n-workflow';
import type { Poller } from '../../kit/engine';
import { jsonOf } from '../../kit/engine/package';
import { NOTHING_RAN, runOf } from '../../kit/engine/poller';
import type { PollSide } from '../../kit/engine/poller';
import type { EventName } from '../../kit/engine/pulls';
import type { History } from './history';
import { idsOf } from './oracle';
import type { Poll } from './oracle';
import type { Process } from './processes';

/** What n8n 2.40.7 does with a trigger, as far as the trigger can tell. Seen in its source and running. */

/** After a hand-over: when static data is saved, and when the execution is. */
const SAVED_AFTER_MS = 5;
const STORED_AFTER_MS = 20;

/** n8n tries to publish a trigger so often, with these pauses. */
const PAUSES_MS = [0, 1_000, 2_000, 4_000, 8_000];

/** The time that n8n's durable scheduler gives a poll. */
const DURABLE_BUDGET_MS = 36_000;

/** What becomes of an execution, and after how many milliseconds n8n says so. */
export interface Fate {
  isStored: boolean;
  afterMs: number;
  /** What n8n says at its end. A text is an error. */
  says: 'run' | 'failedRun' | 'cancelled' | 'nothingRan' | 'noRun' | (string & {});
  isThrownAtOnce?: boolean;
}

/** `WorkflowRunner.failExecution`, when a credential of the workflow is missing. */
const NOT_FOUND = 'No active execution found';

export const STORED: Fate = { isStored: true, afterMs: 0, says: 'run' };

export const FATES: Fate[] = [
  STORED,
  { isStored: true, afterMs: 30, says: 'failedRun' },
  { isStored: true, afterMs: 2_507, says: 'failedRun' },
  { isStored: true, afterMs: 30, says: 'cancelled' },
  { isStored: true, afterMs: 3_001, says: 'run' },
  { isStored: true, afterMs: Infinity, says: 'run' },
  { isStored: false, afterMs: 10, says: NOT_FOUND },
  { isStored: false, afterMs: 10, says: 'nothingRan' },
  { isStored: false, afterMs: 0, says: 'The database is locked' },
  { isStored: false, afterMs: 0, says: 'No longer active', isThrownAtOnce: true },
  { isStored: false, afterMs: 0, says: 'noRun' },
  { isStored: false, afterMs: 1_000, says: 'The database is slow' },
  // An odd time, so that it does not come with anything else.
  { isStored: false, afterMs: 2_503, says: 'The database is down' },
  { isStored: false, afterMs: 2_503, says: NOT_FOUND },
  // Minutes later: a database that hangs, and executions that take long.
  { isStored: false, afterMs: 9_011, says: 'The database is down' },
  { isStored: false, afterMs: 20_021, says: 'The database is down' },
  { isStored: false, afterMs: 190_003, says: 'The database is down' },
  { isStored: true, afterMs: 190_009, says: 'failedRun' },
  { isStored: true, afterMs: 190_013, says: 'run' },
  { isStored: false, afterMs: 640_003, says: 'nothingRan' },
  { isStored: true, afterMs: 640_007, says: 'cancelled' },
];

/** A published version of a workflow: what its trigger node is. */
export interface Version {
  nodeId: string;
  nodeName: string;
  events: EventName[];
  pullSize: number;
  itemsPerExecution: number;
  maxRecords: number;
  repeatFailed: boolean;
}

const polls = new AsyncLocalStorage<Poll>();

/** The life of the process whose poll runs. */
export const lifeOfPoll = () => polls.getStore()?.process.life;

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A workflow that starts with the trigger: its rows in the database, and its place in the process that polls. */
export class TriggerWorkflow {
  staticData: IDataObject = {};
  isPublished = false;

  /** The processes in which a publication has succeeded, or n8n has registered the trigger by itself. */
  private readonly liveIn = new Set<Process>();

  /** Undefined in a process that is gone, too. */
  registered?: { poller: Poller; token: object };

  constructor(
    readonly id: string,
    public version: Version,
    private readonly n8n: History,
  ) {}

  /**
   * Publishes a version, or registers the present one in a process that starts. n8n reads the static data
   * before it closes the old trigger.
   */
  async publish(version: Version, activation: WorkflowActivateMode): Promise<void> {
    const stale = copy(this.staticData);
    const { clock, oracle, process } = this.n8n;
    // What was handed over right before is not saved yet.
    const loadedAt = clock.now - SAVED_AFTER_MS;
    await this.close();
    oracle.notePublished(version.events, loadedAt);
    this.version = version;
    this.isPublished = true;
    if (['init', 'leadershipChange'].includes(activation)) this.liveIn.add(process);
    for (const pauseMs of PAUSES_MS) {
      await process.life.sleep(pauseMs);
      const token = {};
      const poller = this.createPoller(stale, activation, token);
      this.registered = { poller, token };
      try {
        await poller.activate();
        this.saveSoon(poller.workflow, false);
        this.liveIn.add(process);
        return;
      } catch (error) {
        // The publisher is told. n8n would poll a live workflow no more.
        oracle.expect(!this.liveIn.has(process), `A live trigger ends: ${String(error)}`);
        await this.close();
      }
    }
  }

  async unpublish(): Promise<void> {
    await this.close();
    this.isPublished = false;
  }

  /** What n8n does when it stops, or when another process takes over. */
  async close(): Promise<void> {
    const { registered } = this;
    this.registered = undefined;
    await registered?.poller.deactivate();
  }

  async tick(): Promise<void> {
    const { registered, n8n } = this;
    if (!registered) return;
    const poller = n8n.isDurable
      ? this.createPoller(copy(this.staticData), 'update', registered.token, true)
      : registered.poller;
    await poller.tick();
  }

  private createPoller(
    restarted: IDataObject,
    activation: WorkflowActivateMode,
    token: object,
    isTick = false,
  ): Poller & { workflow: Workflow } {
    const { process, service } = this.n8n;
    const { nodeId, nodeName, events, maxRecords, ...options } = this.version;
    let workflow!: Workflow;
    const poller = process.createPoller(
      { events, options: { ...options, maxRecordsPerPoll: maxRecords } },
      {
        workflowId: this.id,
        workflowName: this.id,
        node: { id: nodeId, name: nodeName },
        restarted,
        activation,
        isRegistered: !isTick,
        isCurrent: () => this.registered?.token === token,
        budgetMs: isTick ? DURABLE_BUDGET_MS : undefined,
        // Each history has an account of its own.
        getCredentials: async () =>
          await Promise.resolve({
            baseUrl: 'https://sms.example.com',
            apiKey: this.id,
            apiSecret: 'secret-of-the-account',
            customResultCodes: service.options.empty === 'nothing',
            emptyCodes: 'none',
          } as never),
        side: (made) => {
          workflow = made;
          return this.sideOf(made);
        },
        request: async (_type, options) => {
          const poll = polls.getStore();
          if (!poll) throw new Error('A request outside of a poll');
          return await service.answer(poll, options);
        },
      },
    );
    return Object.assign(poller, { workflow });
  }

  /** n8n's side of the polls of one context. */
  private sideOf(workflow: Workflow): PollSide {
    const { clock, oracle, process } = this.n8n;
    return {
      emit: (data, _response, done) => this.emit(workflow, jsonOf(data[0]), done),
      emitError: (error) => {
        const { message, description } = error as NodeOperationError;
        oracle.note(`  failed execution: ${message}`);
        polls.getStore()?.said.push(message);
        oracle.noteTold(message, description ?? '');
      },
      runPoll: async (run) => {
        const poll: Poll = {
          trigger: `${this.id}/${this.version.nodeId}`,
          process,
          repeats: this.version.repeatFailed,
          events: this.version.events,
          startedAt: clock.now,
          stored: 0,
          said: [],
        };
        return await polls.run(poll, async () => {
          try {
            return await run();
          } catch (error) {
            poll.thrown = error as Error;
            throw error;
          } finally {
            if (!process.life.isOver) oracle.notePolled(poll);
          }
        });
      },
    };
  }

  private emit(
    workflow: Workflow,
    items: IDataObject[],
    done?: Parameters<PollContext['__emit']>[2],
  ): void {
    const { oracle, process } = this.n8n;
    const poll = polls.getStore();
    if (process.life.isOver) return;
    if (!poll) {
      // A stop saves, and hands nothing over.
      if (items.length > 0) throw new Error('A hand-over outside of a poll');
      this.saveSoon(workflow, false);
      void process.life.sleep(STORED_AFTER_MS).then(() => done?.resolve(runOf()));
      return;
    }
    const ids = idsOf(items);
    oracle.noteHandedOver(ids, poll);
    const next = () => (this.isPublished ? this.n8n.nextFate() : GONE);
    const fate = items.length === 0 ? STORED : next();
    if (fate.isThrownAtOnce) {
      oracle.noteDisturbed();
      oracle.noteRefused(ids, poll);
      throw new Error(fate.says);
    }
    this.saveSoon(workflow, fate.isStored && items.length > 0);
    if (items.length > 0) this.n8n.onHandOver();
    void this.execute(items, ids, fate, poll).then(
      (run) => done?.resolve(run),
      (error: Error) => done?.reject(error),
    );
  }

  private async execute(items: IDataObject[], ids: string[], fate: Fate, poll: Poll) {
    const { oracle, process } = this.n8n;
    const { isStored, afterMs } = fate;
    if (fate !== STORED) oracle.noteDisturbed();
    await process.life.sleep(STORED_AFTER_MS);
    if (isStored) oracle.noteStored(items, poll);
    await process.life.sleep(afterMs);
    const says = fate.says === 'run' ? this.run(items) : fate.says;
    if (!isStored) oracle.noteRefused(ids, poll);
    else if (says === 'run') oracle.noteSucceeded(items, poll);
    else oracle.noteFailed(items, poll, says === fate.says);
    if (says === 'noRun') return undefined;
    if (says === 'nothingRan') return NOTHING_RAN;
    if (says === 'run' || says === 'failedRun') return runOf(says === 'failedRun');
    if (says === 'cancelled') throw new ManualExecutionCancelledError('1');
    throw new Error(says);
  }

  /** What the workflow does with items, one after the other. It cannot handle some, and in an outage none. */
  private run(items: IDataObject[]): 'run' | 'failedRun' {
    const { oracle, isOut } = this.n8n;
    for (const item of isOut ? [] : items) {
      if (oracle.isPoison(item)) return 'failedRun';
      oracle.noteHandled(item);
    }
    return isOut && items.length > 0 ? 'failedRun' : 'run';
  }

  /** n8n writes static data as it is now, and does not wait for that. It writes when it has changed. */
  private saveSoon(workflow: Workflow, isStored: boolean): void {
    const { clock, oracle, process: current } = this.n8n;
    const { staticData } = workflow;
    if (staticData.__dataChanged !== true) return;
    if (!isStored && !this.n8n.isSaving) return;
    const saved = copy(staticData);
    const noteSaved = oracle.saving();
    const { process = current } = polls.getStore() ?? {};
    staticData.__dataChanged = false;
    clock.at(SAVED_AFTER_MS, () => {
      if (process.life.isOver) return;
      if (process !== this.n8n.process) oracle.noteOverwritten(saved, process);
      this.staticData = saved;
      oracle.noteKept(saved, this.version.pullSize);
      noteSaved();
    });
  }
}

/** n8n has no published version of the workflow. */
const GONE: Fate = {
  isStored: false,
  afterMs: 0,
  says: 'Published version not found for workflow',
};
