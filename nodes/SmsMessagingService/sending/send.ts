import { sleep } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { showHint } from '../n8n/olderVersions';
import { readIdempotencyKey } from '../parameters/idempotencyKey';
import type { PhoneNumberFormat } from '../parameters/phoneNumbers';
import { ParameterReader } from '../parameters/reader';
import { requireInteger } from '../parameters/values';
import type { Exchange } from '../service/answer';
import { LONGEST_TIMEOUT_MS, ServiceClient } from '../service/client';
import { Refusals } from './divide';
import { IdempotencyKeys } from './idempotencyKeys';
import { nameRun, SendLedger } from './sendLedger';
import { Outcomes } from './outcome';
import type { Batch, Outcome } from './outcome';
import { Pace } from './pace';
import { Plan } from './plan';
import type { ItemRequest, PlannedItem } from './plan';
import { settleItems } from './settle';
import type { OnError } from './settle';
import { submitBatches } from './submit';

/** How one kind of send works. */
export interface SendDescription {
  /** Path under the Base URL. */
  path: string;
  /** Reads what one item asks for. Throws a UserError for an item that cannot be sent. */
  read: (parameters: ParameterReader, itemIndex: number) => ItemRequest;
  /** Builds the request body from the shared fields and the messages. */
  body: (head: IDataObject, messages: unknown[]) => IDataObject;
}

/** Planning pauses after this time, so that the event loop can handle answers and other executions. */
const LONGEST_HOLD_MS = 20;

/**
 * Sends SMS for all input items: plan, submit, settle. Each input item gets one output item that says
 * what happened to it.
 *
 * @throws NodeOperationError or NodeApiError when an item failed and the node is set to stop on errors
 */
export async function sendMessages(
  context: IExecuteFunctions,
  { path, read, body }: SendDescription,
): Promise<INodeExecutionData[][]> {
  const onError = onErrorSetting(context);
  const itemCount = context.getInputData().length;
  const parameters = new ParameterReader(context);
  const { options, exchange, obstacle } = await prepare(context, parameters, path, onError);
  const ledger = new SendLedger(context.getContext('node'), nameRun(context));
  const keys = new IdempotencyKeys(context.helpers, context.getWorkflow().id ?? '', ledger);
  const hasKeys = parameters.isExpression('options.idempotencyKey', '');
  const pace = new Pace(context.getExecutionCancelSignal(), obstacle);
  const plan = new Plan(options);
  const outcomes = new Outcomes();
  const refusals = new Refusals();

  /** The recipients of an item that are to be sent to in this try. */
  const openOf = ({ recipients, idempotencyKey, sameKeyAs }: PlannedItem, itemIndex: number) => {
    if (sameKeyAs !== undefined) return [];
    const open = recipients.filter((recipient) => {
      const outcome = ledger.recall(recipient);
      if (outcome) outcomes.add([{ recipients: [recipient], outcome }]);
      return !outcome && !recipient.mergedInto;
    });
    if (idempotencyKey !== undefined) {
      keys.add(itemIndex, idempotencyKey, open.length, open.length < recipients.length);
    }
    return open;
  };

  async function* batches(): AsyncGenerator<Batch, void> {
    let begin = Date.now();
    for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
      const item = plan.addItem(() => {
        const key = parameters.get('options.idempotencyKey', itemIndex, '');
        return {
          ...read(parameters, itemIndex),
          idempotencyKey: readIdempotencyKey(key, hasKeys),
        };
      });
      for (const batch of plan.fill(item, openOf(item, itemIndex))) {
        yield batch;
        begin = Date.now();
      }
      if (Date.now() - begin < LONGEST_HOLD_MS) continue;
      await sleep(0);
      begin = Date.now();
    }
    yield* plan.rest();
  }

  await submitBatches(batches(), {
    ...options,
    ledger,
    keys,
    pace,
    outcomes,
    refusals,
    send: async ({ head, recipients }) => {
      const messages = recipients.map(({ message }) => message);
      return await exchange(body(head as IDataObject, messages));
    },
  });
  if (refusals.size) showHint(context, describeSize(refusals.size));
  const items = settleItems(context.getNode(), plan.items, outcomes, onError);
  const isDone = ({ json: { status } }: INodeExecutionData) =>
    status === 'accepted' || status === 'skipped';
  if (items.every(isDone)) ledger.clear();
  return [items];
}

function describeSize({ refused, accepted }: NonNullable<Refusals['size']>): string {
  return `The service refused a request with ${refused} messages, and accepted them in smaller requests. Set 'Batch Size' to ${accepted}, so that it need not refuse the first try.`;
}

const DEFAULT_OPTIONS = {
  batchSize: 100,
  mergeDuplicates: false,
  phoneNumberFormat: 'mainlandMobile' as PhoneNumberFormat,
  maxConcurrency: 4,
  maxRetries: 3,
  timeout: 30_000,
};

interface Preparation {
  options: typeof DEFAULT_OPTIONS;
  /** Makes one request with this body. */
  exchange: (body: IDataObject) => Promise<Exchange>;
  /** Why no request may be made. */
  obstacle?: Outcome;
}

/**
 * Reads what holds for the whole run. A failure here stops the run where the node is set to stop on
 * errors. Otherwise it becomes the outcome of each recipient, except those that the ledger remembers.
 */
async function prepare(
  context: IExecuteFunctions,
  parameters: ParameterReader,
  path: string,
  onError: OnError,
): Promise<Preparation> {
  try {
    const options = readOptions(parameters);
    const client = await ServiceClient.create(context);
    return {
      options,
      exchange: async (body) => await client.exchange(path, body, options.timeout),
    };
  } catch (error) {
    const problem = toNodeError(context.getNode(), error);
    if (onError === 'stop') throw problem;
    const { message, description } = problem;
    return {
      options: DEFAULT_OPTIONS,
      exchange: async () => ({ kind: 'unreachable', reason: message }),
      obstacle: { status: 'rejected', msg: message, advice: description ?? undefined },
    };
  }
}

/** The options of the run. They are read from the first item. */
function readOptions(parameters: ParameterReader): typeof DEFAULT_OPTIONS {
  const option = (name: string, fallback: unknown) =>
    parameters.get(`options.${name}`, 0, fallback);
  const { batchSize, maxConcurrency, maxRetries, timeout, phoneNumberFormat } = DEFAULT_OPTIONS;
  return {
    batchSize: requireInteger('Batch Size', option('batchSize', batchSize)),
    mergeDuplicates: option('duplicateNumbers', 'allow') === 'merge',
    phoneNumberFormat:
      option('phoneNumberFormat', phoneNumberFormat) === 'any' ? 'any' : phoneNumberFormat,
    maxConcurrency: requireInteger('Max Concurrency', option('maxConcurrency', maxConcurrency)),
    maxRetries: requireInteger('Max Retries', option('maxRetries', maxRetries), 0),
    timeout: requireInteger('Timeout', option('timeout', timeout), 1, LONGEST_TIMEOUT_MS),
  };
}

function onErrorSetting(context: IExecuteFunctions): OnError {
  if (!context.continueOnFail()) return 'stop';
  const { onError } = context.getNode();
  return onError === 'continueErrorOutput' ? onError : 'continueRegularOutput';
}
