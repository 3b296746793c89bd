import type { FunctionsBase, IPollFunctions, ITriggerFunctions } from 'n8n-workflow';
import { KeyedQueue } from '../n8n/queue';
import type { EventName } from './events';
import { PageLedger } from './pageLedger';
import { PullTurns } from './pullTurns';

type AnyContext = Pick<FunctionsBase, 'getWorkflow' | 'getNode'>;

/** What one trigger pulls. */
export interface Claim {
  /** Identifies the account, see `ServiceClient.account`. */
  account: string;
  events: EventName[];
  /** Names for the user, and the ID of the workflow. */
  workflow: string;
  workflowId: string;
  node: string;
}

/** What a trigger keeps of one event between its polls. */
export interface EventState {
  /** Its pages, and what came before. */
  readonly ledger: PageLedger;
  /** Polls in a row in which the service said nothing but "too fast", and what it said. */
  tooFast?: { error: Error; polls: number };
  /** Polls in a row that did not catch up with the service, and how old their newest record was at last. */
  backlog?: { polls: number; ageMs: number };
}

/** What n8n ends all at once when it closes the trigger. */
interface Life {
  /** The context in which n8n has registered the trigger in this process. Undefined: it has not. */
  registration?: AnyContext;
  /** What its latest poll pulls. It counts for others while the trigger is open. */
  claim?: Claim;
  /** Number of polls. */
  polls: number;
  /** By message. */
  readonly shownAt: Map<string, number>;
}

const newLife = (): Life => ({ polls: 0, shownAt: new Map() });

/** A message is shown once in this time, in milliseconds. */
const SHOWN_FOR_MS = 3_600_000;

/** What this process knows about one trigger node, across its polls and all versions of its workflow. */
export class TriggerState {
  /** Since n8n has closed it last. */
  life = newLife();

  /** A publication, or a start of n8n, has left it registered. Stays true when n8n closes it. */
  wasLive = false;

  /** n8n 2.40 registers a node with `trigger()` and `poll()` twice, and their polls alternate. */
  private readonly known = new WeakSet<IPollFunctions>();

  private readonly events = new Map<EventName, EventState>();

  constructor(
    readonly workflowId: string,
    readonly nodeId: string,
  ) {}

  /** Whether it is a registered trigger in this process. */
  get isOpen(): boolean {
    return this.life.registration !== undefined;
  }

  /** Counts a poll. Returns whether it is the first one of a registration. */
  begin(context: IPollFunctions): boolean {
    // n8n uses one context for all polls of a registration.
    const isFirst = !this.known.has(context);
    this.known.add(context);
    this.life.polls += 1;
    return isFirst;
  }

  /** What is kept of an event. */
  of(event: EventName): EventState {
    const state = this.events.get(event) ?? { ledger: new PageLedger() };
    this.events.set(event, state);
    return state;
  }

  /** Whether to show a message: not if it was shown in the last hour. */
  isNews(message: string): boolean {
    const { shownAt } = this.life;
    const before = shownAt.get(message) ?? -Infinity;
    if (performance.now() - before < SHOWN_FOR_MS) return false;
    shownAt.set(message, performance.now());
    return true;
  }

  /** Ends the registration. The pages and the memory of records stay. */
  async close(): Promise<void> {
    // First of all: n8n may open the trigger again while the pages are saved.
    this.life = newLife();
    await Promise.all([...this.events.values()].map(async ({ ledger }) => await ledger.close()));
  }
}

/** A published workflow closes its triggers and opens them again, so this many closed ones are kept. */
export const MAX_CLOSED = 100;

/**
 * The triggers of this process, by workflow and node. A trigger is opened, polled and closed. It is forgotten
 * when many others have been used since. Whatever outlives a poll is here.
 */
export class TriggerRegistry {
  /** The one that was used last is last. */
  private readonly states = new Map<string, TriggerState>();

  /**
   * The polls of each trigger, one after the other. n8n lets them overlap: the next tick comes while a
   * poll is running, or a changed trigger is published meanwhile.
   */
  private readonly polls = new KeyedQueue();

  /** By account. */
  private readonly turns = new Map<string, PullTurns>();

  /** n8n has registered the trigger. If it does so at its start, the trigger was published before. */
  open(context: AnyContext & Pick<ITriggerFunctions, 'getActivationMode'>): void {
    const state = this.use(context);
    state.life.registration = context;
    state.wasLive ||= ['init', 'leadershipChange'].includes(context.getActivationMode());
  }

  /** The nodes of a workflow that are or were its triggers in this process. */
  inWorkflow(id: string): TriggerState[] {
    return [...this.states.values()].filter(({ workflowId }) => workflowId === id);
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
    await this.polls.run(keyOf(context), (isNewest) => task(this.use(context), isNewest));
  }

  /** Closes the trigger once its poll has ended. */
  async close(context: AnyContext): Promise<void> {
    await this.poll(context, async (state) => {
      // A newer version of the workflow may have registered it meanwhile.
      if (state.life.registration === context) await state.close();
    });
    this.forget();
  }

  /** Forgets the closed triggers that were used longest ago. What must not be lost is in static data. */
  private forget(): void {
    const closed = [...this.states].filter(([, { isOpen }]) => !isOpen);
    for (const [key] of closed.slice(0, -MAX_CLOSED)) this.states.delete(key);
  }

  private use(context: AnyContext): TriggerState {
    const { id = '' } = context.getWorkflow();
    const key = keyOf(context);
    const state = this.states.get(key) ?? new TriggerState(id, context.getNode().id);
    this.states.delete(key);
    this.states.set(key, state);
    return state;
  }

  /** The other trigger that pulls this event of the account. */
  holderOf(account: string, event: EventName, own?: TriggerState): Claim | undefined {
    return [...this.states.values()]
      .filter((state) => state !== own && state.isOpen)
      .map(({ life }) => life.claim)
      .find((claim) => claim?.account === account && claim.events.includes(event));
  }

  /** When an account may be asked: all of its triggers take turns. */
  turnsOf(account: string): PullTurns {
    const turns = this.turns.get(account) ?? new PullTurns();
    this.turns.set(account, turns);
    return turns;
  }
}

function keyOf(context: AnyContext): string {
  return `${context.getWorkflow().id}/${context.getNode().id}`;
}

/** The triggers of this process. */
export const triggers = new TriggerRegistry();
