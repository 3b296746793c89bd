import type { FunctionsBase, IPollFunctions, ITriggerFunctions } from 'n8n-workflow';
import { KeyedQueue } from '../n8n/queue';
import type { EventDescription } from './events';
import { beginDrain, NO_STREAKS } from './drain';
import { Ledger } from './ledger';
import { PullTurns } from './pullTurns';

type AnyContext = Pick<FunctionsBase, 'getWorkflow' | 'getNode'>;

/** What a workflow keeps of one event of an account between its polls, whichever node pulls it. */
export class Queue {
  readonly ledger = new Ledger();

  /** When it was pulled last, by `performance.now()`. */
  pulledAt = 0;

  /** By its latest poll. */
  drained = beginDrain();
  streaks = NO_STREAKS;

  /** @param account see `ServiceClient.account` */
  constructor(
    readonly account: string,
    readonly event: EventDescription,
  ) {}
}

/** What this process knows about one trigger node, across its polls, until n8n closes it. */
export class TriggerState {
  constructor(
    readonly workflow: WorkflowState,
    readonly name: string,
  ) {}

  /** The context in which n8n has registered the trigger in this process. Undefined: it has not. */
  registration?: AnyContext;

  /** What its latest poll pulls. It counts for others while the trigger is open. */
  claim?: { account: string; events: EventDescription[] };

  private polls = 0;

  private readonly shownAt = new Map<string, number>();

  /** n8n 2.40 registers a node with `trigger()` and `poll()` twice, and their polls alternate. */
  private readonly known = new WeakSet<IPollFunctions>();

  /** Whether the other triggers of the workflow that n8n has registered with it have polled. */
  get knowsOthers(): boolean {
    return this.registration !== undefined && this.polls > 2;
  }

  /** Counts a poll. Returns whether it is the first one of a registration: n8n uses one context for all of its polls. */
  begin(context: IPollFunctions): boolean {
    const isFirst = !this.known.has(context);
    this.known.add(context);
    this.polls += 1;
    return isFirst;
  }

  pulls(account: string, event: EventDescription): boolean {
    return this.claim?.account === account && this.claim.events.includes(event);
  }

  /** Whether to show a message: not if it was shown in this time before. */
  isNews(message: string, shownForMs = 3_600_000): boolean {
    const before = this.shownAt.get(message) ?? -Infinity;
    if (performance.now() - before < shownForMs) return false;
    this.shownAt.set(message, performance.now());
    return true;
  }
}

class WorkflowState {
  /** As it is called now. */
  name = '';

  /** By the name of the node: n8n before 2.40 lets two nodes have one ID. */
  readonly triggers = new Map<string, TriggerState>();

  readonly queues: Queue[] = [];

  /** A publication, or a start of n8n, has left one of its triggers registered in this process. */
  wasLive = false;

  get open(): TriggerState[] {
    return [...this.triggers.values()].filter(({ registration }) => registration);
  }

  stateOf(node: string): TriggerState {
    const state = this.triggers.get(node) ?? new TriggerState(this, node);
    this.triggers.set(node, state);
    return state;
  }

  queueOf(account: string, event: EventDescription): Queue {
    const known = this.queues.find((each) => each.account === account && each.event === event);
    if (known) return known;
    const queue = new Queue(account, event);
    this.queues.push(queue);
    return queue;
  }

  /** Whether one of its triggers pulls this, or may: it has not polled yet. */
  claims({ account, event }: Queue): boolean {
    return this.open.some((state) => !state.claim || state.pulls(account, event));
  }
}

/** The triggers of this process, by workflow. Whatever outlives a poll is here. */
class TriggerRegistry {
  private readonly workflows = new Map<string, WorkflowState>();

  /**
   * The polls of each trigger, one after the other. n8n lets them overlap: the next tick comes while a
   * poll is running, or a changed trigger is published meanwhile.
   */
  private readonly polls = new KeyedQueue();

  private readonly turns = new Map<string, PullTurns>();

  private workflowOf(context: AnyContext): WorkflowState {
    const { id = '', name = '' } = context.getWorkflow();
    const workflow = this.workflows.get(id) ?? new WorkflowState();
    workflow.name = name;
    this.workflows.set(id, workflow);
    return workflow;
  }

  /** n8n has registered the trigger: it was published, or n8n starts, or this process leads from now on. */
  open(context: AnyContext & Pick<ITriggerFunctions, 'getActivationMode'>): void {
    const workflow = this.workflowOf(context);
    workflow.stateOf(context.getNode().name).registration = context;
    if (!['init', 'leadershipChange'].includes(context.getActivationMode())) return;
    workflow.wasLive = true;
    for (const { ledger } of workflow.queues) ledger.isStale = true;
  }

  /**
   * Runs a poll after the earlier ones of its trigger. The newest poll has priority: the one before it ends
   * with its page. So at most one page of an event is in flight.
   *
   * @param task is called with a function that says whether no newer poll waits
   */
  async poll(
    context: AnyContext,
    task: (state: TriggerState, isNewest: () => boolean) => Promise<unknown>,
  ): Promise<void> {
    const { name } = context.getNode();
    const key = `${context.getWorkflow().id}/${name}`;
    await this.polls.run(key, (isNewest) => task(this.workflowOf(context).stateOf(name), isNewest));
  }

  /** Closes the trigger once its poll has ended. What the workflow keeps stays. */
  async close(context: AnyContext): Promise<void> {
    await this.poll(context, async (state) => {
      const { registration, workflow } = state;
      // A newer version of the workflow may have registered it meanwhile.
      if (registration !== context) return;
      // First of all: n8n may open the trigger again while the records are saved. What is said late writes no more.
      state.registration = undefined;
      workflow.triggers.delete(context.getNode().name);
      await Promise.all(workflow.queues.map(async ({ ledger }) => await ledger.close()));
    });
  }

  /** The other trigger that pulls this event of the account. */
  holderOf(account: string, event: EventDescription, own?: TriggerState): TriggerState | undefined {
    const all = [...this.workflows.values()].flatMap(({ open }) => open);
    return all.find((state) => state !== own && state.pulls(account, event));
  }

  /** When an account may be asked: all of its triggers take turns. */
  turnsOf(account: string): PullTurns {
    const turns = this.turns.get(account) ?? new PullTurns();
    this.turns.set(account, turns);
    return turns;
  }
}

export const triggers = new TriggerRegistry();
