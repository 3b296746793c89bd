import { NodeApiError } from 'n8n-workflow';
import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import { pollBudgetMs } from '../n8n/olderVersions';
import { ServiceClient } from '../service/client';
import { sentences } from '../service/sentences';
import type { EventDescription } from './events';
import { pollForProduction } from './productionPoll';
import type { PollOutcome } from './productionPoll';
import { PULL_TIMEOUT_MS } from './pullPage';
import { pollForTest } from './testPoll';
import { readSettings } from './triggerFields';
import { triggers } from './triggerState';
import type { Claim, TriggerState } from './triggerState';

/**
 * The longest poll, even if n8n allows more. n8n publishes a workflow only after its first poll, gives
 * up on that after 84 s, and polls again after a minute.
 */
export const MAX_BUDGET_MS = 45_000;

/** In the last part of the budget no page is asked for: a page takes time to arrive and be handed over. */
export const LAST_PAGE_MS = PULL_TIMEOUT_MS + 3_000;

type NodeError = NodeApiError | NodeOperationError;

/** One poll of the trigger. Production polls hand over page by page. A test returns its items. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getMode() === 'manual') return await pollForTest(context, readSettings(context));
  const budgetMs = Math.min(pollBudgetMs(context), MAX_BUDGET_MS);
  const deadline = performance.now() + budgetMs - Math.min(LAST_PAGE_MS, budgetMs / 2);
  const isInTime = () => performance.now() < deadline;
  await triggers.poll(context, async (state, isNewest) => {
    const isRegistration = state.begin(context) && budgetMs === MAX_BUDGET_MS;
    const shouldContinue = () => isNewest() && isInTime();
    const { failure, isAnyDone, isAnyGiven } = await pollEvents(
      context,
      state,
      shouldContinue,
      isRegistration,
    ).catch((cause): PollOutcome => ({
      failure: toNodeError(context.getNode(), cause),
      isAnyDone: false,
      isAnyGiven: false,
    }));
    if (!failure) return;
    // n8n backs off after a poll that throws, so one that has handed over records does not throw.
    const isTold = isAnyGiven || (isRegistration ? staysRegistered(context, failure) : isAnyDone);
    if (isTold) return context.__emitError(failure);
    if (!isRegistration) throw failure;
    state.claim = undefined;
    throw forPublisher(failure);
  });
  return null;
}

/**
 * Whether a trigger stays registered although its first poll failed. n8n never again polls a trigger whose
 * first poll threw. So nothing is thrown when n8n starts or changes its leader: nobody would
 * publish again. At publication, only what the publisher must mend is thrown.
 */
function staysRegistered(context: IPollFunctions, error: NodeError): boolean {
  if (['init', 'leadershipChange'].includes(context.getActivationMode())) return true;
  // No cause: the publisher must mend it. For instance, the service refused, or a setting is wrong.
  const cause = error instanceof NodeApiError ? error.failure?.cause : undefined;
  return cause !== undefined && cause !== 'credential-invalid';
}

/** n8n shows only the message to whoever publishes, so the message says what to do. */
function forPublisher(error: NodeError): NodeError {
  error.message = sentences(error.message, error.description ?? '').replace(/\.$/, '');
  error.description = '';
  return error;
}

async function pollEvents(
  context: IPollFunctions,
  state: TriggerState,
  shouldContinue: () => boolean,
  isRegistration: boolean,
): Promise<PollOutcome> {
  const settings = readSettings(context);
  if (!shouldContinue()) return { isAnyDone: true, isAnyGiven: false };
  // Inside the queue of polls: n8n waits for the queue when it stops, so nothing is pulled after that.
  const client = await ServiceClient.create(context);
  const { events, conflict } = claimEvents(context, state, settings.events, client.account);
  if (conflict) {
    if (isRegistration && !staysRegistered(context, conflict)) throw conflict;
    if (state.isNews(conflict.message)) context.__emitError(conflict);
  }
  return await pollForProduction(context, client, { ...settings, events }, state, shouldContinue);
}

/**
 * Claims the events of the account as it is now. The service hands out each record once, so the trigger
 * that came later leaves an event to the one that has it.
 *
 * @returns the events that are free, and why the others are not
 */
function claimEvents(
  context: IPollFunctions,
  state: TriggerState,
  chosen: EventDescription[],
  account: string,
): { events: EventDescription[]; conflict?: NodeOperationError } {
  const holders = new Map(
    chosen.map((event) => [event, triggers.holderOf(account, event.name, state)]),
  );
  const events = chosen.filter((event) => !holders.get(event));
  state.claim = {
    account,
    events: events.map(({ name }) => name),
    workflow: context.getWorkflow().name ?? '',
    workflowId: state.workflowId,
    node: context.getNode().name,
  };
  const taken = new Map<Claim, string[]>();
  for (const [{ plural }, holder] of holders) {
    if (holder) taken.set(holder, [...(taken.get(holder) ?? []), plural]);
  }
  return taken.size === 0 ? { events } : { events, conflict: takenBy(context, taken) };
}

/** Says who has which events, and what to do. */
function takenBy(context: IPollFunctions, taken: Map<Claim, string[]>): NodeOperationError {
  const isHere = ({ workflowId }: Claim) => workflowId === context.getWorkflow().id;
  const holders = [...taken].map(([holder, plurals], index) => {
    const name = isHere(holder) ? `trigger "${holder.node}"` : `workflow "${holder.workflow}"`;
    const events = plurals.join(' and ');
    return index === 0
      ? `The ${name} already starts with the ${events} of this account`
      : `the ${name} with the ${events}`;
  });
  return inputError(context.getNode(), holders.join(', '), {
    description: `${
      [...taken.keys()].every(isHere)
        ? "Remove one of the two triggers, or choose different events in their 'Trigger On'"
        : 'Delete the trigger in one of the two workflows, and call that workflow from the other with an Execute Sub-workflow node'
    }. The service hands out each record once, so only one trigger can have them.`,
  });
}
