import { NodeApiError } from 'n8n-workflow';
import type {
  FunctionsBase,
  INodeExecutionData,
  IPollFunctions,
  ITriggerFunctions,
  NodeOperationError,
} from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import { pollBudgetMs } from '../n8n/olderVersions';
import { KeyedQueue } from '../n8n/queue';
import { ServiceClient } from '../service/client';
import { claim, release, workflowWith } from './claims';
import { PULL_TIMEOUT_MS } from './drain';
import { readSettings } from './pollSettings';
import type { PollSettings } from './pollSettings';
import { pollForProduction } from './productionPoll';
import { pollForTest } from './testPoll';

/**
 * The longest poll, also where n8n allows more. n8n publishes a workflow only after its first poll, gives
 * up on that after 84 s, and polls again after a minute.
 */
const MAX_BUDGET_MS = 45_000;

/** In the last part of the budget no page is asked for: a page takes time to arrive and be handed over. */
const LAST_PAGE_MS = PULL_TIMEOUT_MS + 3_000;

/**
 * The polls of each trigger, one after the other. n8n lets them overlap: the next tick comes while a
 * poll is running, or a changed trigger is published meanwhile. The newest poll has priority: the one
 * before it ends with its page. So at most one page of an event is in flight.
 */
const polls = new KeyedQueue();

/** One poll of the trigger. Production polls hand over page by page. A test returns its items. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getMode() === 'manual') return await pollForTest(context, readSettings(context));
  const budgetMs = Math.min(pollBudgetMs(context), MAX_BUDGET_MS);
  const isRegistration = isFirstPoll(context) && budgetMs === MAX_BUDGET_MS;
  try {
    await pollWithin(context, budgetMs, isRegistration);
  } catch (cause) {
    const error = toNodeError(context.getNode(), cause);
    if (!isRegistration) throw error;
    if (!staysRegistered(context, error)) {
      release(nameTrigger(context));
      throw error;
    }
    context.__emitError(error);
  }
  return null;
}

/** The contexts that have polled. n8n uses one for all polls of a registered trigger. */
const polled = new WeakSet<IPollFunctions>();

function isFirstPoll(context: IPollFunctions): boolean {
  const isFirst = !polled.has(context);
  polled.add(context);
  return isFirst;
}

/**
 * Whether a trigger is registered although its first poll failed. n8n never again polls a trigger whose
 * first poll threw. So nothing is thrown when n8n starts or changes its leader, where nobody would
 * publish again. At publication, only what the publisher must mend is thrown.
 */
function staysRegistered(context: IPollFunctions, error: NodeApiError | NodeOperationError) {
  if (['init', 'leadershipChange'].includes(context.getActivationMode())) return true;
  // No cause: the publisher must mend it. For instance, the service refused, or a setting is wrong.
  const cause = error instanceof NodeApiError ? error.failure?.cause : undefined;
  return cause !== undefined && cause !== 'credential-invalid';
}

async function pollWithin(
  context: IPollFunctions,
  budgetMs: number,
  isRegistration: boolean,
): Promise<void> {
  const settings = readSettings(context);
  const deadline = Date.now() + budgetMs - Math.min(LAST_PAGE_MS, budgetMs / 2);
  const trigger = nameTrigger(context);
  await polls.run(trigger, async (isNewest) => {
    const goesOn = () => isNewest() && Date.now() < deadline;
    if (!goesOn()) return;
    // Inside the queue: n8n waits for the queue when it stops, so nothing is claimed after that.
    const client = await ServiceClient.create(context);
    const conflict = claimEvents(context, settings, client.account);
    if (isRegistration && conflict) throw conflict;
    await pollForProduction(context, client, settings, trigger, goesOn);
  });
}

/**
 * Ends the poll that is running, if there is one: it hands over its page and asks for no other. n8n must
 * wait for this before it stops, or a page whose request is in flight is lost.
 */
export async function endPoll(context: ITriggerFunctions): Promise<void> {
  const trigger = nameTrigger(context);
  await polls.run(trigger, async () => undefined);
  release(trigger);
}

/**
 * Claims the events of the account for this trigger. Two triggers would take records from each other.
 *
 * @returns why not, where another trigger has claimed one of them
 */
function claimEvents(
  context: IPollFunctions,
  { events }: PollSettings,
  account: string,
): NodeOperationError | undefined {
  const trigger = nameTrigger(context);
  for (const { name, plural } of events) {
    const other = workflowWith(account, name, trigger);
    if (other === undefined) continue;
    return inputError(
      context.getNode(),
      `The workflow "${other}" already starts with the ${plural} of this account`,
      {
        description: `The service hands out each record once, so two triggers would take them from each other. Let "${other}" call this workflow with an Execute Sub-workflow node, or unpublish it first.`,
      },
    );
  }
  const workflow = context.getWorkflow().name ?? '';
  claim(trigger, { account, events: events.map(({ name }) => name), workflow });
  return undefined;
}

/** Identifies a trigger node in this process, in any version of its workflow. */
function nameTrigger(context: Pick<FunctionsBase, 'getWorkflow' | 'getNode'>): string {
  return `${context.getWorkflow().id}/${context.getNode().id}`;
}
