import { readAdaptation } from '../operations/endpoint';
import { forEachItem } from '../operations/runner';
import type { BatchOperation, Resource } from '../operations/operation';
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
import { EVENTS, toItems } from './events';
import type { EventName } from './events';
import { givenAgain, pullPage, TIMEOUT_DESCRIPTION } from './pullPage';
import { RecordMemory } from './recordMemory';
import { EVENT_OPTIONS } from './triggerFields';
import { triggers } from './triggerState';

/** Limit of Pull Until Empty: new records may come as fast as they are pulled. */
export const MAX_PULLS = 1_000;

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

/** A resource that pulls the records of an event for each input item. Pulled records are gone from the service. */
export function pullResource(name: EventName): Resource {
  const event = EVENTS[name];
  const { plural, path } = event;
  const endpoint = { path };
  const count = countOption({
    label: 'Count',
    default: 100,
    description: `Max number of ${plural} to ask for in one request`,
  });
  const pull: BatchOperation = {
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
    run: (context) =>
      forEachItem(
        context,
        async ({ client, item, itemIndex, give, onHint }) => {
          const holder = triggers.holderOf(client.account, event);
          if (itemIndex === 0 && holder) {
            onHint(
              `The workflow "${holder.workflow.name}" starts with the ${plural} of this account. What is pulled here will not start it.`,
            );
          }
          const { count: pullSize } = readValues({ count }, item, '');
          const { pullUntilEmpty, timeout } = readValues(OPTIONS, item);
          const adaptation = readAdaptation(endpoint, item);
          const request = { sizeField: count.label, timeoutMs: timeout, itemIndex, adaptation };
          const memory = new RecordMemory();
          const isCancelled = () => context.getExecutionCancelSignal()?.aborted;
          let drained = beginDrain();
          for (let asked = 1; !isCancelled(); asked++) {
            const pulled = await pullPage(client, event, pullSize, { ...request, task: 'pull' });
            const sighting = memory.see(pulled);
            for (const { json } of toItems(event, sighting.fresh)) give(json);
            // A pull by hand does not wait.
            if (pulled.error) throw pulled.error;
            if (pulled.emptyBy) onHint(pulled.emptyBy, 'info');
            const sizes = { count: pullSize, maxRecords: Infinity };
            drained = next(drained, pulled, sighting, sizes);
            if (drained.isOver || !pullUntilEmpty) break;
            if (asked < MAX_PULLS) continue;
            onHint(`The pull ended after ${MAX_PULLS} pages, before it was empty.`);
            break;
          }
          if (drained.repeated === undefined) return;
          const { message, description } = givenAgain(event, drained.repeated, count.label);
          onHint(sentences(message, description));
        },
        `The pull ended early, and the output has the ${plural} before that`,
      ),
  };
  return { option: EVENT_OPTIONS[name], operations: [pull], defaultOperation: pull };
}
