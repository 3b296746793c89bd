import { NodeApiError } from 'n8n-workflow';
import type { INode, INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { pollBudgetMs } from '../n8n/olderVersions';
import { ServiceClient } from '../service/client';
import { sentences } from '../service/sentences';
import type { EventDescription } from './events';
import { pollForProduction } from './productionPoll';
import type { PollOutcome } from './productionPoll';
import { PULL_TIMEOUT_MS } from './pullPage';
import { pollForTest } from './testPoll';
import { readSettings, TRIGGER_ON } from './triggerFields';
import { triggers } from './triggerState';
import type { Claim, TriggerState } from './triggerState';

/**
 * The longest poll, even if n8n allows more. n8n publishes a workflow only after its first poll, gives
 * up on that after 84 s, and polls again after a minute.
 */
export const MAX_BUDGET_MS = 45_000;

/** In the last part of the budget no page is asked for: a page takes time to arrive and be handed over. */
export const LAST_PAGE_MS = PULL_TIMEOUT_MS + 3_000;

/** One poll of the trigger. Production polls hand over page by page. A test returns its items. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getMode() === 'manual') return await pollForTest(context, readSettings(context));
  const node = context.getNode();
  const budgetMs = Math.min(pollBudgetMs(context), MAX_BUDGET_MS);
  // The durable scheduler of n8n makes a context for each poll, and gives it less time.
  const isScheduled = budgetMs < MAX_BUDGET_MS;
  const deadline = performance.now() + budgetMs - Math.min(LAST_PAGE_MS, budgetMs / 2);
  await triggers.poll(context, async (state, isNewest) => {
    const occasion = occasionOf(state, state.begin(context) && !isScheduled);
    const shouldContinue = () => isNewest() && performance.now() < deadline;
    const outcome = await pollEvents(context, state, shouldContinue, occasion).catch(
      (cause): PollOutcome => ({ failure: toNodeError(node, cause), did: 'nothing' }),
    );
    const refusal = occasion === 'new' ? refusalIn(outcome) : undefined;
    if (refusal) {
      state.life.claim = undefined;
      throw refusal;
    }
    // A poll that ended for a newer one says nothing of the publication: n8n 2.40 makes two at once.
    state.wasLive ||= isNewest();
    const failure = failureOf(outcome, occasion);
    if (failure) context.__emitError(failure);
  });
  return null;
}

/** Why n8n polls: it registers a trigger that is new, or one that was live already, or the time has come. */
type Occasion = 'new' | 'live' | 'due';

/**
 * A workflow is live if a trigger of it is or was registered in this process. Its publication must not fail:
 * n8n would poll neither its new version nor the one that was live.
 */
function occasionOf({ workflowId }: TriggerState, isRegistration: boolean): Occasion {
  if (!isRegistration) return 'due';
  return triggers.inWorkflow(workflowId).some(({ wasLive }) => wasLive) ? 'live' : 'new';
}

/** What the publisher must mend: for instance, the service refused, or a setting is wrong. */
function refusalIn({ failure, did }: PollOutcome): NodeError | undefined {
  const cause = failure instanceof NodeApiError ? failure.failure?.cause : undefined;
  const isForPublisher = cause === undefined || cause === 'credential-invalid';
  if (!failure || did === 'gave' || !isForPublisher) return undefined;
  // n8n shows only the message to whoever publishes, so the message says what to do.
  failure.message = sentences(failure.message, failure.description ?? '').replace(/\.$/, '');
  failure.description = '';
  return failure;
}

/** What becomes a failed execution. @throws it, if the poll is due and did nothing: n8n backs off then */
function failureOf({ failure, did }: PollOutcome, occasion: Occasion): NodeError | undefined {
  if (failure && occasion === 'live') {
    const goesOn =
      'The trigger stays registered with these settings, and its next poll tries again';
    failure.description = sentences(failure.description ?? '', goesOn);
  }
  if (failure && occasion === 'due' && did === 'nothing') throw failure;
  return failure;
}

async function pollEvents(
  context: IPollFunctions,
  state: TriggerState,
  shouldContinue: () => boolean,
  occasion: Occasion,
): Promise<PollOutcome> {
  const reportConflict = (conflict: NodeOperationError, free?: EventDescription) => {
    if (occasion === 'new') throw conflict;
    const left = free ? `only the ${free.plural}` : 'nothing';
    conflict.description = sentences(
      conflict.description ?? '',
      `This trigger pulls ${left} meanwhile`,
    );
    if (state.isNews(conflict.message)) context.__emitError(conflict);
  };
  const node = context.getNode();
  // Before anything that the other one's poll, which waits already, would end.
  const twin = findTwin(node, state);
  if (twin) reportConflict(twin);
  const settings = readSettings(context);
  if (twin || !shouldContinue()) return { did: 'pulled' };
  // Inside the queue of polls: n8n waits for the queue when it stops, so nothing is pulled after that.
  const client = await ServiceClient.create(context);
  const workflow = context.getWorkflow().name ?? '';
  const wanted = { account: client.account, workflow, events: settings.events };
  const { events, conflict } = claimEvents(node, state, wanted);
  if (conflict) reportConflict(conflict, events[0]);
  return await pollForProduction(context, client, { ...settings, events }, state, shouldContinue);
}

/** n8n before 2.40 lets two triggers of a workflow have one ID. The one that it registered last pulls. */
function findTwin(own: INode, { life }: TriggerState): NodeOperationError | undefined {
  const { name } = life.registration?.getNode() ?? own;
  if (name === own.name) return undefined;
  return inputError(
    own,
    `The triggers "${own.name}" and "${name}" have the same node ID, so only "${name}" pulls`,
    { description: 'Delete one of the two, and add it again: then it has an ID of its own.' },
  );
}

/**
 * Claims the events of the account as it is now. The service hands out each record once, so the trigger
 * that came later leaves an event to the one that has it.
 *
 * @returns the events that are free, and why the others are not
 */
function claimEvents(
  node: INode,
  state: TriggerState,
  wanted: Pick<Claim, 'account' | 'workflow'> & { events: EventDescription[] },
): { events: EventDescription[]; conflict?: NodeOperationError } {
  const { workflowId } = state;
  const events: EventDescription[] = [];
  const taken = new Map<Claim, string[]>();
  for (const event of wanted.events) {
    const holder = triggers.holderOf(wanted.account, event.name, state);
    if (holder) taken.set(holder, [...(taken.get(holder) ?? []), event.plural]);
    else events.push(event);
  }
  const names = events.map(({ name }) => name);
  state.life.claim = { ...wanted, events: names, workflowId, node: node.name };
  return { events, conflict: taken.size === 0 ? undefined : takenBy(node, workflowId, taken) };
}

/** Says who has which events, and what to do. */
function takenBy(node: INode, ownId: string, taken: Map<Claim, string[]>): NodeOperationError {
  const isHere = ({ workflowId }: Claim) => workflowId === ownId;
  const holders = [...taken].map(([holder, plurals], index) => {
    const name = isHere(holder) ? `trigger "${holder.node}"` : `workflow "${holder.workflow}"`;
    const events = plurals.join(' and ');
    return index === 0
      ? `The ${name} already starts with the ${events} of this account`
      : `the ${name} with the ${events}`;
  });
  return inputError(node, holders.join(', '), {
    description: `${
      [...taken.keys()].every(isHere)
        ? `Remove one of the two triggers, or choose different events in their '${TRIGGER_ON.label}'`
        : 'Delete the trigger in one of the two workflows, and call that workflow from the other with an Execute Sub-workflow node'
    }. The service hands out each record once, so only one trigger can have them.`,
  });
}
