import type { Resource } from '../operations/operation';
import { EVENT_OPTIONS } from '../receiving/triggerFields';
import type { EventName } from '../receiving/events';
import { pullOperation } from '../receiving/pullOperation';

/** What happened to messages. `receiving/events.ts` has the data, because the trigger returns the same records. */
function eventResource(name: EventName): Resource {
  const pull = pullOperation(name);
  return { option: EVENT_OPTIONS[name], operations: [pull], defaultOperation: pull };
}

/** Reports on the delivery of messages. */
export const deliveryReport = eventResource('deliveryReport');

/** Messages that recipients sent back. */
export const reply = eventResource('reply');
