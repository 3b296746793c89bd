import { sleep } from 'n8n-workflow';
import type { IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { inputError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { execute, GRACE_STEP_MS, graceFor, saveStaticData, settingsOf } from '../n8n/executions';
import type { ServiceClient } from '../service/client';
import { insideSentence } from '../service/sentences';
import { beginDrain, countPoll, next, NO_STREAKS } from './drain';
import { EVENTS, failureOf, toItems } from './events';
import type { EventDescription, EventName } from './events';
import { hasFailed } from './ledger';
import type { Entry, HandOver } from './ledger';
import { pullPage } from './pullPage';
import type { PullTurns } from './pullTurns';
import { complaintsAbout, MAX_POLLS_TOO_FAST } from './told';
import { sizeFieldOf } from './triggerFields';
import type { PollSettings } from './triggerFields';
import { triggers } from './triggerState';
import type { Queue, TriggerState } from './triggerState';

export interface PollOutcome {
  failure?: NodeError;
  /** The most of it. `gave`: n8n has taken a page. `pulled`: an event was pulled without a failure. */
  did: 'gave' | 'pulled' | 'nothing';
}

/** One poll: for whom, and until when. */
export interface Poll {
  readonly context: IPollFunctions;
  readonly client: ServiceClient;
  readonly settings: PollSettings;
  readonly state: TriggerState;
  /** Whether there is time for another step, and no newer poll waits. */
  readonly hasTime: () => boolean;
  readonly isNewest: () => boolean;
  pulls: number;
}

/** Max number of records that have failed by themselves, and come again in one poll. */
export const MAX_AGAIN = 10;

/** Between the starts of two executions: n8n saves static data meanwhile. */
const START_STEP_MS = 5;

/**
 * Hands over what is due, also of events that are no longer chosen, and page by page what the service has of the
 * chosen ones.
 */
export async function pollForProduction(poll: Poll): Promise<PollOutcome> {
  const polls = openQueues(poll).map((queue) => new QueuePoll(poll, queue));
  await Promise.all(polls.map(async (each) => await each.run()));
  const failure = failureOf(poll.context.getNode(), polls);
  if (polls.some(({ hasGiven }) => hasGiven)) return { failure, did: 'gave' };
  const hasPulled = polls.some(({ isPulled, error }) => isPulled && !error);
  return { failure, did: hasPulled ? 'pulled' : 'nothing' };
}

/**
 * What this trigger pulls, the event first that has waited longest. Then what the workflow keeps of others that
 * none of its triggers pulls, from the third poll on: n8n registers the triggers of a workflow one after the
 * other, and polls each up to twice then. A process that has registered none does not know which remain.
 */
function openQueues({ context, client: { account }, settings, state }: Poll): Queue[] {
  const { workflow } = state;
  const data = context.getWorkflowStaticData('global');
  const { type } = context.getNode();
  const keyOf = (queue: Queue) => `${type}/${queue.account}/${queue.event.name}`;
  const queues = settings.events
    .map((event) => workflow.queueOf(account, event))
    .sort((one, other) => one.pulledAt - other.pulledAt);
  if (state.knowsOthers) {
    for (const key of Object.keys(data)) {
      const [start, of = '', event = ''] = key.split('/');
      if (start !== type || !Object.hasOwn(EVENTS, event)) continue;
      workflow.queueOf(of, EVENTS[event as EventName]);
    }
    queues.push(...workflow.queues.filter((queue) => !workflow.claims(queue)));
  }
  const save = async () => await saveStaticData(context);
  const mayGiveUp = settingsOf(context).saveDataErrorExecution !== 'none';
  const storage = { data, save, mayGiveUp };
  for (const queue of queues) queue.ledger.open({ ...storage, key: keyOf(queue) }, settings);
  return queues;
}

class QueuePoll {
  readonly event: EventDescription;
  readonly isPulled: boolean;
  hasGiven = false;
  /** What made a pull or a hand-over fail. The pages before it were taken, and after a pull what is due comes. */
  error?: unknown;

  /** Number of records that have failed by themselves, and were handed over again. */
  private again = 0;
  private hasPulled = false;
  /** What n8n has refused, and no error has named yet. */
  private readonly refusals: { count: number; reason: string }[] = [];

  constructor(
    private readonly poll: Poll,
    private readonly queue: Queue,
  ) {
    const { client, settings } = poll;
    this.event = queue.event;
    this.isPulled = queue.account === client.account && settings.events.includes(this.event);
    queue.drained = beginDrain(queue.drained);
  }

  /** Polls. Does not throw: see `error`. */
  async run(): Promise<void> {
    const { queue, poll } = this;
    try {
      // The first pull of a poll is always made, after a hand-over if there is something due.
      for (let steps = 0; steps < 2 || poll.hasTime(); steps++) if (await this.isOver()) break;
    } catch (error) {
      this.error = error;
    }
    queue.streaks = this.isPulled ? countPoll(queue.streaks, queue.drained) : NO_STREAKS;
    this.tell();
    const { refusal, tooFast } = queue.streaks;
    if (tooFast % MAX_POLLS_TOO_FAST === 0) this.error ??= refusal;
    if (queue.account !== poll.client.account) queue.ledger.forget();
  }

  /** Takes one step: hands over what is due, or else pulls, or hands over what comes alone, by turns. */
  private async isOver(): Promise<boolean> {
    const { ledger, account, event } = this.queue;
    ledger.settle();
    const { first, beside } = ledger.due(this.again < MAX_AGAIN);
    if (first.length > 0) {
      await this.give(first);
      return false;
    }
    const { mayPull } = this;
    const mayGive = beside !== undefined && ledger.slots > 0;
    const turns = triggers.turnsOf(account);
    if (mayPull && !(mayGive && this.hasPulled) && turns.begin(event.name)) {
      await this.pull(turns);
    } else if (mayGive) {
      this.again += beside.filter(hasFailed).length;
      await this.give([beside]);
    } else if (mayPull) {
      await sleep(turns.stepMs);
    }
    return !mayPull && !mayGive;
  }

  private get mayPull(): boolean {
    const { poll, queue } = this;
    const isOpen = this.isPulled && !this.error && !queue.drained.isOver && queue.ledger.mayPull;
    // The first pull of a poll is always made.
    return isOpen && (poll.pulls === 0 ? poll.isNewest() : poll.hasTime());
  }

  private async pull(turns: PullTurns): Promise<void> {
    const { queue, poll } = this;
    const { client, settings } = poll;
    const { pullSize, maxRecordsPerPoll: maxRecords, repeatFailed, itemsPerExecution } = settings;
    const { ledger } = queue;
    poll.pulls += 1;
    queue.pulledAt = performance.now();
    const count = Math.min(pullSize, maxRecords - queue.drained.fresh);
    const pulled = await pullPage(client, this.event, count, {
      sizeField: sizeFieldOf(settings),
      timeoutMs: settings.timeout,
      task: 'trigger',
    });
    turns.end(queue.event.name, pulled);
    const sighting = ledger.memory.see(pulled);
    if (pulled.kind === 'failed') this.error = pulled.error;
    else queue.drained = next(queue.drained, pulled, sighting, { count, maxRecords });
    const { fresh } = sighting;
    ledger.arrive(fresh, repeatFailed ? fresh.length : itemsPerExecution);
    if (fresh.length > 0) await this.give(ledger.due(false).first);
    this.hasPulled = true;
  }

  /**
   * Starts an execution with each of these, as many at a time as n8n may be given, and waits until they have
   * most likely started. What the time does not reach stays due.
   *
   * @throws NodeOperationError when n8n did not start one, for instance because the workflow is no
   * longer published. A refusal after the wait becomes a failed execution instead. An execution that
   * failed and is to be repeated is one already.
   */
  private async give(due: Entry[][]): Promise<void> {
    this.hasPulled = false;
    const { refusals } = this;
    const { ledger } = this.queue;
    const { hasTime } = this.poll;
    const ends: Promise<void>[] = [];
    let isAwaited = true;
    const rest = [...due];
    const mayStart = () => hasTime() || (ends.length === 0 && ledger.slots > 0);
    while (rest.length > 0 && refusals.length === 0 && mayStart()) {
      const group = rest.splice(0, Math.max(0, ledger.slots));
      if (group.length === 0) await sleep(GRACE_STEP_MS);
      for (const entries of group) {
        if (ends.length > 0) await sleep(START_STEP_MS);
        // One by one: what n8n has not got yet must stay in static data.
        ends.push(this.start(ledger.handOver(entries), () => isAwaited));
      }
    }
    await graceFor(Promise.all(ends));
    isAwaited = false;
    // What n8n has not reported on by now has most likely started.
    this.hasGiven ||= refusals.length < ends.length;
    if (ends.length === 0 || refusals.length > 0) void ledger.save();
    if (refusals.length > 0) throw this.notStarted();
  }

  private async start(handOver: HandOver, isAwaited: () => boolean): Promise<void> {
    const { ledger } = this.queue;
    const { context, state } = this.poll;
    const { pageId } = handOver;
    const records = handOver.entries.map(({ record }) => record);
    const end = await execute(context, toItems(this.event, records, pageId));
    const isEnough = end.kind === 'refused' || pageId !== undefined;
    ledger.report(handOver, isEnough ? end.kind : 'started');
    if (end.kind !== 'refused') return;
    this.refusals.push({ count: records.length, reason: end.reason });
    if (isAwaited()) return;
    // n8n mostly refuses several executions at the same moment, so one failed execution names them all.
    await sleep(GRACE_STEP_MS);
    if (this.refusals.length === 0) return;
    // Otherwise another process writes.
    if (state.registration) void ledger.save();
    context.__emitError(this.notStarted());
  }

  private notStarted(): NodeOperationError {
    const refusals = this.refusals.splice(0);
    const count = refusals.reduce((sum, refusal) => sum + refusal.count, 0);
    const [{ reason } = { reason: '' }] = refusals;
    const message = `n8n did not start the workflow: ${insideSentence(reason)}`;
    const description = `Nothing more is pulled. The ${this.event.plural} (${count}) are kept, and start the workflow at its next poll.`;
    return inputError(this.poll.context.getNode(), message, { description });
  }

  private tell(): void {
    const { queue } = this;
    const { context, settings, state } = this.poll;
    const isSaved = settingsOf(context).saveDataErrorExecution === 'all';
    for (const complaint of complaintsAbout(queue, settings, isSaved)) {
      const { about, everyMs, message, description, onTold } = complaint;
      if (!state.isNews(`${about} ${queue.account} ${queue.event.name}`, everyMs)) continue;
      context.__emitError(inputError(context.getNode(), message, { description }));
      onTold?.();
    }
  }
}
