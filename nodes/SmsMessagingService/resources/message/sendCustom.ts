import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Endpoint } from '../../operations/endpoint';
import type { BatchOperation } from '../../operations/operation';
import { notice } from '../../parameters/options';
import type { SendDescription } from '../../sending/run';
import { sendMessages } from '../../sending/send';
import {
  phoneNumbersField,
  readSendAdaptation,
  readSignatureId,
  readUserData,
  senderField,
  sendOptions,
} from './fields';
import { customInspector } from './inspection';

const ENDPOINT: Endpoint = { path: '/sendsms/send' };

const CONTENT: INodeProperties = {
  displayName: 'Content',
  name: 'content',
  type: 'string',
  typeOptions: { rows: 4 },
  default: '',
  required: true,
  placeholder: 'e.g. Your parcel arrives today between 14:00 and 16:00.',
  description: 'Text of the message',
};

/** Send custom SMS: free text that is reviewed by hand. Items with the same text share a request. */
export const sendCustom: BatchOperation = {
  kind: 'batch',
  option: {
    name: 'Send Custom SMS',
    value: 'sendCustom',
    action: 'Send custom SMS',
    description:
      'Message one or many phone numbers with free text, which is reviewed by hand first',
  },
  endpoint: ENDPOINT,
  repetition: 'sends',
  properties: [
    notice(
      'reviewNotice',
      'Custom texts are reviewed by hand, so they arrive late. For codes and notifications, use a template.',
    ),
    senderField('Leave it empty if your SMS provider adds one.'),
    phoneNumbersField,
    CONTENT,
  ],
  options: sendOptions,
  run: (context) => sendMessages(context, SEND),
};

const SEND: SendDescription = {
  read: (item) => ({
    shared: {
      ...readSendAdaptation(ENDPOINT, item),
      fields: {
        sms_sign_id: readSignatureId(item),
        content: item.text(CONTENT.name, CONTENT.displayName, 'required'),
        ...readUserData(item),
      },
    },
    message: (phoneNumber) => phoneNumber,
  }),
  body: (fields, messages) => ({ ...fields, phone_numbers: messages }) as IDataObject,
  inspector: customInspector,
  asked: () => ({ task: 'custom' }),
};
