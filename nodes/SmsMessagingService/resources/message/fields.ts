import { UserError } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { readAdaptation } from '../../operations/endpoint';
import type { Adaptation, Endpoint } from '../../operations/endpoint';
import { countField } from '../../parameters/countField';
import type { ParameterReader } from '../../parameters/reader';
import { ABOUT, locatorValue, signatureLocator } from '../../parameters/locators';
import { describeValue, requireId } from '../../parameters/values';
import { LONG_SEGMENT, SINGLE_SEGMENT } from '../../sending/check';
import { DEFAULT_OPTIONS, LABELS } from '../../sending/options';

/** What a model must know before it sends. */
export const SEND_CAUTION =
  'Each message costs money and cannot be taken back. A second call with the same values sends a second message.';

/**
 * The signature of a send, which may stay empty.
 *
 * @param whenEmpty when to leave it empty, as a sentence
 */
export function senderField(whenEmpty: string): INodeProperties {
  const description = `${ABOUT.signature}. Choose it from the list, or enter its ID. ${whenEmpty}`;
  const field = { ...signatureLocator, description };
  delete field.required;
  return field;
}

/**
 * The ID of the chosen signature. Undefined where none is chosen, so that it is not in the request.
 *
 * @throws UserError where an expression gives no ID
 */
export function readSignatureId(parameters: ParameterReader, itemIndex: number) {
  const value = locatorValue(parameters.get('signatureId', itemIndex));
  const isChosen = value !== '' && value !== undefined && value !== null;
  return isChosen || parameters.isExpression('signatureId')
    ? requireId('Signature', value)
    : undefined;
}

export const phoneNumbersField: INodeProperties = {
  displayName: 'Phone Numbers',
  name: 'phoneNumbers',
  builderHint: {
    propertyHint:
      "Text with one or many mobile numbers of 11 digits, or an expression that gives such a text or an array. Never make up a number: it may be a stranger's, and the message costs money.",
  },
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. 13800138000, 13900139000',
  description:
    'Numbers of the recipients, separated by comma, semicolon, space or line break. An expression may also give an array.',
};

/**
 * The options as they were saved. n8n keeps of a collection only the fields that it knows, so it would
 * drop one expression that gives them all, without a word. Stands behind the collection, whose value it
 * repeats, and is not shown.
 */
const savedOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'hidden',
  default: {},
  description: 'The options as they were saved',
};

/** Options of both sends. Some are for the requests of a run, others for each message. */
const optionsField: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  options: [
    countField(
      LABELS.batchSize,
      'batchSize',
      DEFAULT_OPTIONS.batchSize,
      'Max number of messages in one request. The limit of the service is not documented; ask your SMS provider.',
    ),
    {
      displayName: LABELS.checkOnly,
      name: 'checkOnly',
      type: 'boolean',
      default: false,
      description: `Whether to check the whole run and send nothing. Each item says what would be refused, and an estimate of its segments: ${SINGLE_SEGMENT} characters, or ${LONG_SEGMENT} each in a longer text.`,
    },
    {
      displayName: LABELS.duplicateNumbers,
      name: 'duplicateNumbers',
      type: 'options',
      default: 'allow',
      options: [
        {
          name: 'Allow',
          value: 'allow',
          description: 'Send every message, also several to the same number',
        },
        {
          name: 'Merge',
          value: 'merge',
          description: 'Send one message instead of several with the same number, text and data',
        },
      ],
      description: 'What to do when the same phone number comes more than once in a run',
    },
    {
      displayName: 'Idempotency Key',
      name: 'idempotencyKey',
      builderHint: {
        propertyHint:
          'An expression that gives each item a key of its own, such as an order number with the purpose of the message. Set it wherever the same message could be asked for twice.',
      },
      type: 'string',
      default: '',
      placeholder: 'e.g. {{ $json.orderId }}',
      description:
        'Text that names what the item sends, such as an order number. An item whose key was used before in this workflow is skipped, also in a later execution.',
    },
    countField(
      LABELS.maxConcurrency,
      'maxConcurrency',
      DEFAULT_OPTIONS.maxConcurrency,
      'Max number of requests at the same time',
    ),
    countField(
      LABELS.maxMessages,
      'maxMessages',
      100,
      'Max number of messages in one execution of the workflow, over all rounds of a loop. A run that would send more sends nothing.',
    ),
    {
      ...countField(
        LABELS.maxRetries,
        'maxRetries',
        DEFAULT_OPTIONS.maxRetries,
        'How often in a row to pause and try again when the service asks to slow down or is not reached. Then the rest of the run is not sent.',
      ),
      typeOptions: { minValue: 0, numberPrecision: 0 },
    },
    {
      displayName: 'Phone Data',
      name: 'phoneData',
      type: 'string',
      default: '',
      placeholder: 'e.g. customer-42',
      description:
        'Your own text for each phone number, which the delivery report brings back as phone_data. Ask your SMS provider whether sends accept it.',
    },
    {
      displayName: LABELS.phoneNumberFormat,
      name: 'phoneNumberFormat',
      type: 'options',
      default: 'mainlandMobile',
      options: [
        {
          name: 'Any',
          value: 'any',
          description: '5 to 20 digits, for accounts that send to other numbers too',
        },
        {
          name: 'Mainland Mobile',
          value: 'mainlandMobile',
          description: '11 digits that start with 13 to 19, with or without +86',
        },
      ],
      description: 'Which phone numbers are valid. An item with any other is rejected.',
    },
    {
      displayName: LABELS.refusedRequests,
      name: 'refusedRequests',
      type: 'options',
      default: 'reject',
      options: [
        {
          name: 'Divide',
          value: 'divide',
          description:
            'Send its messages again in halves, so that a refused one costs no other. Rests on the word of the service and on a balance that did not change.',
        },
        {
          name: 'Reject',
          value: 'reject',
          description: 'Send none of its messages again in this execution',
        },
      ],
      description: 'What to do when the service refuses a request with several messages',
    },
    countField(
      LABELS.timeout,
      'timeout',
      DEFAULT_OPTIONS.timeout,
      'Milliseconds to wait for an answer. Without an answer in time, the outcome is unknown, and the message is not sent again.',
    ),
    {
      displayName: 'User Data',
      name: 'userData',
      type: 'string',
      default: '',
      placeholder: 'e.g. order-1001',
      description:
        'Your own text, such as an order number, which the delivery report brings back as user_data. Ask your SMS provider whether sends accept it.',
    },
  ],
};

export const sendOptions = [optionsField, savedOptions];

/**
 * The user's own data, which comes back with delivery reports. A field that is not given is undefined, and
 * so not in the request. An empty text is none.
 *
 * @throws UserError where an expression gives no value, or none that can be text
 */
export function readUserData(parameters: ParameterReader, itemIndex: number) {
  const text = (displayName: string, name: string) => {
    const value = parameters.get(name, itemIndex, '');
    if (value === '') return undefined;
    const isMissing = value === undefined || value === null || Number.isNaN(value);
    if (isMissing && !parameters.isFilled(name, itemIndex, '')) return undefined;
    if (!isMissing && typeof value !== 'object') return String(value);
    throw new UserError(
      isMissing
        ? `'${displayName}' has no value for this item`
        : `'${displayName}' must be text, not ${describeValue(value)}`,
      {
        description: `Check the expression that fills '${displayName}': it comes back in the delivery report as it is. An empty text stands for none.`,
      },
    );
  };
  return {
    user_data: text('User Data', 'options.userData'),
    phone_data: text('Phone Data', 'options.phoneData'),
  };
}

/** What holds the recipients of a request. */
const RECIPIENTS = ['messages', 'phone_numbers'];

/**
 * How an item adapts a send to the SMS provider.
 *
 * @throws UserError for extra fields that would replace the messages of a request
 */
export function readSendAdaptation(
  endpoint: Endpoint,
  parameters: ParameterReader,
  itemIndex: number,
): Adaptation {
  const adaptation = readAdaptation(endpoint, parameters.forItem(itemIndex));
  const replaced = RECIPIENTS.find((name) => Object.hasOwn(adaptation.extra, name));
  if (replaced === undefined) return adaptation;
  throw new UserError(`'Extra Fields (JSON)' must not have ${replaced}`, {
    description:
      "Remove it there, and give the recipients in 'Phone Numbers'. The outcome of each number could not be told otherwise.",
  });
}
