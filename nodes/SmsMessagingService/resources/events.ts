import type { Resource } from '../operations/operation';
import { EVENT_OPTIONS } from '../receiving/triggerFields';
import type { EventName } from '../receiving/events';
import { pullOperation } from '../receiving/pullOperation';

/** A resource that pulls events. `receiving/events.ts` describes them, because the trigger returns them too. */
function eventResource(name: EventName): Resource {
  const pull = pullOperation(name);
  return { option: EVENT_OPTIONS[name], operations: [pull], defaultOperation: pull };
}

/** Reports on the delivery of messages. */
export const deliveryReport = eventResource('deliveryReport');

/** Messages that recipients sent back. */
export const reply = eventResource('reply');
