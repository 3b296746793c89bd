import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { showHint } from '../n8n/output';
import { KeyedQueue } from '../n8n/queue';
import { checkMessages, describeWarnings } from './check';
import { IdempotencyKeys } from './idempotencyKeys';
import type { MessageLimit } from './messageLimit';
import { isFailure } from './outcome';
import type { Batch, Outcome, Recipient, Status } from './outcome';
import { blockedOutcome, collect, ownRecipients, planItems } from './plan';
import { RecipientOutcomes } from './recipientOutcomes';
import { describeRepeated } from './repeatedNumbers';
import { prepareRun } from './run';
import { reasonOf } from './runError';
import type { SendDescription, SendRun } from './run';
import { Sender } from './sender';
import { isTool, nameRun, SendLedger } from './sendLedger';
import { settleItems } from './settle';

/**
 * Sends SMS for all input items: plan, send, settle. Each input item gets one output item that says what
 * happened to it. With `checkOnly` the run is planned and checked, and nothing is sent.
 *
 * @throws NodeOperationError or NodeApiError if an item failed and the node is set to stop on errors
 */
export async function sendMessages(
  context: IExecuteFunctions,
  description: SendDescription,
): Promise<INodeExecutionData[][]> {
  const run = await prepareRun(context, description);
  if (run.options.checkOnly && run.access.kind === 'open') {
    return [await checkMessages(run, description.inspector(run.access.client))];
  }
  const name = nameRun(context);
  if (!isTool(context)) return [await sendRun(run, name)];
  // A model may ask for the same thing twice at once. The second call waits for the outcome of the first.
  const call = `${context.getExecutionId()}/${context.getNode().id}/${name}`;
  return [await toolCalls.run(call, () => sendRun(run, name))];
}

const toolCalls = new KeyedQueue();

/** @param name identifies the run across its tries */
async function sendRun(run: SendRun, name: string): Promise<INodeExecutionData[]> {
  const { context, plan, access, onError, limit } = run;
  const show = (...hints: (string | undefined)[]) => {
    for (const hint of hints) if (hint) showHint(context, hint);
  };
  const ledger = new SendLedger(context.getContext('node'), name, context.getExecutionId());
  const keys = new IdempotencyKeys(context.helpers, context.getWorkflow().id ?? '', ledger);
  const outcomes = new RecipientOutcomes(ledger, keys);
  const planned = planItems(plan, run.itemCount, run.read, (item, itemIndex) =>
    outcomes.openRecipients(item, itemIndex),
  );
  // Planned as a whole if something may forbid all of it. Otherwise sent while it is planned.
  const batches = onError === 'stop' || limit.isSet ? await collect(planned) : planned;
  const obstacle = await findObstacle(run, keys, batches);
  if (obstacle) await outcomes.reject(batches, obstacle);
  else if (access.kind === 'open') await new Sender(run, outcomes, access.client).send(batches);
  await outcomes.end();
  limit.end();
  const sent = plan.items
    .flatMap(ownRecipients)
    .filter((recipient) => ['accepted', 'unknown'].includes(outcomes.of(recipient).status));
  // Shown before the items are settled, which throws if one failed and the node stops.
  show(await keys.findHint(), describeRepeated(sent, run));
  const items = await settleItems(context.getNode(), plan.items, outcomes, onError);
  const settled = items.map(({ json }) => (json.details ?? json) as Settled);
  show(describeFailed(settled), describeWarnings(settled.map(({ warning }) => warning)));
  if (items.every(isDone)) ledger.clear();
  return items;
}

type Settled = Pick<Outcome, 'status' | 'msg' | 'warning'>;

/** How many items have failed, and the first reason: a node that continues looks as if all were well. */
function describeFailed(items: Settled[]): string | undefined {
  const first = items.findIndex((item) => isFailure(item));
  if (first < 0) return undefined;
  const count = (status: Status) => items.filter((item) => item.status === status).length;
  const facts = [
    count('rejected') > 0 && `${count('rejected')} not sent`,
    count('unknown') > 0 && `${count('unknown')} may have been sent`,
  ].filter(Boolean);
  return `Of ${items.length} items: ${facts.join(', ')}. Item ${first}: ${reasonOf(items[first])}`;
}

/** Why a run must send nothing: it has no access, an item that stops it, or too many messages. */
async function findObstacle(
  { access, plan, onError, limit }: SendRun,
  keys: IdempotencyKeys,
  batches: AsyncIterable<Batch> | Batch[],
): Promise<Outcome | undefined> {
  if (access.kind === 'closed') return access.outcome;
  if (!Array.isArray(batches)) return undefined;
  const blocked = onError === 'stop' ? blockedOutcome(plan.items) : undefined;
  if (blocked || !limit.isSet) return blocked;
  return await reserve(
    limit,
    keys,
    batches.flatMap(({ recipients }) => recipients),
  );
}

/** Reserves the messages of a run, unless there are too many. Asks for their keys only if that depends on them. */
async function reserve(
  limit: MessageLimit,
  keys: IdempotencyKeys,
  recipients: Recipient[],
): Promise<Outcome | undefined> {
  const isTooMany = (messages: number) => limit.findObstacle(messages) !== undefined;
  if (!isTooMany(recipients.length)) return limit.reserve(recipients.length);
  const counted = await keys.count(recipients, isTooMany);
  return limit.reserve(counted, counted === recipients.length);
}

function isDone({ json: { status } }: INodeExecutionData): boolean {
  return status === 'accepted' || status === 'skipped';
}
