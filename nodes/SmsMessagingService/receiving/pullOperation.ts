import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { failedItemOf } from '../n8n/failedItem';
import { showHint } from '../n8n/hints';
import { documented, endpointAdvice, readAdaptation } from '../operations/endpoint';
import type { Endpoint } from '../operations/endpoint';
import type { BatchOperation } from '../operations/operation';
import { countField } from '../parameters/countField';
import { ParameterReader } from '../parameters/reader';
import { requireInteger } from '../parameters/values';
import { ServiceClient } from '../service/client';
import { sentences } from '../service/sentences';
import { drain } from './drain';
import { EVENTS } from './events';
import type { EventDescription, EventName } from './events';
import { toItems } from './items';
import { RecordMemory } from './recordMemory';
import { triggers } from './triggerState';

/** New records may come as fast as they are pulled, so Pull Until Empty needs an end. */
export const MAX_PAGES = 1_000;

/** The operation Pull of delivery reports or replies. */
export function pullOperation(name: EventName): BatchOperation {
  const event = EVENTS[name];
  const endpoint = documented(event.path);
  return {
    kind: 'batch',
    option: {
      name: 'Pull',
      value: 'pull',
      action: `Pull ${event.plural}`,
      description: `Fetch new ${event.plural}; the service may hand out each one only once`,
    },
    endpoint,
    caution: `What is pulled may be gone from the service, for a trigger too. To start a workflow with ${event.plural}, use the SMS Messaging Service Trigger instead.`,
    properties: [
      {
        displayName: `The service may hand out ${event.plural} only once. To start a workflow with them, use the trigger instead.`,
        name: 'pullNotice',
        type: 'notice',
        default: '',
      },
      countField('Count', 'count', 100, `Max number of ${event.plural} to ask for in one request`),
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          {
            displayName: 'Pull Until Empty',
            name: 'pullUntilEmpty',
            type: 'boolean',
            default: false,
            description: 'Whether to repeat the request until the service has no more',
          },
        ],
      },
    ],
    run: (context) => runPull(context, event, endpoint),
  };
}

/**
 * Pulls for each input item. Pulled records are gone from the service, so nothing throws once there are
 * records: a hint beside them says what stopped the pull.
 */
async function runPull(
  context: IExecuteFunctions,
  event: EventDescription,
  endpoint: Endpoint,
): Promise<INodeExecutionData[][]> {
  const node = context.getNode();
  const output: INodeExecutionData[] = [];
  const failures: INodeExecutionData[] = [];
  const pull = new Pull(context, event, endpoint, output);
  for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
    try {
      await pull.forItem(itemIndex);
    } catch (cause) {
      const error = toNodeError(node, cause, itemIndex);
      if (!context.continueOnFail()) {
        if (output.length === 0) throw error;
        const end = `The pull ended early, and the output has the ${event.plural} before that`;
        showHint(context, sentences(end, error.message, error.description ?? ''));
        break;
      }
      failures.push(failedItemOf(node, error, itemIndex));
    }
  }
  // Failures come last: n8n runs a node with Retry On Fail again when its first item is a failure, and
  // would throw the records away.
  return [[...output, ...failures]];
}

/** The pulls of one run of the node. They share a client. */
class Pull {
  private readonly parameters: ParameterReader;

  private client?: ServiceClient;

  /** @param output gets the items, page by page */
  constructor(
    private readonly context: IExecuteFunctions,
    private readonly event: EventDescription,
    private readonly endpoint: Endpoint,
    private readonly output: INodeExecutionData[],
  ) {
    this.parameters = new ParameterReader(context);
  }

  /** @throws NodeApiError, NodeOperationError or UserError. The pages before it are in the output. */
  async forItem(itemIndex: number): Promise<void> {
    const { context, event, endpoint, parameters } = this;
    // Here, so that a credential that cannot be used is a failure of each item.
    const client = (this.client ??= await ServiceClient.create(context));
    if (itemIndex === 0) this.warnOfTrigger(client);
    const pullSize = requireInteger('Count', parameters.get('count', itemIndex));
    const options = parameters.get('options', itemIndex, {}) as IDataObject;
    const maxPages = options.pullUntilEmpty === true ? MAX_PAGES : 1;
    const memory = new RecordMemory();
    let pulled = 0;
    const pages = drain(client, event, {
      pullSize,
      sizeField: 'Count',
      maxRecords: Infinity,
      shouldContinue: () => !context.getExecutionCancelSignal()?.aborted && pulled < maxPages,
      memory,
      onCeiling: (count) => showHint(context, givenAgain(event, count)),
      itemIndex,
      adaptation: readAdaptation(endpoint, parameters.forItem(itemIndex)),
      advice: endpointAdvice(endpoint),
    });
    for await (const page of pages) {
      pulled += 1;
      memory.mark(page);
      this.add(page.fresh, itemIndex);
    }
    if (pulled === MAX_PAGES) {
      showHint(context, `The pull ended after ${MAX_PAGES} pages, before it was empty.`);
    }
  }

  private add(records: unknown[], item: number): void {
    for (const { json } of toItems(this.event, records)) {
      this.output.push({ json, pairedItem: { item } });
    }
  }

  private warnOfTrigger({ account }: ServiceClient): void {
    const { plural, name } = this.event;
    const holder = triggers.holderOf(account, name);
    if (holder === undefined) return;
    showHint(
      this.context,
      `The workflow "${holder.workflow}" starts with the ${plural} of this account. What is pulled here will not start it.`,
    );
  }
}

/** The service does not consume: the next page was the same. */
function givenAgain({ plural }: EventDescription, count: number): string {
  return `The service gave the same ${count} ${plural} again, so it does not take them out of its queue. To see what stands behind them, increase 'Count'.`;
}
