import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import { describeValue, requireInteger } from '../parameters/values';
import { EVENTS } from './events';
import type { EventDescription, EventName } from './events';

/** What the user has set in the trigger. */
export interface PollSettings {
  events: EventDescription[];
  /** Number of records to ask for in one request. */
  pageSize: number;
  itemsPerExecution: number;
  /** Most records of each event that one poll takes. */
  maxRecords: number;
}

/** The options of the trigger as the editor names them. Errors use the same words. */
export const LABELS = {
  itemsPerExecution: 'Items per Execution',
  maxRecordsPerPoll: 'Max Records per Poll',
  pullSize: 'Pull Size',
} as const;

/** What holds without an option. An execution gets a whole page. */
export const DEFAULTS = { pullSize: 100, maxRecordsPerPoll: 10_000 };

/** @throws NodeOperationError that names the field which cannot be used */
export function readSettings(context: IPollFunctions): PollSettings {
  const options = context.getNodeParameter('options', {}) as IDataObject;
  try {
    const pageSize = requireInteger(LABELS.pullSize, options.pullSize ?? DEFAULTS.pullSize);
    return {
      events: readEvents(context),
      pageSize,
      itemsPerExecution: requireInteger(
        LABELS.itemsPerExecution,
        options.itemsPerExecution ?? pageSize,
      ),
      maxRecords: requireInteger(
        LABELS.maxRecordsPerPoll,
        options.maxRecordsPerPoll ?? DEFAULTS.maxRecordsPerPoll,
      ),
    };
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

/** An expression may give one name, or a name twice. */
function readEvents(context: IPollFunctions): EventDescription[] {
  const names = [context.getNodeParameter('events', [])].flat() as unknown[];
  if (names.length === 0) {
    throw inputError(context.getNode(), "'Trigger On' is empty", {
      description: 'Choose at least one event to start the workflow with.',
    });
  }
  return [...new Set(names)].map((name) => {
    if (typeof name === 'string' && Object.hasOwn(EVENTS, name)) return EVENTS[name as EventName];
    throw inputError(context.getNode(), `'Trigger On' does not know ${describeValue(name)}`, {
      description: `Use ${Object.keys(EVENTS).join(' or ')}.`,
    });
  });
}
