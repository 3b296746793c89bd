import { UserError } from 'n8n-workflow';
import type { INodeProperties, INodePropertyOptions, IPollFunctions } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import {
  booleanOption,
  choiceOption,
  countOption,
  notice,
  optionProperty,
  optionsCollection,
  readValues,
  timeoutOption,
  withSavedCollections,
} from '../parameters/options';
import type { Option, ParameterSource, ValuesOf } from '../parameters/options';
import { naming, requireCollection } from '../parameters/reader';
import { requireChoice } from '../parameters/values';
import { EVENTS } from './events';
import type { EventDescription, EventName } from './events';
import { TIMEOUT_DESCRIPTION } from './pullPage';

/* The fields of the trigger: what the editor shows, and how they are read. */

export const EVENT_OPTIONS: Record<EventName, INodePropertyOptions & { value: EventName }> = {
  deliveryReport: {
    name: 'Delivery Report',
    value: 'deliveryReport',
    description: 'Whether a message arrived',
  },
  reply: { name: 'Reply', value: 'reply', description: 'Message that a recipient sent back' },
};

export const TRIGGER_ON: Option<EventDescription[]> = {
  label: 'Trigger On',
  default: [],
  field: {
    type: 'multiOptions',
    required: true,
    default: ['deliveryReport', 'reply'],
    options: Object.values(EVENT_OPTIONS),
    hint: "Each item's field 'event' is deliveryReport, reply, or unreadable; a Switch node can separate them",
  },
  read: readEvents,
};

const TEST_DATA = choiceOption({
  label: 'When Testing in the Editor',
  default: 'sample',
  choices: {
    sample: {
      name: 'Show Sample Data',
      description: 'Invented records with the fields of real ones; nothing is pulled',
    },
    live: {
      name: 'Pull Live Data',
      description: 'Real records, which the service may not hand out again',
    },
  },
  description: 'What a test of the trigger in the editor shows',
});

const DEFAULT_PULL_SIZE = 100;

/** In milliseconds. A longer one counts as this: a poll must end in time. */
export const MAX_PULL_TIMEOUT_MS = 25_000;

export const TRIGGER_OPTIONS = {
  // If the user has not added it, an execution gets a whole page, whatever the pull size.
  itemsPerExecution: countOption({
    label: 'Items per Execution',
    default: DEFAULT_PULL_SIZE,
    description:
      "Max number of records in one execution of the workflow. A larger page is divided. Not used while 'Repeat Failed Executions' is on.",
  }),
  maxRecordsPerPoll: countOption({
    label: 'Max Records per Poll',
    default: 10_000,
    description:
      'Max number of records of each event in one poll. The rest stays with the service until the next poll.',
  }),
  pullSize: countOption({
    label: 'Pull Size',
    default: DEFAULT_PULL_SIZE,
    description:
      'Max number of records in one page, which is one request. A crash of n8n costs at most one page of each event.',
  }),
  repeatFailed: booleanOption({
    label: 'Repeat Failed Executions',
    description:
      "Whether the records of a failed execution come again: first together, then each alone, with its number behind the 'page_id'. What fails alone holds up nothing.",
  }),
  timeout: timeoutOption({
    default: 15_000, // milliseconds
    description: `${TIMEOUT_DESCRIPTION} More than ${MAX_PULL_TIMEOUT_MS} counts as that.`,
  }),
};

export const TRIGGER_FIELDS: INodeProperties[] = withSavedCollections([
  notice(
    'onceNotice',
    'Publish only one trigger for each account and event: the service may hand out each record only once. To start more workflows, use Execute Sub-workflow.',
  ),
  optionProperty('events', TRIGGER_ON),
  optionProperty('testData', TEST_DATA),
  {
    ...notice(
      'liveNotice',
      'What a test pulls is shown only here: the published workflow may miss these records',
    ),
    displayOptions: { show: { testData: ['live'] } },
  },
  optionsCollection(TRIGGER_OPTIONS),
]);

const FIELDS = { events: TRIGGER_ON, testData: TEST_DATA };

export type PollSettings = ValuesOf<typeof TRIGGER_OPTIONS> & ValuesOf<typeof FIELDS>;

/** @throws NodeOperationError for a value of a field that cannot be used */
export function readSettings(context: IPollFunctions): PollSettings {
  const { itemsPerExecution, ...others } = TRIGGER_OPTIONS;
  // A ParameterReader does not do: it reads for items.
  const source: ParameterSource = {
    value: (name, { label, default: absent, read }) => {
      const raw = String(context.getNodeParameter(name, absent, { rawExpressions: true }));
      const codes = Array.from(raw.matchAll(/\{\{([^]*?)\}\}/g), ([, code]) => ({ code }));
      const evaluate = () => context.getNodeParameter(name, absent);
      const value = naming(codes, evaluate, `'${label}' cannot be evaluated: `);
      return naming(codes, () => read(value));
    },
  };
  try {
    requireCollection('options', context.getNodeParameter('options', {}, { rawExpressions: true }));
    const options = readValues(others, source);
    const timeout = Math.min(options.timeout, MAX_PULL_TIMEOUT_MS);
    const size = { itemsPerExecution: { ...itemsPerExecution, default: options.pullSize } };
    return { ...options, timeout, ...readValues(size, source), ...readValues(FIELDS, source, '') };
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

export function sizeFieldOf({ pullSize, maxRecordsPerPoll }: PollSettings): string {
  return TRIGGER_OPTIONS[maxRecordsPerPoll < pullSize ? 'maxRecordsPerPoll' : 'pullSize'].label;
}

/** An expression may give one name, or a name twice. */
function readEvents(value: unknown): EventDescription[] {
  const names = [value].flat().filter((name) => (name ?? '') !== '');
  if (names.length === 0) {
    throw new UserError(`'${TRIGGER_ON.label}' is empty`, {
      description: 'Choose at least one event to start the workflow with.',
    });
  }
  const known = Object.keys(EVENTS) as EventName[];
  return [...new Set(names)].map((name) => EVENTS[requireChoice(TRIGGER_ON.label, name, known)]);
}
