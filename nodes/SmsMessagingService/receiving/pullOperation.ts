import { readAdaptation } from '../operations/endpoint';
import { forEachItem } from '../operations/items';
import type { ItemTask } from '../operations/items';
import type { BatchOperation } from '../operations/operation';
import {
  booleanOption,
  countOption,
  notice,
  optionProperty,
  readValues,
  timeoutOption,
} from '../parameters/options';
import { MAX_TIMEOUT_MS } from '../service/client';
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
export const MAX_PULLS = 1_000;

export function pullOperation(name: EventName): BatchOperation {
  const event = EVENTS[name];
  const { plural } = event;
  return {
    kind: 'batch',
    option: {
      name: 'Pull',
      value: 'pull',
      action: `Pull ${plural}`,
      description: `Fetch new ${plural}; the service may hand out each one only once`,
    },
    endpoint: endpointOf(event),
    repetition: 'usesUp',
    properties: [
      notice(
        'pullNotice',
        `What you pull here no longer reaches your trigger, because the service may hand out ${plural} only once. To start a workflow with them, use the trigger.`,
      ),
      optionProperty('count', countOf(event)),
    ],
    options: OPTIONS,
    run: async (context) => {
      const isCancelled = () => context.getExecutionCancelSignal()?.aborted === true;
      const output = await forEachItem(
        context,
        (task) => pullFor(task, event, isCancelled),
        `The pull ended early, and the output has the ${plural} before that`,
      );
      return [output];
    },
  };
}

const endpointOf = ({ plural, path }: EventDescription) => ({ heading: `Pull ${plural}`, path });

const countOf = ({ plural }: EventDescription) =>
  countOption({
    label: 'Count',
    default: 100,
    description: `Max number of ${plural} to ask for in one request`,
  });

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
 * Pulls for an input item. Pulled records are gone from the service.
 *
 * @throws NodeApiError, NodeOperationError or UserError. The pages before it are given
 */
async function pullFor(
  { client, item, itemIndex, give, onHint }: ItemTask,
  event: EventDescription,
  isCancelled: () => boolean,
): Promise<void> {
  const { name, plural } = event;
  const holder = triggers.holderOf(client.account, name);
  if (itemIndex === 0 && holder) {
    onHint(
      `The workflow "${holder.workflow}" starts with the ${plural} of this account. What is pulled here will not start it.`,
    );
  }
  const count = countOf(event);
  const { count: pullSize } = readValues({ count }, item, '');
  const { pullUntilEmpty, timeout } = readValues(OPTIONS, item);
  const maxPulls = pullUntilEmpty ? MAX_PULLS : 1;
  const memory = new RecordMemory();
  const request: PullRequest = {
    sizeField: count.label,
    timeoutMs: timeout,
    itemIndex,
    adaptation: readAdaptation(endpointOf(event), item),
    task: 'pull',
  };
  let drained = beginDrain();
  let asked = 0;
  for (; !drained.isOver && !isCancelled() && asked < maxPulls; asked++) {
    const pulled = await pullPage(client, event, pullSize, request);
    const sighting = memory.see(pulled);
    for (const { json } of toItems(event, sighting.fresh)) give(json);
    // A pull by hand does not wait.
    if (pulled.kind !== 'page') throw pulled.error;
    if (pulled.emptyBy) onHint(pulled.emptyBy, 'info');
    drained = next(drained, pulled, sighting, { count: pullSize, maxRecords: Infinity });
  }
  const hint = describeEnd(drained, asked, event, count.label);
  if (hint) onHint(hint);
}

function describeEnd(
  { repeated, isOver }: Drained,
  asked: number,
  event: EventDescription,
  sizeField: string,
): string | undefined {
  if (repeated !== undefined) {
    const { message, description } = givenAgain(event, repeated, sizeField);
    return sentences(message, description);
  }
  if (isOver || asked < MAX_PULLS) return undefined;
  return `The pull ended after ${MAX_PULLS} pages, before it was empty.`;
}
