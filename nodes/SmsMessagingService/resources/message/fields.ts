import { UserError } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { EXTRA_FIELDS, readAdaptation } from '../../operations/endpoint';
import type { Adaptation, Endpoint } from '../../operations/endpoint';
import { signatureLocator } from '../../parameters/locators';
import { PHONE_NUMBERS } from '../../parameters/phoneNumbers';
import type { ItemReader } from '../../parameters/reader';
import { requireId } from '../../parameters/values';
import { ITEM_OPTIONS, RUN_OPTIONS } from '../../sending/options';

/**
 * The field for the signature of a send. It may stay empty.
 *
 * @param whenEmpty when to leave it empty, as a sentence
 */
export function senderField(whenEmpty: string): INodeProperties {
  const description = `${signatureLocator.description} ${whenEmpty}`;
  const field = { ...signatureLocator, description };
  delete field.required;
  return field;
}

/** The ID of the chosen signature. Undefined, and so not in the request, if none is chosen. */
export function readSignatureId(item: ItemReader) {
  const { name, displayName: label } = signatureLocator;
  const read = (value: unknown) => (value === '' ? undefined : requireId(label, value));
  return item.value(name, { label, read });
}

export const phoneNumbersField: INodeProperties = {
  displayName: PHONE_NUMBERS,
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
    'Numbers of the recipients, separated by comma, semicolon, space or line break: write each without spaces. An expression may also give an array.',
};

/** The options of both sends. */
export const sendOptions = { ...RUN_OPTIONS, ...ITEM_OPTIONS };

/** The user's own data, which comes back in delivery reports. */
export function readUserData(item: ItemReader) {
  const { userData, phoneData } = ITEM_OPTIONS;
  return {
    user_data: item.text('options.userData', userData.label, 'optional') || undefined,
    phone_data: item.text('options.phoneData', phoneData.label, 'optional') || undefined,
  };
}

/** The request fields that hold the recipients. */
const RECIPIENTS = ['messages', 'phone_numbers'];

/**
 * How an item adapts a send to the SMS provider.
 *
 * @throws UserError for extra fields that would replace the messages of a request
 */
export function readSendAdaptation(endpoint: Endpoint, item: ItemReader): Adaptation {
  const adaptation = readAdaptation(endpoint, item);
  const replaced = RECIPIENTS.find((name) => Object.hasOwn(adaptation.extra, name));
  if (replaced === undefined) return adaptation;
  throw new UserError(`'${EXTRA_FIELDS.label}' must not have ${replaced}`, {
    description: `Remove it there, and give the recipients in '${PHONE_NUMBERS}'. The outcome of each number could not be told otherwise.`,
  });
}
