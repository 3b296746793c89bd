import type { INodeProperties } from 'n8n-workflow';

export const phoneNumbersField: INodeProperties = {
  displayName: 'Phone Numbers',
  name: 'phoneNumbers',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. 13800138000, 13900139000',
  description:
    'One or many mainland numbers, separated by comma, semicolon, space or line break. An expression may also give an array.',
};

/** Options of both sends; the first three are about requests, the others about the messages. */
export const sendOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  options: [
    {
      displayName: 'Batch Size',
      name: 'batchSize',
      type: 'number',
      typeOptions: { minValue: 1, numberPrecision: 0 },
      default: 100,
      description:
        'Most messages in one request. Ask the operator for the limit of the service; it is not documented.',
    },
    {
      displayName: 'Max Concurrency',
      name: 'maxConcurrency',
      type: 'number',
      typeOptions: { minValue: 1, numberPrecision: 0 },
      default: 4,
      description: 'Most requests that are under way at the same time',
    },
    {
      displayName: 'Phone Data',
      name: 'phoneData',
      type: 'string',
      default: '',
      description:
        'Text of yours that comes back as phone_data in the delivery report. The specification shows it in reports only, so ask the operator whether sends take it.',
    },
    {
      displayName: 'Timeout',
      name: 'timeout',
      type: 'number',
      typeOptions: { minValue: 1, numberPrecision: 0 },
      default: 30000,
      description:
        'Milliseconds to wait for the answer to a request. Messages whose answer does not come in time are reported as unknown and not sent again.',
    },
    {
      displayName: 'User Data',
      name: 'userData',
      type: 'string',
      default: '',
      description:
        'Text of yours that comes back as user_data in the delivery report, for instance an order number. The specification shows it in reports only, so ask the operator whether sends take it.',
    },
  ],
};
