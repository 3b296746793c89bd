import { UserError } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { countField } from '../../parameters/countField';
import type { ParameterReader } from '../../parameters/reader';
import { describeValue } from '../../parameters/values';

/** What a model must know before it sends. */
export const SEND_CAUTION =
  'Each message costs money and cannot be taken back. A second call with the same values sends a second message.';

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
    'One or many mainland numbers, separated by comma, semicolon, space or line break. An expression may also give an array.',
};

/** Options of both sends. Some are for the requests of a run, others for each message. */
export const sendOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  options: [
    countField(
      'Batch Size',
      'batchSize',
      100,
      'Most messages in one request. Ask your SMS provider for the limit of the service; it is not documented.',
    ),
    {
      displayName: 'Check Only',
      name: 'checkOnly',
      type: 'boolean',
      default: false,
      description:
        'Whether to check the whole run and send nothing. Each item tells whether it would be sent, to which numbers, and in how many segments: an estimate, by 70 characters, or 67 each in a longer text.',
    },
    {
      displayName: 'Duplicate Numbers',
      name: 'duplicateNumbers',
      type: 'options',
      default: 'allow',
      options: [
        {
          name: 'Allow',
          value: 'allow',
          description: 'Send a message each time a number is named',
        },
        {
          name: 'Merge',
          value: 'merge',
          description:
            'Send one message where several of this run are the same in number, text and data',
        },
      ],
      description: 'What to do when this run names the same phone number more than once',
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
        'Text that names what the item sends, for instance an order number. A key that was sent before in this workflow is skipped, also in a later execution.',
    },
    countField(
      'Max Concurrency',
      'maxConcurrency',
      4,
      'Most requests that are under way at the same time',
    ),
    countField(
      'Max Messages per Run',
      'maxMessages',
      100,
      'Number of messages that this node may send in one execution of the workflow, over all rounds of a loop. A run that would send more sends nothing.',
    ),
    {
      displayName: 'Max Retries',
      name: 'maxRetries',
      type: 'number',
      typeOptions: { minValue: 0, numberPrecision: 0 },
      default: 3,
      description:
        'How often a request is made again when the service could not be reached or asked to slow down, so that nothing was sent. No other request is repeated.',
    },
    {
      displayName: 'Phone Data',
      name: 'phoneData',
      type: 'string',
      default: '',
      description:
        'Text of yours that comes back as phone_data in the delivery report. The specification shows it in reports only, so ask your SMS provider whether sends take it.',
    },
    {
      displayName: 'Phone Number Format',
      name: 'phoneNumberFormat',
      type: 'options',
      default: 'mainlandMobile',
      options: [
        {
          name: 'Mainland Mobile',
          value: 'mainlandMobile',
          description: '11 digits that start with 13 to 19, with or without +86',
        },
        {
          name: 'Any',
          value: 'any',
          description: '5 to 20 digits, for accounts that send to other numbers too',
        },
      ],
      description: 'Which phone numbers are accepted. Any other is reported and not sent to.',
    },
    countField(
      'Timeout',
      'timeout',
      30000,
      'Milliseconds to wait for the answer to a request. Messages whose answer does not come in time are reported as unknown and not sent again.',
    ),
    {
      displayName: 'User Data',
      name: 'userData',
      type: 'string',
      default: '',
      description:
        'Text of yours that comes back as user_data in the delivery report, for instance an order number. The specification shows it in reports only, so ask your SMS provider whether sends take it.',
    },
  ],
};

/**
 * The user's own data, which comes back with delivery reports. A field that is not given is undefined, and
 * so not in the request.
 */
export function readUserData(parameters: ParameterReader, itemIndex: number) {
  const text = (displayName: string, name: string) => {
    const value = parameters.get(`options.${name}`, itemIndex, '');
    if (value === '' || value === undefined || value === null) return undefined;
    if (typeof value !== 'object') return String(value);
    throw new UserError(`'${displayName}' must be text, not ${describeValue(value)}`, {
      description: `Check the expression that fills '${displayName}': it comes back in the delivery report as it is.`,
    });
  };
  return { user_data: text('User Data', 'userData'), phone_data: text('Phone Data', 'phoneData') };
}
