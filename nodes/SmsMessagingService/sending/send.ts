import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { showHint } from '../n8n/olderVersions';
import { readIdempotencyKey } from '../parameters/idempotencyKey';
import { ParameterReader } from '../parameters/reader';
import type { Exchange } from '../service/answer';
import { ServiceClient } from '../service/client';
import { checkMessages } from './check';
import type { Inspect } from './check';
import { Refusals } from './divide';
import { IdempotencyKeys } from './idempotencyKeys';
import { MessageLimit } from './messageLimit';
import { DEFAULT_OPTIONS, readOptions } from './options';
import type { SendOptions } from './options';
import { Outcomes } from './outcome';
import type { Outcome } from './outcome';
import { Pace } from './pace';
import { Plan } from './plan';
import type { ItemRequest, PlannedItem } from './plan';
import { ownRecipients, planRun } from './planRun';
import { nameRun, SendLedger } from './sendLedger';
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
  /** For Check Only: looks at a message, with what the service has on record. */
  inspector: (client: ServiceClient) => Inspect;
  /** What the user can check when the service refuses messages with these shared fields. */
  whatToCheck: (head: IDataObject) => string;
}

/**
 * Sends SMS for all input items: plan, submit, settle. Each input item gets one output item that says
 * what happened to it. With Check Only the run is planned and checked, and nothing is sent.
 *
 * @throws NodeOperationError or NodeApiError when an item failed and the node is set to stop on errors
 */
export async function sendMessages(
  context: IExecuteFunctions,
  description: SendDescription,
): Promise<INodeExecutionData[][]> {
  const onError = onErrorSetting(context);
  const parameters = new ParameterReader(context);
  const preparation = await prepare(context, parameters, description, onError);
  const { options } = preparation;
  const run: Run = {
    options,
    plan: new Plan(options),
    itemCount: context.getInputData().length,
    read: (itemIndex) => {
      const request = description.read(parameters, itemIndex);
      return { ...request, idempotencyKey: readIdempotencyKey(parameters, itemIndex) };
    },
    limit: new MessageLimit(context.getContext('node'), options.maxMessages),
    onError,
  };
  return preparation.kind === 'check'
    ? [await checkMessages(context, run, preparation.inspect)]
    : [await submitMessages(context, run, preparation)];
}

/** What a send and its check have in common. */
export interface Run {
  options: SendOptions;
  plan: Plan;
  itemCount: number;
  /** Reads what an item asks for. Throws a UserError for an item that cannot be sent. */
  read: (itemIndex: number) => ItemRequest;
  limit: MessageLimit;
  onError: OnError;
}

async function submitMessages(
  context: IExecuteFunctions,
  { options, plan, itemCount, read, limit, onError }: Run,
  { send, whatToCheck, obstacle }: SendPreparation,
): Promise<INodeExecutionData[]> {
  const ledger = new SendLedger(context.getContext('node'), nameRun(context));
  const keys = new IdempotencyKeys(context.helpers, context.getWorkflow().id ?? '', ledger);
  const pace = new Pace(context.getExecutionCancelSignal(), obstacle);
  const outcomes = new Outcomes();
  const refusals = new Refusals();

  /** The recipients of an item that are to be sent to in this try. */
  const openOf = (item: PlannedItem, itemIndex: number) => {
    const own = ownRecipients(item);
    const open = own.filter((recipient) => {
      const outcome = ledger.recall(recipient);
      if (outcome) outcomes.add([{ recipients: [recipient], outcome }]);
      return !outcome;
    });
    if (item.idempotencyKey !== undefined && item.sameKeyAs === undefined) {
      keys.add(itemIndex, item.idempotencyKey, open.length, open.length < own.length);
    }
    return open;
  };

  const batches = limit.admit(
    planRun(plan, itemCount, read, openOf),
    (recipients) => keys.preview(recipients),
    (reason) => {
      pace.stop(reason);
    },
  );
  await submitBatches(batches, {
    ...options,
    limit,
    ledger,
    keys,
    pace,
    outcomes,
    refusals,
    whatToCheck: (head) => whatToCheck(head as IDataObject),
    send: async ({ head, recipients }) =>
      await send(
        head as IDataObject,
        recipients.map(({ message }) => message),
      ),
  });
  limit.end();
  if (refusals.size) showHint(context, describeSize(refusals.size));
  const items = settleItems(context.getNode(), plan.items, outcomes, onError);
  const isDone = ({ json: { status } }: INodeExecutionData) =>
    status === 'accepted' || status === 'skipped';
  if (items.every(isDone)) ledger.clear();
  return items;
}

function describeSize({ refused, accepted }: NonNullable<Refusals['size']>): string {
  return `The service refused a request with ${refused} messages, and accepted them in smaller requests. Set 'Batch Size' to ${accepted}, so that it need not refuse the first try.`;
}

interface SendPreparation extends Pick<SendDescription, 'whatToCheck'> {
  kind: 'send';
  options: SendOptions;
  /** Makes one request. */
  send: (head: IDataObject, messages: unknown[]) => Promise<Exchange>;
  /** Why no request may be made. */
  obstacle?: Outcome;
}

/** A check gets nothing that it could send with. */
type Preparation = SendPreparation | { kind: 'check'; options: SendOptions; inspect: Inspect };

/**
 * Reads what holds for the whole run. A failure here stops the run where the node is set to stop on
 * errors. Otherwise it becomes the outcome of each recipient, except those that the ledger remembers.
 */
async function prepare(
  context: IExecuteFunctions,
  parameters: ParameterReader,
  { path, body, inspector, whatToCheck }: SendDescription,
  onError: OnError,
): Promise<Preparation> {
  try {
    const options = await readOptions(parameters, context.getInputData().length);
    const client = await ServiceClient.create(context);
    if (options.checkOnly) return { kind: 'check', options, inspect: inspector(client) };
    const send: SendPreparation['send'] = async (head, messages) =>
      await client.exchange(path, body(head, messages), options.timeout);
    return { kind: 'send', options, send, whatToCheck };
  } catch (error) {
    const problem = toNodeError(context.getNode(), error);
    if (onError === 'stop') throw problem;
    const { message, description } = problem;
    return {
      kind: 'send',
      options: DEFAULT_OPTIONS,
      send: async () => ({ kind: 'unreachable', reason: message }),
      whatToCheck,
      obstacle: { status: 'rejected', msg: message, advice: description ?? undefined },
    };
  }
}

function onErrorSetting(context: IExecuteFunctions): OnError {
  if (!context.continueOnFail()) return 'stop';
  const { onError } = context.getNode();
  return onError === 'continueErrorOutput' ? onError : 'continueRegularOutput';
}
