import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { ParameterReader } from '../parameters/reader';
import type { ItemReader } from '../parameters/reader';
import type { Asked } from '../service/advice';
import { ServiceClient } from '../service/client';
import { MessageLimit } from './messageLimit';
import { DEFAULT_OPTIONS, readOptions } from './options';
import type { SendOptions } from './options';
import type { News } from './outcome';
import { Plan } from './plan';
import type { ItemRequest, SharedFields } from './plan';

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

export interface SendRun {
  context: IExecuteFunctions;
  description: SendDescription;
  options: SendOptions;
  access: Access;
  /** Whether the node stops on errors. Otherwise n8n's setting "On Error" is one of its "Continue" settings. */
  isStopping: boolean;
  itemCount: number;
  /** Whether 'Phone Numbers' is the same for all items, because it is no expression. */
  hasFixedNumbers: boolean;
  plan: Plan;
  limit: MessageLimit;
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
  const isStopping = !context.continueOnFail();
  const parameters = new ParameterReader(context);
  const itemCount = context.getInputData().length;
  let options = DEFAULT_OPTIONS;
  let access: Access;
  try {
    options = await readOptions(parameters, itemCount);
    access = { kind: 'granted', client: await ServiceClient.create(context) };
  } catch (error) {
    const problem = toNodeError(context.getNode(), error);
    if (isStopping) throw problem;
    const { message: msg, description: advice } = problem;
    access = { kind: 'denied', news: { happening: 'heldBack', msg, advice: advice ?? undefined } };
  }
  return {
    context,
    description,
    options,
    access,
    isStopping,
    itemCount,
    hasFixedNumbers: !parameters.parameter('phoneNumbers').isExpression,
    plan: new Plan(options, parameters, description.read),
    limit: new MessageLimit(context.getContext('node'), options.maxMessages),
  };
}
