import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { showHint } from '../n8n/output';
import { turns } from '../n8n/queue';
import { isTool } from '../n8n/node';
import { sentences } from '../service/sentences';
import { checkMessages, describeWarnings } from './check';
import { DayLimit } from './dayLimit';
import { IdempotencyKeys } from './idempotencyKeys';
import { KeyStore } from './keyStore';
import { Messages } from './messages';
import type { News } from './outcome';
import { collect, findBlock } from './plan';
import type { Batch } from './plan';
import { describeRepeated } from './repeatedNumbers';
import { prepareRun } from './run';
import type { SendDescription, SendRun } from './run';
import { runError, summarise } from './runError';
import { Sender } from './sender';
import { nameRun, SendLedger } from './sendLedger';
import { firstFailed, outputItem, sentNumbers, settleItems } from './settle';

/**
 * Sends SMS for all input items: plan, send, settle. Each input item gets one output item that says what
 * happened to it. With `checkOnly` the run is planned and checked, and nothing is sent.
 *
 * @throws NodeOperationError or NodeApiError if an item failed and the node is set to stop on errors
 */
export async function sendMessages(
  context: IExecuteFunctions,
  description: SendDescription,
): Promise<INodeExecutionData[]> {
  const run = await prepareRun(context, description);
  if (run.options.checkOnly && run.access.kind === 'granted') {
    return await checkMessages(run, description.inspector(run.access.client));
  }
  const name = nameRun(context);
  if (!isTool(context)) return await sendRun(run, name);
  // A model may call several times at once, also for the same thing. Each call knows what the ones before it sent.
  const tool = `${context.getExecutionId()}/${context.getNode().id}`;
  return await turns.run(tool, () => sendRun(run, name));
}

/** @param name identifies the run across its tries */
async function sendRun(run: SendRun, name: string): Promise<INodeExecutionData[]> {
  const { context, plan, access } = run;
  const node = context.getNode();
  const ledger = new SendLedger(context.getContext('node'), name, context.getExecutionId());
  const keyStore = new KeyStore(context.helpers, context.getWorkflow().id ?? '');
  const keys = new IdempotencyKeys(keyStore, ledger);
  const max = run.options.maxPerNumberAndDay;
  // In the workflow's time zone, as n8n reads it. It may be none.
  const today = '{{ $today.toISODate() ?? new Date().toISOString().slice(0, 10) }}';
  const date = () => String(context.evaluateExpression(today, 0));
  const dayLimit = new DayLimit(keyStore, ledger, date, max);
  const messages = new Messages(ledger, keys, dayLimit);
  const { batches, obstacle } = await planRequests(run, messages);
  if (obstacle) {
    for await (const { recipients } of batches) await messages.holdBack(recipients, obstacle);
  } else if (access.kind === 'granted') {
    await new Sender(run, messages, access.client).send(batches);
  }
  await messages.freeRefused(plan.items);
  const results = await settleItems(plan.items, (recipient) => messages.outcomeOf(recipient));
  const show = (hint: string | false | undefined) => {
    if (hint) showHint(context, hint);
  };
  // These two are shown also where the node stops.
  show((dayLimit.isSet || plan.hasKeys) && (await keyStore.findHint()));
  show(describeRepeated(sentNumbers(results), run));
  const first = firstFailed(results);
  if (!first) ledger.clear();
  else if (run.isStopping) throw runError(node, results, first);
  // A node that continues looks as if all were well.
  const all = results.flatMap(({ parts }) => parts);
  show(first && sentences(summarise(all), `First: item ${first.itemIndex}`));
  show(describeWarnings(results.map(({ json }) => json.warning)));
  return results.map((result) => outputItem(node, result));
}

/**
 * Plans the requests of a run: as a whole if something may forbid all of it, otherwise while earlier ones are
 * under way.
 *
 * @returns `obstacle` if the run must send nothing: it has no access, an item that stops it, or too many messages
 */
async function planRequests(
  { access, plan, itemCount, isStopping, limit }: SendRun,
  messages: Messages,
): Promise<{ batches: AsyncIterable<Batch> | Batch[]; obstacle?: News }> {
  const flowing = plan.requests(itemCount, (item) => messages.toSend(item));
  if (access.kind === 'denied') return { batches: flowing, obstacle: access.news };
  if (!isStopping && !limit.isSet) return { batches: flowing };
  const batches = await collect(flowing);
  const blocked = isStopping ? findBlock(plan) : undefined;
  return { batches, obstacle: blocked ?? limit.findObstacle(batches) };
}
