import { UserError } from 'n8n-workflow';
import { Breather } from '../n8n/breather';
import {
  booleanOption,
  choiceOption,
  countOption,
  readValues,
  textOption,
  timeoutOption,
} from '../parameters/options';
import type { Option, ValuesOf } from '../parameters/options';
import { PHONE_NUMBER_FORMAT } from '../parameters/phoneNumbers';
import { ItemReader } from '../parameters/reader';
import type { ParameterReader } from '../parameters/reader';
import { MAX_TIMEOUT_MS } from '../service/client';
import { LONG_SEGMENT, SINGLE_SEGMENT } from './text';

export const RUN_OPTIONS = {
  batchSize: countOption({
    label: 'Batch Size',
    default: 100,
    description:
      'Max number of messages in one request. The limit of the service is not documented; ask your SMS provider.',
  }),
  checkOnly: booleanOption({
    label: 'Check Only',
    description: `Whether to check all items and send nothing. Each says what would be refused, and an estimate of its segments: ${SINGLE_SEGMENT} characters, or ${LONG_SEGMENT} each in a longer text.`,
  }),
  duplicateNumbers: choiceOption({
    label: 'Duplicate Numbers',
    default: 'allow',
    choices: {
      allow: {
        name: 'Allow',
        description: 'Send every message, also several to the same number',
      },
      merge: {
        name: 'Merge',
        description: 'Send one message instead of several with the same number, text and data',
      },
    },
    description: 'What to do when the same phone number comes more than once in a run',
  }),
  maxConcurrency: countOption({
    label: 'Max Concurrency',
    default: 4,
    description: 'Max number of requests at the same time',
  }),
  maxMessages: countOption({
    label: 'Max Messages per Run',
    default: Infinity, // no limit
    shown: 100,
    description:
      'Max number of messages in one execution of the workflow, over all rounds of a loop. A run that would send more sends nothing.',
  }),
  maxPerNumberAndDay: countOption({
    label: 'Max per Number and Day',
    default: Infinity, // no limit
    shown: 5,
    description:
      "Max number of messages to one phone number in a day of the workflow's time zone, over all executions of this workflow. What is over it is rejected. Set it where people outside can set a send off, such as with an order or a reply.",
  }),
  maxRetries: countOption({
    label: 'Max Retries',
    default: 3,
    min: 0,
    description:
      'How often in a row to pause and try again when the service asks to slow down or is not reached. Then the rest of the run is not sent.',
  }),
  phoneNumberFormat: choiceOption({
    label: PHONE_NUMBER_FORMAT,
    default: 'mainlandMobile',
    choices: {
      mainlandMobile: {
        name: 'Mainland Mobile',
        description: '11 digits that start with 13 to 19, with or without +86',
      },
      any: {
        name: 'Any',
        description: '5 to 20 digits, for accounts that send to other numbers too',
      },
    },
    description: 'Which phone numbers are valid. An item with any other is refused.',
  }),
  timeout: timeoutOption({
    default: 30_000,
    max: MAX_TIMEOUT_MS,
    description:
      'Milliseconds to wait for an answer. Without an answer in time, the outcome is unknown, and the message is not sent again.',
  }),
};

/** The options of a send that each item has for its own messages. */
export const ITEM_OPTIONS = {
  idempotencyKey: textOption({
    label: 'Idempotency Key',
    builderHint: {
      propertyHint:
        'An expression that gives each item a key of its own, such as an order number with the purpose of the message. Set it wherever the same message could be asked for twice.',
    },
    placeholder: 'e.g. {{ $json.orderId }}',
    description:
      'Text that names what the item sends, such as an order number. An item whose key was used before in this workflow is skipped, also in a later execution.',
  }),
  phoneData: textOption({
    label: 'Phone Data',
    placeholder: 'e.g. customer-42',
    description:
      'Your own text for each phone number, which the delivery report returns as phone_data. Ask your SMS provider whether sends accept it.',
  }),
  userData: textOption({
    label: 'User Data',
    placeholder: 'e.g. order-1001',
    description:
      'Your own text, such as an order number, which the delivery report returns as user_data. Ask your SMS provider whether sends accept it.',
  }),
};

export type SendOptions = ValuesOf<typeof RUN_OPTIONS>;

export const DEFAULT_OPTIONS: SendOptions = readValues(RUN_OPTIONS, {
  value: (_, { default: absent }) => absent,
});

/**
 * Reads the options of the run.
 *
 * @throws UserError for a value that cannot be used or is not the same for all items, and for Check Only in an
 * expression: whether messages are sent must not depend on an item
 */
export async function readOptions(
  parameters: ParameterReader,
  itemCount: number,
): Promise<SendOptions> {
  if (parameters.parameter('options.checkOnly', false).isExpression) {
    throw new UserError(`'${RUN_OPTIONS.checkOnly.label}' must not be an expression`, {
      description: 'Switch it on or off for all items. Nothing was sent.',
    });
  }
  const options = readValues(RUN_OPTIONS, new ItemReader(parameters, 0));
  const breather = new Breather();
  for (const [name, option] of Object.entries<Option>(RUN_OPTIONS)) {
    const path = `options.${name}`;
    if (!parameters.parameter(path).mayDiffer) continue;
    for (let itemIndex = 1; itemIndex < itemCount; itemIndex++) {
      const value = new ItemReader(parameters, itemIndex).value(path, option);
      if (value !== options[name as keyof SendOptions]) {
        throw new UserError(`'${option.label}' must not depend on an item`, {
          description: 'Set it for all items, or use a node for each value. Nothing was sent.',
        });
      }
      if (breather.isDue) await breather.pause();
    }
  }
  return options;
}
