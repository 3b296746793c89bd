import { NodeApiError } from 'n8n-workflow';
import type {
  NodeOperationError,
  FunctionsBase,
  IDataObject,
  INodeExecutionData,
  IPollFunctions,
  ITriggerFunctions,
} from 'n8n-workflow';
import { ServiceClient } from '../service/client';
import { inputError, toNodeError } from '../service/errors';
import { pollBudgetMs } from '../n8n/olderVersions';
import { describeValue, requireInteger } from '../parameters/values';
import { claim, release, workflowWith } from './claims';
import { drain, PULL_TIMEOUT_MS } from './drain';
import { EVENTS } from './events';
import type { EventDescription, EventName } from './events';
import { HandOver, toItems } from './handOver';
import { PageLedger } from './pageLedger';
import { RecordMemory } from './recordMemory';
import { PageSize } from './pageSize';
import { takeTurn } from './turns';

interface PollSettings {
  events: EventDescription[];
  pageSize: number;
  itemsPerExecution: number;
  maxRecords: number;
}

/**
 * What a poll may take at most, also where n8n allows more: a workflow is published only when its
 * first poll is through (n8n gives up on that after 84 s), and the next tick comes after a minute.
 */
const MAX_BUDGET_MS = 45_000;

/** The end of the budget, when no page is asked for any more: one may take its time, and be handed over. */
const LAST_PAGE_MS = PULL_TIMEOUT_MS + 3_000;

/** One poll of the trigger. Production polls hand over page by page; a test returns its items. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getMode() === 'manual') return await pollForTest(context, readSettings(context));
  const budgetMs = Math.min(pollBudgetMs(context), MAX_BUDGET_MS);
  const isRegistration = isFirstPoll(context) && budgetMs === MAX_BUDGET_MS;
  try {
    await pollInTurn(context, budgetMs, isRegistration);
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

/** The contexts that have polled. n8n uses one for all polls of a trigger that it has registered. */
const polled = new WeakSet<IPollFunctions>();

function isFirstPoll(context: IPollFunctions): boolean {
  const isFirst = !polled.has(context);
  polled.add(context);
  return isFirst;
}

/**
 * Whether a trigger is registered although its first poll failed. n8n never polls one again of which
 * that poll threw. So nothing is thrown when n8n starts or changes its leader, where nobody is there
 * to publish again; and at publication only what the publisher has to mend.
 */
function staysRegistered(context: IPollFunctions, error: NodeApiError | NodeOperationError) {
  if (['init', 'leadershipChange'].includes(context.getActivationMode())) return true;
  // Without a cause that n8n's back-off knows, the service said no, or is not the right one.
  const cause = error instanceof NodeApiError ? error.failure?.cause : undefined;
  return cause !== undefined && cause !== 'credential-invalid';
}

async function pollInTurn(
  context: IPollFunctions,
  budgetMs: number,
  isRegistration: boolean,
): Promise<void> {
  const settings = readSettings(context);
  const deadline = Date.now() + budgetMs - Math.min(LAST_PAGE_MS, budgetMs / 2);
  const trigger = nameTrigger(context);
  await takeTurn(trigger, async (isNewest) => {
    const goesOn = () => isNewest() && Date.now() < deadline;
    if (!goesOn()) return;
    // Inside the turn, for which n8n waits when it stops: nothing is claimed after that.
    const client = await ServiceClient.create(context);
    const held = claimEvents(context, settings, client.account);
    if (isRegistration && held) throw held;
    await pollForProduction(context, client, settings, trigger, goesOn);
  });
}

/**
 * Ends the poll that is under way, if there is one: it hands over the page that it is at and asks for
 * no other. To be waited for before n8n stops: a page whose request is in flight is gone otherwise.
 */
export async function endPoll(context: ITriggerFunctions): Promise<void> {
  const trigger = nameTrigger(context);
  await takeTurn(trigger, async () => undefined);
  release(trigger);
}

/**
 * Claims the events of the account for this trigger. Two triggers would take records from each other.
 *
 * @returns what is wrong when another one has claimed one of them
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

/** Names a trigger node in this process, whatever version of its workflow is published. */
function nameTrigger(context: Pick<FunctionsBase, 'getWorkflow' | 'getNode'>): string {
  return `${context.getWorkflow().id}/${context.getNode().id}`;
}

/** First what n8n did not take earlier, then page by page what the service has. */
async function pollForProduction(
  context: IPollFunctions,
  client: ServiceClient,
  { events, pageSize, maxRecords, itemsPerExecution }: PollSettings,
  trigger: string,
  goesOn: () => boolean,
): Promise<void> {
  const node = context.getNode();
  const failures = await forEachEvent(events, async (event) => {
    const name = `${trigger}/${event.name}`;
    const memory = new RecordMemory(context.getWorkflowStaticData('node'), event.name);
    const ledger = PageLedger.open(name, {
      memory,
      // Not the node's: with n8n's durable cursors that is rolled back when a hand-over is refused.
      store: context.getWorkflowStaticData('global'),
      key: `${node.type}/${node.id}/${event.name}`,
      save: () => saveStaticData(context),
    });
    const handOver = new HandOver(context, ledger, event, itemsPerExecution);
    for (const page of ledger.due) if (goesOn()) await handOver.give(page);
    const pages = drain(client, event, {
      pageSize: new PageSize(pageSize, name),
      maxRecords,
      goesOn: () => goesOn() && ledger.isOpen,
      memory,
    });
    for await (const page of pages) await handOver.give(ledger.arrive(page));
  });
  if (failures.length > 0) throw describeFailures(context, failures);
}

/**
 * n8n saves static data with what is handed over, even if no execution comes of that, as in an
 * unpublished workflow. Where one does, it has no items and ends at once.
 */
function saveStaticData(context: IPollFunctions): void {
  try {
    context.__emit([[]]);
  } catch {
    // Then it is saved with the next hand-over.
  }
}

/** One page of each event, or samples. */
async function pollForTest(
  context: IPollFunctions,
  { events, pageSize }: PollSettings,
): Promise<INodeExecutionData[][] | null> {
  const items: INodeExecutionData[] = [];
  if (context.getNodeParameter('testData') !== 'live') {
    for (const event of events) items.push(...toItems(event, event.samples));
    return [items];
  }
  const client = await ServiceClient.create(context);
  const failures = await forEachEvent(events, async (event) => {
    // Nothing that is pulled in a test comes again, so all of it is shown.
    const memory = new RecordMemory({}, event.name);
    let pages = 0;
    const goesOn = () => pages++ === 0;
    for await (const page of drain(client, event, {
      pageSize: new PageSize(pageSize),
      maxRecords: pageSize,
      goesOn,
      memory,
    })) {
      for (const item of toItems(event, page.fresh)) items.push(item);
    }
  });
  if (failures.length > 0) {
    const failure = describeFailures(context, failures);
    if (items.length === 0) throw failure;
    // The records of the other event are gone from the service, so they are shown all the same.
    context.logger.warn(failure.message);
  }
  return items.length === 0 ? null : [items];
}

interface Failure {
  event: EventDescription;
  error: unknown;
}

/** Works on the events side by side, so that one that fails does not hold back the other. */
async function forEachEvent(
  events: EventDescription[],
  work: (event: EventDescription) => Promise<void>,
): Promise<Failure[]> {
  const results = await Promise.allSettled(events.map(work));
  return events.flatMap((event, index) => {
    const result = results[index];
    return result?.status === 'rejected' ? [{ event, error: result.reason as unknown }] : [];
  });
}

/** One error that says of each event what stopped it. n8n's back-off goes by the first one. */
function describeFailures(context: IPollFunctions, failures: Failure[]) {
  const errors = failures.map(({ error }) => toNodeError(context.getNode(), error));
  const reasons = new Map<string, string[]>();
  errors.forEach(({ message }, index) => {
    const plural = failures[index]?.event.plural ?? '';
    reasons.set(message, [...(reasons.get(message) ?? []), plural]);
  });
  const [first] = errors as [(typeof errors)[number]];
  first.message = Array.from(
    reasons,
    ([reason, plurals]) => `${reason}, while pulling ${plurals.join(' and ')}`,
  ).join('. ');
  return first;
}

function readSettings(context: IPollFunctions): PollSettings {
  const node = context.getNode();
  const options = context.getNodeParameter('options', {}) as IDataObject;
  try {
    const pageSize = requireInteger('Pull Size', context.getNodeParameter('pullSize'));
    return {
      events: readEvents(context),
      pageSize,
      itemsPerExecution: requireInteger(
        'Items per Execution',
        options.itemsPerExecution ?? pageSize,
      ),
      maxRecords: requireInteger('Max Records per Poll', options.maxRecordsPerPoll ?? 10_000),
    };
  } catch (error) {
    throw toNodeError(node, error);
  }
}

/** An expression may give one name, or names twice. */
function readEvents(context: IPollFunctions): EventDescription[] {
  const names = [context.getNodeParameter('events', [])].flat() as unknown[];
  if (names.length === 0) {
    throw inputError(context.getNode(), "'Events' is empty", {
      description: 'Choose at least one event to start the workflow with.',
    });
  }
  return [...new Set(names)].map((name) => {
    if (typeof name === 'string' && Object.hasOwn(EVENTS, name)) return EVENTS[name as EventName];
    throw inputError(context.getNode(), `'Events' does not know ${describeValue(name)}`, {
      description: `Use ${Object.keys(EVENTS).join(' or ')}.`,
    });
  });
}
