import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { KeyedQueue } from '../n8n/queue';
import { showHint } from '../n8n/hints';
import { checkMessages } from './check';
import { describeFullStore } from './keyOutcomes';
import type { Batch, Outcome } from './outcome';
import { collect, planItems } from './plan';
import { prepareRun } from './run';
import type { SendDescription, SendRun } from './run';
import { isTool, nameRun } from './sendLedger';
import { blockedOutcome, settleItems } from './settle';
import { RunMemory } from './runMemory';
import { Sender } from './sender';

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
  const run = await prepareRun(context, description);
  if (run.options.checkOnly && run.access.kind === 'open') {
    return [await checkMessages(run, description.inspector(run.access.client))];
  }
  const name = nameRun(context);
  if (!isTool(context)) return [await submitMessages(run, name)];
  // A model may ask for the same thing twice at once. The second call waits, to know what became of the
  // first one.
  const call = `${context.getExecutionId()}/${context.getNode().id}/${name}`;
  return [await toolCalls.run(call, () => submitMessages(run, name))];
}

const toolCalls = new KeyedQueue();

async function submitMessages(run: SendRun, name: string): Promise<INodeExecutionData[]> {
  const { context, plan, access, onError, limit } = run;
  const memory = new RunMemory(run, name);
  const planned = planItems(plan, run.itemCount, run.read, (item, itemIndex) =>
    memory.openRecipients(item, itemIndex),
  );
  // Planned as a whole if something may forbid all of it. Otherwise sent while it is planned.
  const batches = onError === 'stop' || limit.isSet ? await collect(planned) : planned;
  const obstacle =
    access.kind === 'closed'
      ? access.outcome
      : Array.isArray(batches)
        ? await findObstacle(run, memory, batches)
        : undefined;
  if (obstacle) await memory.reject(batches, obstacle);
  else if (access.kind === 'open') await new Sender(run, memory, access.client).send(batches);
  await memory.end();
  limit.end();
  const fullStore = describeFullStore(memory.keys.stored);
  if (fullStore) showHint(context, fullStore);
  const items = await settleItems(context.getNode(), plan.items, memory.outcomes, onError);
  if (items.every(isDone)) memory.ledger.clear();
  return items;
}

/** Why a run must send nothing: it has an item that stops it, or too many messages. */
async function findObstacle(
  { plan, onError, limit }: SendRun,
  { keys }: RunMemory,
  batches: Batch[],
): Promise<Outcome | undefined> {
  const blocked = onError === 'stop' ? blockedOutcome(plan.items) : undefined;
  if (blocked || !limit.isSet) return blocked;
  const wanted = await keys.preview(batches.flatMap(({ recipients }) => recipients));
  return limit.reserve(wanted.length);
}

function isDone({ json: { status } }: INodeExecutionData): boolean {
  return status === 'accepted' || status === 'skipped';
}
