import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { failedItemFor, showHint } from '../n8n/output';
import { readAdaptation } from '../operations/endpoint';
import type { Endpoint } from '../operations/endpoint';
import type { BatchOperation } from '../operations/operation';
import {
  booleanOption,
  countOption,
  notice,
  optionProperty,
  readValues,
  timeoutOption,
} from '../parameters/options';
import type { Option } from '../parameters/options';
import { ParameterReader } from '../parameters/reader';
import { MAX_TIMEOUT_MS, ServiceClient } from '../service/client';
import { sentences } from '../service/sentences';
import { beginDrain, next } from './drain';
import type { Drained } from './drain';
import { EVENTS, toItems } from './events';
import type { EventDescription, EventName } from './events';
import { givenAgain, pullPage, TIMEOUT_DESCRIPTION } from './pullPage';
import type { PullRequest } from './pullPage';
import { RecordMemory } from './recordMemory';
import { triggers } from './triggerState';

/** Limit of Pull Until Empty: new records may come as fast as they are pulled. */
export const MAX_PAGES = 1_000;

/** An event to pull, from where, and how many records at a time. */
interface PullDescription {
  event: EventDescription;
  endpoint: Endpoint;
  count: Option<number>;
}

/** The operation Pull of delivery reports or replies. */
export function pullOperation(name: EventName): BatchOperation {
  const event = EVENTS[name];
  const { plural, path } = event;
  const endpoint: Endpoint = { heading: `Pull ${plural}`, path, source: 'documented' };
  const count = countOption({
    label: 'Count',
    default: 100,
    description: `Max number of ${plural} to ask for in one request`,
  });
  return {
    kind: 'batch',
    option: {
      name: 'Pull',
      value: 'pull',
      action: `Pull ${plural}`,
      description: `Fetch new ${plural}; the service may hand out each one only once`,
    },
    endpoint,
    repetition: 'usesUp',
    properties: [
      notice(
        'pullNotice',
        `What you pull here no longer reaches your trigger, because the service may hand out ${plural} only once. To start a workflow with them, use the trigger.`,
      ),
      optionProperty('count', count),
    ],
    options: OPTIONS,
    run: (context) => runPull(context, { event, endpoint, count }),
  };
}

const OPTIONS = {
  pullUntilEmpty: booleanOption({
    label: 'Pull Until Empty',
    description: 'Whether to repeat the request until the service has no more',
  }),
  timeout: timeoutOption({
    default: 60_000, // milliseconds
    max: MAX_TIMEOUT_MS,
    description: TIMEOUT_DESCRIPTION,
  }),
};

/**
 * Pulls for each input item. Pulled records are gone from the service, so nothing throws once there are
 * records: a hint says what stopped the pull.
 */
async function runPull(
  context: IExecuteFunctions,
  description: PullDescription,
): Promise<INodeExecutionData[][]> {
  const node = context.getNode();
  const output: INodeExecutionData[] = [];
  const failedItems: INodeExecutionData[] = [];
  const pull = new Pull(context, description, output);
  for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
    try {
      await pull.forItem(itemIndex);
    } catch (cause) {
      const error = toNodeError(node, cause, itemIndex);
      if (!context.continueOnFail()) {
        if (output.length === 0) throw error;
        const end = `The pull ended early, and the output has the ${description.event.plural} before that`;
        showHint(context, sentences(end, error.message, error.description ?? ''));
        break;
      }
      failedItems.push(failedItemFor(node, error, itemIndex));
    }
  }
  // Instead of the empty item that n8n would make.
  const isEmpty = output.length + failedItems.length === 0;
  if (isEmpty && pull.emptyBy && node.alwaysOutputData) return [[pull.emptyBy]];
  // Failed items come last. If the first item has failed, n8n runs a node with Retry On Fail again, and
  // would throw the records away.
  return [[...output, ...failedItems]];
}

/** The pulls of one run of the node. They share a client. */
class Pull {
  private readonly parameters: ParameterReader;

  private client?: ServiceClient;

  /** What the service said where its refusal was taken for an empty queue. */
  emptyBy?: INodeExecutionData;

  /** @param output gets the items, page by page */
  constructor(
    private readonly context: IExecuteFunctions,
    private readonly description: PullDescription,
    private readonly output: INodeExecutionData[],
  ) {
    this.parameters = new ParameterReader(context);
  }

  /** @throws NodeApiError, NodeOperationError or UserError. The pages before it are in the output. */
  async forItem(itemIndex: number): Promise<void> {
    const { context, parameters } = this;
    const { event, endpoint, count } = this.description;
    // Created here, so that each item fails if the credential cannot be used.
    const client = (this.client ??= await ServiceClient.create(context));
    if (itemIndex === 0) this.warnOfTrigger(client);
    const item = parameters.forItem(itemIndex);
    const { count: pullSize } = readValues({ count }, item, '');
    const { pullUntilEmpty, timeout } = readValues(OPTIONS, item);
    const maxPages = pullUntilEmpty ? MAX_PAGES : 1;
    const memory = new RecordMemory();
    let asked = 0;
    const request: PullRequest = {
      sizeField: count.label,
      timeoutMs: timeout,
      itemIndex,
      adaptation: readAdaptation(endpoint, item),
      task: 'pull',
    };
    let drained = beginDrain();
    while (!drained.isOver) {
      if (context.getExecutionCancelSignal()?.aborted || asked++ >= maxPages) break;
      const pulled = await pullPage(client, event, pullSize, request);
      const sighting = memory.see(pulled);
      for (const { json } of toItems(event, sighting.fresh)) {
        this.output.push({ json, pairedItem: { item: itemIndex } });
      }
      // A pull by hand does not wait.
      if (pulled.kind !== 'page') throw pulled.error;
      if (pulled.emptyBy) {
        showHint(context, pulled.emptyBy.reason, 'info');
        this.emptyBy = { json: pulled.emptyBy.said, pairedItem: { item: itemIndex } };
      }
      drained = next(drained, pulled, sighting, { count: pullSize, maxRecords: Infinity });
    }
    this.tell(drained, asked);
  }

  private tell({ repeated }: Drained, asked: number): void {
    const { event, count } = this.description;
    if (repeated !== undefined) {
      const { message, description } = givenAgain(event, repeated, count.label);
      showHint(this.context, sentences(message, description));
    }
    if (asked > MAX_PAGES) {
      showHint(this.context, `The pull ended after ${MAX_PAGES} pages, before it was empty.`);
    }
  }

  private warnOfTrigger({ account }: ServiceClient): void {
    const { plural, name } = this.description.event;
    const holder = triggers.holderOf(account, name);
    if (holder === undefined) return;
    showHint(
      this.context,
      `The workflow "${holder.workflow}" starts with the ${plural} of this account. What is pulled here will not start it.`,
    );
  }
}
