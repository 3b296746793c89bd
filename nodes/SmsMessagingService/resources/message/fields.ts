import { UserError } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { EXTRA_FIELDS, readAdaptation } from '../../operations/endpoint';
import type { Adaptation, Endpoint } from '../../operations/endpoint';
import { locatorValue, requireChosen, signatureLocator } from '../../parameters/locators';
import { PHONE_NUMBERS } from '../../parameters/phoneNumbers';
import type { ParameterReader } from '../../parameters/reader';
import type { ItemTexts } from '../../parameters/texts';
import { ITEM_OPTIONS, RUN_OPTIONS } from '../../sending/options';

/** A node that only checks must not look as if it sent. The canvas cuts off the end of a long subtitle. */
export const SUBTITLE_PREFIX = `raw.options?.checkOnly === true ? ${JSON.stringify(`${RUN_OPTIONS.checkOnly.label}: `)} : ""`;

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

/**
 * The ID of the chosen signature. Undefined, and so not in the request, if none is chosen.
 *
 * @throws UserError if an expression gives no ID
 */
export function readSignatureId(parameters: ParameterReader, itemIndex: number) {
  const value = locatorValue(parameters.get('signatureId', itemIndex));
  const isChosen = value !== '' && value !== undefined && value !== null;
  return isChosen || parameters.isExpression('signatureId')
    ? requireChosen(signatureLocator, value)
    : undefined;
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

/**
 * The user's own data, which comes back in delivery reports.
 *
 * @throws UserError if an expression gives no value, or one that cannot be text
 */
export function readUserData(texts: ItemTexts) {
  return {
    user_data: texts.optional(ITEM_OPTIONS, 'userData'),
    phone_data: texts.optional(ITEM_OPTIONS, 'phoneData'),
  };
}

/** The request fields that hold the recipients. */
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
  throw new UserError(`'${EXTRA_FIELDS.label}' must not have ${replaced}`, {
    description: `Remove it there, and give the recipients in '${PHONE_NUMBERS}'. The outcome of each number could not be told otherwise.`,
  });
}
