import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ServiceClient } from '../shared/client';
import { inputError } from '../shared/errors';
import { ParameterReader } from '../shared/parameters';
import { Ledger } from './ledger';
import type { Batch } from './outcome';
import { planMessages, splitIntoBatches } from './plan';
import type { ItemRequest } from './plan';
import { settleItems } from './settle';
import type { OnError } from './settle';
import { submitBatches } from './submit';

/** What tells one kind of send from another. */
export interface SendDescription {
  /** Path under the base URL, as in §4. */
  path: string;
  /** Reads what one item asks for; throws what is wrong with it. */
  read: (context: IExecuteFunctions, parameters: ParameterReader, itemIndex: number) => ItemRequest;
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
  const { batchSize, maxConcurrency, timeout } = readOptions(context);
  const client = await ServiceClient.create(context);
  const runIndex = context.getWorkflowDataProxy(0).$runIndex as number;
  const ledger = new Ledger(context.getContext('node'), runIndex);

  const plan = planMessages(context.getInputData().length, runIndex, (itemIndex) =>
    read(context, parameters, itemIndex),
  );
  const groups = [...plan.groups.values()].map((group) => withoutRemembered(group, ledger));
  await submitBatches(splitIntoBatches(groups, batchSize), {
    maxConcurrency,
    ledger,
    send: ({ head, recipients }) => {
      const messages = recipients.map(({ message }) => message);
      return client.exchange(path, body(head as IDataObject, messages), timeout);
    },
  });
  const items = settleItems(context.getNode(), plan.items, onErrorSetting(context));
  if (items.every(({ json }) => json.status === 'accepted')) ledger.clear();
  return [items];
}

/** Takes out the recipients that an earlier try has dealt with, and gives them that outcome. */
function withoutRemembered({ head, recipients }: Batch, ledger: Ledger): Batch {
  return {
    head,
    recipients: recipients.filter((recipient) => {
      recipient.outcome = ledger.recall(recipient);
      return recipient.outcome === undefined;
    }),
  };
}

function readOptions(context: IExecuteFunctions) {
  const options = context.getNodeParameter('options', 0, {}) as IDataObject;
  const wholeNumber = (name: string, displayName: string, fallback: number) => {
    const value = options[name] ?? fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
    throw inputError(context.getNode(), `'${displayName}' must be a whole number of 1 or more`, {
      description: 'Change it under Options.',
    });
  };
  return {
    batchSize: wholeNumber('batchSize', 'Batch Size', 100),
    maxConcurrency: wholeNumber('maxConcurrency', 'Max Concurrency', 4),
    timeout: wholeNumber('timeout', 'Timeout', 30_000),
  };
}

function onErrorSetting(context: IExecuteFunctions): OnError {
  if (!context.continueOnFail()) return 'stop';
  const { onError } = context.getNode();
  return onError === 'continueErrorOutput' ? onError : 'continueRegularOutput';
}
