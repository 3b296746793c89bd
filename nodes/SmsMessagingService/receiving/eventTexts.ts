import type { INodePropertyOptions } from 'n8n-workflow';
import { EVENTS } from './events';
import type { EventName } from './events';

/** The events in the lists of the editor. */
export const EVENT_OPTIONS: Record<EventName, INodePropertyOptions & { value: EventName }> = {
  deliveryReport: {
    name: 'Delivery Report',
    value: 'deliveryReport',
    description: 'What became of a message that was sent',
  },
  reply: { name: 'Reply', value: 'reply', description: 'Message that a recipient sent back' },
};

const PLURALS = Object.fromEntries(Object.values(EVENTS).map(({ name, plural }) => [name, plural]));

/**
 * The expression of the trigger's subtitle on the canvas, such as "Delivery reports, replies". n8n
 * evaluates it in the editor, where this code is not. An expression may give one name instead of a list.
 */
export const EVENTS_SUBTITLE = `={{ [].concat($parameter["events"])
  .map((name) => (${JSON.stringify(PLURALS)})[name] ?? name)
  .join(", ")
  .replace(/^./, (letter) => letter.toUpperCase()) }}`;
