import type { FunctionsBase, IPollFunctions } from 'n8n-workflow';
import { KeyedQueue } from '../n8n/queue';
import { newLearnt } from './drainStep';
import type { Learnt } from './drainStep';
import type { EventName } from './events';
import { Pace } from './pace';
import { PageLedger } from './pageLedger';

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

/** A message that comes again is told once in this time, in milliseconds. */
const TOLD_FOR_MS = 3_600_000;

/** What this process knows of one trigger node, from one poll to the next and in any version of its workflow. */
export class TriggerState {
  /** With what n8n has registered the trigger in this process. Undefined once it has closed it. */
  registration?: AnyContext;

  /** What its latest poll pulls. It counts for others while the trigger is open. */
  claim?: Claim;

  /** Number of polls since it was registered. */
  polls = 0;

  /** How fast its service may be asked. */
  pace = new Pace();

  /** n8n 2.40 registers a node with `trigger()` and `poll()` twice, and their polls alternate. */
  private readonly known = new WeakSet<IPollFunctions>();

  private readonly ledgers = new Map<EventName, PageLedger>();
  private readonly sizes = new Map<EventName, Learnt>();
  private readonly toldAt = new Map<string, number>();

  constructor(
    readonly workflowId: string,
    readonly nodeId: string,
  ) {}

  /** To be called for each poll. @returns whether it is the first one of a registration */
  begin(context: IPollFunctions): boolean {
    // n8n uses one context for all polls of a registration.
    const isFirst = !this.known.has(context);
    this.known.add(context);
    this.polls += 1;
    return isFirst;
  }

  /** The pages of an event, and what came before. */
  ledger(event: EventName): PageLedger {
    return entryOf(this.ledgers, event, () => new PageLedger());
  }

  /** What was learnt of the sizes of an event's pages. */
  learnt(event: EventName): Learnt {
    return entryOf(this.sizes, event, newLearnt);
  }

  /** Whether to say something that was not said for an hour. */
  isNews(message: string): boolean {
    const before = this.toldAt.get(message) ?? -Infinity;
    if (performance.now() - before < TOLD_FOR_MS) return false;
    this.toldAt.set(message, performance.now());
    return true;
  }

  /** What is known of pages and records stays. */
  close(): void {
    Object.assign(this, { registration: undefined, claim: undefined, polls: 0 });
    this.toldAt.clear();
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const entry = map.get(key) ?? create();
  map.set(key, entry);
  return entry;
}

/** A published workflow closes its trigger and opens it again, so what was closed is kept: this many. */
const MAX_CLOSED = 100;

/** The state of all triggers in this process, by workflow and node. */
const states = new Map<string, TriggerState>();

/**
 * The polls of each trigger, one after the other. n8n lets them overlap: the next tick comes while a
 * poll is running, or a changed trigger is published meanwhile.
 */
const polls = new KeyedQueue();

function keyOf(context: AnyContext): string {
  return `${context.getWorkflow().id}/${context.getNode().id}`;
}

function stateOf(context: AnyContext): TriggerState {
  const { id = '' } = context.getWorkflow();
  return entryOf(states, keyOf(context), () => new TriggerState(id, context.getNode().id));
}

/** n8n has registered the trigger. */
export function openTrigger(context: AnyContext): void {
  stateOf(context).registration = context;
}

/**
 * Runs a poll after the earlier ones of its trigger. The newest poll has priority: the one before it ends
 * with its page. So at most one page of an event is in flight.
 *
 * @param task gets a function that tells whether no newer poll waits
 */
export async function runPoll<T>(
  context: AnyContext,
  task: (state: TriggerState, isNewest: () => boolean) => Promise<T>,
): Promise<T> {
  return await polls.run(
    keyOf(context),
    async (isNewest) => await task(stateOf(context), isNewest),
  );
}

/** Closes the trigger once its poll has ended, and forgets triggers that were closed long ago. */
export async function closeTrigger(context: AnyContext): Promise<void> {
  await runPoll(context, async (state) => {
    // A newer version of the workflow may have registered it meanwhile.
    if (state.registration === context) state.close();
    states.delete(keyOf(context));
    states.set(keyOf(context), state);
  });
  const closed = [...states].filter(([, { registration }]) => !registration);
  for (const [key] of closed.slice(0, -MAX_CLOSED)) states.delete(key);
}

/** The other trigger that pulls this event of the account. */
export function holderOf(account: string, event: EventName, own?: TriggerState): Claim | undefined {
  return [...states.values()]
    .filter((state) => state !== own && state.registration)
    .map(({ claim }) => claim)
    .find((claim) => claim?.account === account && claim.events.includes(event));
}

/** How fast an account may be asked: the same for all of its triggers. */
export function paceOf(account: string, own: TriggerState): Pace {
  const sharing = [...states.values()].find(
    (state) => (state === own || state.registration) && state.claim?.account === account,
  );
  return sharing?.pace ?? new Pace();
}

/** The nodes of a workflow that were its triggers in this process, and are not any more. */
export function closedIn(workflowId: string): TriggerState[] {
  return [...states.values()].filter(
    (state) => state.workflowId === workflowId && !state.registration,
  );
}

/** Whether a node is a registered trigger in this process. */
export function isOpen(workflowId: string, nodeId: string): boolean {
  return states.get(`${workflowId}/${nodeId}`)?.registration !== undefined;
}
