import type { IDataObject, INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { ServiceClient } from '../shared/client';
import { inputError, toNodeError } from '../shared/errors';
import { requireInteger } from '../shared/values';
import { drain, PULL_TIMEOUT_MS } from './drain';
import { EVENTS, normaliseRecord } from './events';
import type { EventDescription, EventName } from './events';
import { RecordMemory } from './memory';

interface PollSettings {
  events: EventDescription[];
  pageSize: number;
  itemsPerExecution: number;
  maxRecords: number;
}

/**
 * What a poll may take at most, also where n8n allows more: n8n gives up on the first poll of a
 * published workflow after 84 s, and on any poll after 45 s with its durable scheduler.
 */
const MAX_BUDGET_MS = 60_000;

/**
 * How long to wait for an execution to end before the next page. One that takes longer (a Wait node,
 * say) has certainly started by then: n8n stores it some 20 ms after it gets the items.
 */
const HAND_OVER_GRACE_MS = 1_000;

/** Triggers that are being polled right now: n8n lets polls of one trigger overlap. */
const polling = new Set<string>();

/** One poll of the trigger. Production polls hand over page by page; a test returns its items. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const settings = readSettings(context);
  if (context.getMode() === 'manual') return await pollForTest(context, settings);

  const trigger = `${context.getWorkflow().id}/${context.getNode().id}`;
  // The poll that is under way goes on for as long as there is something; a second one beside it
  // would only put a second page at risk.
  if (polling.has(trigger)) return null;
  polling.add(trigger);
  try {
    await pollForProduction(context, settings);
  } finally {
    polling.delete(trigger);
  }
  return null;
}

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
  const drained = await drainAll(context, client, events, {
    pageSize,
    maxRecords: pageSize,
    deadline: Infinity,
    // Nothing that is pulled in a test comes again, so all of it is shown.
    store: {},
    handOver: async (page) => {
      items.push(...page);
    },
  });
  if (items.length === 0) throwFirst(context, drained);
  return items.length === 0 ? null : [items];
}

async function pollForProduction(
  context: IPollFunctions,
  { events, pageSize, itemsPerExecution, maxRecords }: PollSettings,
): Promise<void> {
  // getPollBudgetMs came with n8n 2.36; older ones let a poll run on.
  const budget = Math.min(context.getPollBudgetMs?.() ?? MAX_BUDGET_MS, MAX_BUDGET_MS);
  const started = Date.now();
  const client = await ServiceClient.create(context);
  const drained = await drainAll(context, client, events, {
    pageSize,
    maxRecords,
    // A page that is asked for at the very end still has its full time.
    deadline: started + Math.max(1, budget - PULL_TIMEOUT_MS),
    store: context.getWorkflowStaticData('node'),
    handOver: async (page) => {
      for (let start = 0; start < page.length; start += itemsPerExecution) {
        await startExecution(context, page.slice(start, start + itemsPerExecution));
      }
    },
  });
  throwFirst(context, drained);
}

interface DrainAllOptions {
  pageSize: number;
  maxRecords: number;
  deadline: number;
  /** Where what has been seen is remembered. */
  store: IDataObject;
  /** Puts a page in safety; rejects when that did not work. */
  handOver: (items: INodeExecutionData[]) => Promise<void>;
}

/** Drains the events side by side, so that one that fails does not hold back the other. */
async function drainAll(
  context: IPollFunctions,
  client: ServiceClient,
  events: EventDescription[],
  { store, handOver, ...bounds }: DrainAllOptions,
): Promise<PromiseSettledResult<void>[]> {
  return await Promise.allSettled(
    events.map(async (event) => {
      const memory = new RecordMemory(store, event.name, bounds.pageSize);
      for await (const page of drain(client, event, { ...bounds, memory })) {
        try {
          await handOver(toItems(event, page));
        } catch (error) {
          memory.forget(page);
          throw toNodeError(context.getNode(), error);
        }
      }
    }),
  );
}

/**
 * Starts one execution and waits until it is known to have started. n8n rejects when it could not,
 * for instance because the workflow is no longer published; then nothing more may be pulled.
 */
async function startExecution(context: IPollFunctions, items: INodeExecutionData[]): Promise<void> {
  const done = context.helpers.createDeferredPromise<IRun | undefined>();
  // It may still reject when nobody is waiting any more.
  done.promise.catch(() => undefined);
  context.__emit([items], undefined, done);
  await Promise.race([done.promise, sleep(HAND_OVER_GRACE_MS)]);
}

function toItems({ name }: EventDescription, records: unknown[]): INodeExecutionData[] {
  return records.map((record) => ({ json: normaliseRecord(name, record) }));
}

function throwFirst(context: IPollFunctions, results: PromiseSettledResult<void>[]): void {
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw toNodeError(context.getNode(), failed.reason);
}

function readSettings(context: IPollFunctions): PollSettings {
  const node = context.getNode();
  const names = context.getNodeParameter('events', []) as EventName[];
  if (names.length === 0) {
    throw inputError(node, "'Events' is empty", {
      description: 'Choose at least one event to start the workflow with.',
    });
  }
  const options = context.getNodeParameter('options', {}) as IDataObject;
  try {
    const pageSize = requireInteger('Pull Size', context.getNodeParameter('pullSize'));
    return {
      events: names.map((name) => EVENTS[name]),
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
