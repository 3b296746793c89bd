/** The nodes keep their promises when n8n spreads executions over workers (docs/run/operate.md). */
import { setTimeout as sleep } from 'node:timers/promises';

import type { RecordedRequest } from '../sandbox/gateway';
import { itemsOf } from '../kit/n8n/client';
import type { QueueMode } from '../kit/n8n/queue';
import { expect, test } from './lib/queueTest';
import { numbersSentTwice, type OpenAccount } from './lib/test';
import { anyNode, chain, ownNode, sendByWebhook } from '../kit/n8n/workflow';

const RUNS = 40;
const MESSAGES_PER_RUN = 5;
const SEND_PATH = '/sendsms/template/send';
/** Sends that are under way when a worker dies. */
const CUT_SHORT = 8;
const REPORTS = 1_000;
const PAGE = 100;

interface Fixtures {
  openAccount: OpenAccount;
  queueMode: QueueMode;
}

test('On two workers, each once', async ({ openAccount, queueMode }) => {
  await test.step(`${REPORTS} reports of a trigger`, () => drains({ openAccount, queueMode }));
  await test.step(`${RUNS} sends`, () => sends({ openAccount, queueMode }));
});

async function drains({ openAccount, queueMode }: Fixtures): Promise<void> {
  const { client } = queueMode;
  const { gateway, credential } = await openAccount();
  gateway.queueReports(REPORTS);
  const trigger = ownNode(
    'smsMessagingServiceTrigger',
    'Arrived',
    {
      pollTimes: { item: [{ mode: 'everyMinute' }] },
      events: ['deliveryReport'],
      options: { pullSize: PAGE },
    },
    credential,
  );
  const file = chain('Queue trigger', trigger, anyNode('n8n-nodes-base.noOp', 1, 'Done'));
  const workflow = await client.importWorkflow(file, [credential]);
  const begin = Date.now();
  const before = queueMode.spread();
  await client.publish(workflow);
  const ids = await client.endedExecutions(workflow, REPORTS / PAGE);
  const seconds = (Date.now() - begin) / 1000;
  const executions = await Promise.all(ids.map((id) => client.execution(id)));
  const seen = executions
    .flatMap((execution) => itemsOf(execution, 'Done'))
    .map(({ json }) => JSON.stringify(json));
  expect(seen).toHaveLength(REPORTS);
  expect(new Set(seen).size).toBe(REPORTS);
  expectSpread(queueMode, before, `${REPORTS} reports in ${seconds.toFixed(1)} s`);
}

async function sends({ openAccount, queueMode }: Fixtures): Promise<void> {
  const { client } = queueMode;
  const { gateway, credential } = await openAccount({ latencyMs: 50 });
  const file = sendByWebhook('queue-send', credential, {
    onError: 'continueRegularOutput',
    retryOnFail: true,
    maxTries: 3,
    waitBetweenTries: 100,
  });
  const workflow = await client.importWorkflow(file, [credential]);
  await client.publish(workflow);

  // One refusal, one request too many, and two connections that break after accepting.
  gateway.fault({ kind: 'businessCode', match: isWholeRun, nth: 3 });
  gateway.fault({ kind: 'tooManyRequests', match: isWholeRun, nth: 9 });
  gateway.fault({ kind: 'resetAfterAccept', match: isWholeRun, nth: 14 });
  gateway.fault({ kind: 'resetAfterAccept', match: isWholeRun, nth: 27 });

  const begin = Date.now();
  const before = queueMode.spread();
  const runs = Array.from({ length: RUNS }, (_, run) => run);
  await Promise.all(runs.map((run) => client.callWebhook('queue-send', peopleOf(run))));
  const ids = await client.endedExecutions(workflow, RUNS);
  const seconds = (Date.now() - begin) / 1000;

  const deliveries = gateway.deliveries();
  expect(numbersSentTwice(gateway)).toEqual([]);
  const executed = await Promise.all(ids.map((id) => client.execution(id)));
  const outcomes = executed.map((each) => itemsOf(each, 'Send').map(({ json }) => json));
  const counts = outcomes.map(({ length }) => length);
  expect(counts, 'outcomes of the executions').toEqual(Array(RUNS).fill(MESSAGES_PER_RUN));
  const numbersWith = (status: string) =>
    outcomes
      .flat()
      .filter((each) => each.status === status)
      .flatMap((each) => each.phone_numbers as string[]);
  const known = [...numbersWith('accepted'), ...numbersWith('unknown')];
  expect([...deliveries.keys()].sort()).toEqual(known.sort());
  expect(numbersWith('unknown')).toHaveLength(2 * MESSAGES_PER_RUN);
  expectSpread(queueMode, before, `${RUNS} executions in ${seconds.toFixed(1)} s`);

  // A worker dies in the middle of sends. Its executions fail, and do not run again.
  gateway.fault({ kind: 'slow', path: SEND_PATH, delayMs: 5_000, times: CUT_SHORT });
  const sent = gateway.deliveries().size;
  for (let run = RUNS; run < RUNS + CUT_SHORT; run += 1) {
    await client.callWebhook('queue-send', peopleOf(run));
  }
  await expect
    .poll(() => gateway.deliveries().size, { intervals: [50] })
    .toBeGreaterThanOrEqual(sent + CUT_SHORT * MESSAGES_PER_RUN);
  await queueMode.workers[0]?.kill();
  await client.endedExecutions(workflow, RUNS + CUT_SHORT);
  const executions = await client.executions(workflow);
  const failed = executions.filter(({ status }) => status !== 'success');
  expect(failed.length, 'executions of the worker that died').toBeGreaterThan(0);
  // A second run of them would show within this time.
  await sleep(8_000);
  expect(numbersSentTwice(gateway)).toEqual([]);
  console.log(`${failed.length} executions ended with their worker, none ran again`);
}

/** Checks that every worker has had executions since it was asked before. */
function expectSpread(queueMode: QueueMode, before: number[], measured: string): void {
  const spread = queueMode.spread().map((count, worker) => count - (before[worker] ?? 0));
  console.log(`${measured}, executions per worker: ${spread.join(' and ')}`);
  expect(Math.min(...spread), 'the fewest executions of a worker').toBeGreaterThan(0);
}

/** Whether a request sends all messages of an execution. */
function isWholeRun({ path: requested, body }: RecordedRequest): boolean {
  if (requested !== SEND_PATH) return false;
  return (body as { messages: unknown[] }).messages.length === MESSAGES_PER_RUN;
}

function peopleOf(run: number): { people: { phone: string }[] } {
  return {
    people: Array.from({ length: MESSAGES_PER_RUN }, (_, index) => ({
      phone: `139${String(run).padStart(4, '0')}${String(index + 100).padStart(4, '0')}`,
    })),
  };
}
