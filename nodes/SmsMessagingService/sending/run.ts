import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { MAX_INVALID, parsePhoneNumbers, PHONE_NUMBERS } from '../parameters/phoneNumbers';
import type { ParsedPhoneNumbers } from '../parameters/phoneNumbers';
import { ItemReader, ParameterReader } from '../parameters/reader';
import type { Asked } from '../service/advice';
import { ServiceClient } from '../service/client';
import { MessageLimit } from './messageLimit';
import { DEFAULT_OPTIONS, ITEM_OPTIONS, readOptions } from './options';
import type { SendOptions } from './options';
import type { News, SharedFields } from './outcome';
import { Plan } from './plan';
import type { ItemReading, ItemRequest } from './plan';

export interface SendDescription {
  /** Reads what one item asks for. Throws a UserError for an item that cannot be sent. */
  read: (item: ItemReader) => ItemRequest;
  body: (fields: SharedFields['fields'], messages: unknown[]) => IDataObject;
  /** For a check: returns a function that compares a message with the service's records. */
  inspector: (client: ServiceClient) => Inspect;
  /** How advice speaks of a request with these shared fields. */
  asked: (fields: SharedFields['fields']) => Asked;
}

/** Inspects a message, given the fields that all messages of its request share. Sends nothing. */
export type Inspect = (fields: SharedFields['fields'], message: unknown) => Promise<Inspection>;

export interface Inspection {
  /** The text as the recipient gets it, with the signature before it. Undefined if it is not known. */
  text?: string;
  problem?: string;
  /** What the user must look at, or what could not be found out. */
  warnings: string[];
}

/** What n8n's setting "On Error" says to do with failed items. */
export type OnError = 'stop' | 'continueRegularOutput' | 'continueErrorOutput';

export interface SendRun {
  context: IExecuteFunctions;
  description: SendDescription;
  options: SendOptions;
  plan: Plan;
  itemCount: number;
  /** Whether 'Phone Numbers' is the same for all items, because it is no expression. */
  hasFixedNumbers: boolean;
  reading: ItemReading;
  limit: MessageLimit;
  onError: OnError;
  access: Access;
}

/** Access to the service. If it is denied, nothing is sent. */
type Access = { kind: 'granted'; client: ServiceClient } | { kind: 'denied'; news: News };

/**
 * Reads what applies to the whole run.
 *
 * @throws NodeOperationError if the options or the credential cannot be used and the node stops on errors.
 * With the other settings, the access is denied.
 */
export async function prepareRun(
  context: IExecuteFunctions,
  description: SendDescription,
): Promise<SendRun> {
  const isContinuing = context.continueOnFail();
  const isBranching = context.getNode().onError === 'continueErrorOutput';
  const goesOn = isBranching ? 'continueErrorOutput' : 'continueRegularOutput';
  const onError = isContinuing ? goesOn : 'stop';
  const parameters = new ParameterReader(context);
  const itemCount = context.getInputData().length;
  const { options, access } = await readAccess(context, parameters, onError);
  return {
    context,
    description,
    options,
    access,
    onError,
    itemCount,
    hasFixedNumbers: !parameters.parameter('phoneNumbers').isExpression,
    plan: new Plan(options),
    limit: new MessageLimit(context.getContext('node'), options.maxMessages),
    reading: readingOf(parameters, description, options),
  };
}

function readingOf(
  parameters: ParameterReader,
  description: SendDescription,
  { phoneNumberFormat }: SendOptions,
): ItemReading {
  const read = (value: unknown) => requireNumbers(parsePhoneNumbers(value, phoneNumberFormat));
  return {
    phoneNumbers: (itemIndex) =>
      new ItemReader(parameters, itemIndex).value('phoneNumbers', { label: PHONE_NUMBERS, read }),
    request: (itemIndex) => {
      const item = new ItemReader(parameters, itemIndex);
      const request = description.read(item);
      const { label } = ITEM_OPTIONS.idempotencyKey;
      const idempotencyKey = item.key('options.idempotencyKey', label);
      // Few items have warnings, and the plan keeps them to the end.
      const warnings = item.warnings.length > 0 ? item.warnings : undefined;
      return { ...request, idempotencyKey, warnings };
    },
  };
}

/** @throws UserError for a value that has no phone number, or too much else */
function requireNumbers(numbers: ParsedPhoneNumbers): ParsedPhoneNumbers {
  const { valid, invalid, isNotAList } = numbers;
  if (isNotAList) {
    const number = MAX_INVALID.toLocaleString('en');
    throw new UserError(
      `'${PHONE_NUMBERS}' has more than ${number} texts that are no phone numbers`,
      {
        description: `Check what fills '${PHONE_NUMBERS}': it must give phone numbers only.`,
      },
    );
  }
  if (valid.length + invalid.length > 0) return numbers;
  throw new UserError(`'${PHONE_NUMBERS}' is empty`, {
    description: 'Give at least one phone number, or take such items out before this node.',
  });
}

async function readAccess(
  context: IExecuteFunctions,
  parameters: ParameterReader,
  onError: OnError,
): Promise<Pick<SendRun, 'options' | 'access'>> {
  try {
    const options = await readOptions(parameters, context.getInputData().length);
    const client = await ServiceClient.create(context);
    return { options, access: { kind: 'granted', client } };
  } catch (error) {
    const problem = toNodeError(context.getNode(), error);
    if (onError === 'stop') throw problem;
    const { message, description } = problem;
    const news: News = { happening: 'heldBack', msg: message, advice: description ?? undefined };
    return { options: DEFAULT_OPTIONS, access: { kind: 'denied', news } };
  }
}
