import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ServiceClient } from '../shared/client';
import { toNodeError } from '../shared/errors';
import { ParameterReader } from '../shared/parameters';
import { describeValue, requireInteger } from '../shared/values';
import { IdempotencyKeys } from './idempotency';
import { Ledger, nameRun } from './ledger';
import { Pace } from './pace';
import { Plan } from './plan';
import type { ItemRequest } from './plan';
import { settleItems } from './settle';
import type { OnError } from './settle';
import { submitBatches } from './submit';

/** What tells one kind of send from another. */
export interface SendDescription {
  /** Path under the base URL, as in §4. */
  path: string;
  /** Reads what one item asks for; throws what is wrong with it. */
  read: (parameters: ParameterReader, itemIndex: number) => ItemRequest;
  /** Builds the request body from the fields that the messages share, and the messages. */
  body: (head: IDataObject, messages: unknown[]) => IDataObject;
}

/**
 * Sends SMS for all input items: plan, submit, settle. Every input item gets one output item that
 * says what happened to it (§4.1, §4.2).
 */
export async function sendMessages(
  context: IExecuteFunctions,
  { path, read, body }: SendDescription,
): Promise<INodeExecutionData[][]> {
  const parameters = new ParameterReader(context);
  const options = readOptions(context, parameters);
  const client = await ServiceClient.create(context);
  const ledger = new Ledger(context.getContext('node'), nameRun(context));
  const pace = new Pace(options.maxRetries, context.getExecutionCancelSignal());

  const keys = new IdempotencyKeys(context.helpers, context.getWorkflow().id ?? '');

  const plan = new Plan({
    batchSize: options.batchSize,
    mergeDuplicates: options.duplicateNumbers === 'merge',
    read: (itemIndex) => ({
      ...read(parameters, itemIndex),
      idempotencyKey: readIdempotencyKey(parameters, itemIndex),
    }),
    prepare: ({ recipients, idempotencyKey }, itemIndex) => {
      for (const recipient of recipients) recipient.outcome = ledger.recall(recipient);
      if (idempotencyKey === undefined) return;
      const open = recipients.filter(({ outcome }) => outcome === undefined).length;
      keys.add(itemIndex, idempotencyKey, open, open < recipients.length);
    },
  });
  await submitBatches(plan.batches(context.getInputData().length), {
    maxConcurrency: options.maxConcurrency,
    ledger,
    keys,
    pace,
    send: ({ head, recipients }) => {
      const messages = recipients.map(({ message }) => message);
      return client.exchange(path, body(head as IDataObject, messages), options.timeout);
    },
  });
  pace.close();
  const items = settleItems(context.getNode(), plan.items, onErrorSetting(context));
  const isDone = ({ json: { status } }: INodeExecutionData) =>
    status === 'accepted' || status === 'skipped';
  if (items.every(isDone)) ledger.clear();
  return [items];
}

/** What holds for the run as a whole, read from the first item. */
function readOptions(context: IExecuteFunctions, parameters: ParameterReader) {
  const option = (name: string, fallback: unknown) =>
    parameters.get(`options.${name}`, 0, fallback);
  try {
    return {
      batchSize: requireInteger('Batch Size', option('batchSize', 100)),
      duplicateNumbers: option('duplicateNumbers', 'allow'),
      maxConcurrency: requireInteger('Max Concurrency', option('maxConcurrency', 4)),
      maxRetries: requireInteger('Max Retries', option('maxRetries', 3), 0),
      timeout: requireInteger('Timeout', option('timeout', 30_000)),
    };
  } catch (error) {
    throw toNodeError(context.getNode(), error);
  }
}

function readIdempotencyKey(parameters: ParameterReader, itemIndex: number): string | undefined {
  const value = parameters.get('options.idempotencyKey', itemIndex, '');
  if (value === '' || value === null || value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new UserError(`'Idempotency Key' must be text, not ${describeValue(value)}`, {
    description: "Set 'Idempotency Key', or check the expression that fills it.",
  });
}

function onErrorSetting(context: IExecuteFunctions): OnError {
  if (!context.continueOnFail()) return 'stop';
  const { onError } = context.getNode();
  return onError === 'continueErrorOutput' ? onError : 'continueRegularOutput';
}
