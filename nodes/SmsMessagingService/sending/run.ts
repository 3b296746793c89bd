import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { readIdempotencyKey } from '../parameters/idempotencyKey';
import { ParameterReader } from '../parameters/reader';
import { ServiceClient, withExtraFields } from '../service/client';
import type { Inspect } from './inspect';
import { MessageLimit } from './messageLimit';
import { DEFAULT_OPTIONS, readOptions } from './options';
import type { SendOptions } from './options';
import type { Batch, Outcome } from './outcome';
import { Plan } from './plan';
import type { ItemRequest } from './plan';
import type { OnError } from './settle';

/** How one kind of send works. */
export interface SendDescription {
  /** Reads what one item asks for. Throws a UserError for an item that cannot be sent. */
  read: (parameters: ParameterReader, itemIndex: number) => ItemRequest;
  /** Builds the request body from the shared fields and the messages. */
  body: (fields: Record<string, unknown>, messages: unknown[]) => IDataObject;
  /** For Check Only: looks at a message, with what the service has on record. */
  inspector: (client: ServiceClient) => Inspect;
  /** What the user can check when the service refuses messages with these shared fields. */
  whatToCheck: (fields: Record<string, unknown>) => string;
}

/** What a run of a send and a check of it have in common. */
export interface SendRun {
  context: IExecuteFunctions;
  description: SendDescription;
  options: SendOptions;
  plan: Plan;
  itemCount: number;
  /** Reads what an item asks for. Throws a UserError for an item that cannot be sent. */
  read: (itemIndex: number) => ItemRequest;
  limit: MessageLimit;
  onError: OnError;
  /** Speaks with the service, or the outcome of all messages if that cannot be: nothing is sent then. */
  access: { kind: 'open'; client: ServiceClient } | { kind: 'closed'; outcome: Outcome };
}

/**
 * Reads what holds for the whole run.
 *
 * @throws NodeOperationError if options or credential cannot be used and the node is set to stop on errors.
 * With the other settings, that is the outcome of each message.
 */
export async function prepareRun(
  context: IExecuteFunctions,
  description: SendDescription,
): Promise<SendRun> {
  const onError = onErrorSetting(context);
  const parameters = new ParameterReader(context);
  const itemCount = context.getInputData().length;
  const { options, access } = await prepare(context, parameters, itemCount, onError);
  return {
    context,
    description,
    options,
    access,
    onError,
    itemCount,
    plan: new Plan(options),
    limit: new MessageLimit(context.getContext('node'), options.maxMessages),
    read: (itemIndex) => {
      const request = description.read(parameters, itemIndex);
      return { ...request, idempotencyKey: readIdempotencyKey(parameters, itemIndex) };
    },
  };
}

async function prepare(
  context: IExecuteFunctions,
  parameters: ParameterReader,
  itemCount: number,
  onError: OnError,
): Promise<Pick<SendRun, 'options' | 'access'>> {
  try {
    const options = await readOptions(parameters, itemCount);
    const client = await ServiceClient.create(context);
    return { options, access: { kind: 'open', client } };
  } catch (error) {
    const problem = toNodeError(context.getNode(), error);
    if (onError === 'stop') throw problem;
    const { message, description } = problem;
    const outcome: Outcome = {
      status: 'rejected',
      msg: message,
      advice: description ?? undefined,
    };
    return { options: DEFAULT_OPTIONS, access: { kind: 'closed', outcome } };
  }
}

function onErrorSetting(context: IExecuteFunctions): OnError {
  if (!context.continueOnFail()) return 'stop';
  const { onError } = context.getNode();
  return onError === 'continueErrorOutput' ? onError : 'continueRegularOutput';
}

/** The body of a request. */
export function bodyOf({ body }: SendDescription, { head, recipients }: Batch): IDataObject {
  const messages = recipients.map(({ message }) => message);
  return withExtraFields(body(head.fields, messages), head.extra);
}
