import type { IPollFunctions } from 'n8n-workflow';
import type { ServiceClient } from '../service/client';
import { drain } from './drain';
import { forEachEvent } from './eachEvent';
import { HandOver } from './handOver';
import { PageLedger } from './pageLedger';
import { newLearnt } from './drainStep';
import type { Learnt } from './drainStep';
import { Pace } from './pace';
import type { PollSettings } from './pollSettings';
import { RecordMemory } from './recordMemory';

/** By trigger and event, what was learnt of sizes. */
const learnt = new Map<string, Learnt>();

/** By trigger, how fast its service may be asked. */
const paces = new Map<string, Pace>();

function kept<T>(map: Map<string, T>, name: string, create: () => T): T {
  const value = map.get(name) ?? create();
  map.set(name, value);
  return value;
}

/**
 * Hands over the left-overs of earlier polls, then page by page what the service has.
 *
 * @param trigger identifies the trigger in this process
 * @param goesOn asked before each page
 * @throws NodeApiError or NodeOperationError with all that went wrong
 */
export async function pollForProduction(
  context: IPollFunctions,
  client: ServiceClient,
  { events, pageSize, maxRecords, itemsPerExecution }: PollSettings,
  trigger: string,
  goesOn: () => boolean,
): Promise<void> {
  const node = context.getNode();
  const failure = await forEachEvent(node, events, async (event) => {
    const name = `${trigger}/${event.name}`;
    const memory = new RecordMemory(context.getWorkflowStaticData('node'), event.name);
    const ledger = PageLedger.open(name, {
      memory,
      // Not the node's static data: n8n's durable cursors roll it back when a hand-over is refused.
      store: context.getWorkflowStaticData('global'),
      key: `${node.type}/${node.id}/${event.name}`,
      save: () => saveStaticData(context),
    });
    const handOver = new HandOver(context, ledger, event, itemsPerExecution);
    for (const page of ledger.due) if (goesOn()) await handOver.give(page);
    const pages = drain(client, event, {
      pullSize: pageSize,
      learnt: kept(learnt, name, newLearnt),
      pace: kept(paces, trigger, () => new Pace()),
      sizeField: 'Pull Size',
      maxRecords,
      goesOn: () => goesOn() && ledger.isOpen,
      memory,
    });
    for await (const page of pages) await handOver.give(ledger.arrive(page));
  });
  if (failure) throw failure;
}

/**
 * Has n8n save static data: it does so with everything that is handed over, even if no execution comes
 * of it, as in an unpublished workflow. If an execution comes of it, it has no items and ends at once.
 */
function saveStaticData(context: IPollFunctions): void {
  try {
    context.__emit([[]]);
  } catch {
    // Then it is saved with the next hand-over.
  }
}
