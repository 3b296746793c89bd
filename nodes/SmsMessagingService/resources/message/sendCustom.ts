import type { IDataObject } from 'n8n-workflow';
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
  SUBTITLE_PREFIX,
} from './fields';
import { customInspector } from './inspection';

const ENDPOINT: Endpoint = {
  heading: 'Send custom SMS',
  path: '/sendsms/send',
  source: 'documented',
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
  // The first line, unless it is an expression.
  subtitle: 'String(raw.content ?? "").trim().match(/^(?!=).{0,60}/u)?.[0]',
  subtitlePrefix: SUBTITLE_PREFIX,
  endpoint: ENDPOINT,
  repetition: 'sends',
  properties: [
    notice(
      'reviewNotice',
      'Custom texts are reviewed by hand, so they arrive late. For codes and notifications, use a template.',
    ),
    senderField('Leave it empty if your SMS provider adds one.'),
    phoneNumbersField,
    {
      displayName: 'Content',
      name: 'content',
      type: 'string',
      typeOptions: { rows: 4 },
      default: '',
      required: true,
      placeholder: 'e.g. Your parcel arrives today between 14:00 and 16:00.',
      description: 'Text of the message',
    },
    sendOptions,
  ],
  run: (context) => sendMessages(context, SEND),
};

const SEND: SendDescription = {
  read: (parameters, itemIndex, texts) => ({
    phoneNumbers: parameters.get('phoneNumbers', itemIndex),
    shared: {
      ...readSendAdaptation(ENDPOINT, parameters, itemIndex),
      fields: {
        sms_sign_id: readSignatureId(parameters, itemIndex),
        content: texts.required('content', 'Content'),
        ...readUserData(texts),
      },
    },
    message: (phoneNumber) => phoneNumber,
  }),
  body: (fields, messages) => ({ ...fields, phone_numbers: messages }) as IDataObject,
  inspector: customInspector,
  whatToCheck: ({ sms_sign_id: signatureId }) =>
    signatureId === undefined
      ? "Check 'Content' and 'Phone Numbers', and choose 'Signature' unless your SMS provider adds one."
      : `Check 'Content' and 'Phone Numbers', and whether signature ${String(signatureId)} is in this account.`,
};
