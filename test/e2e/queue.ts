import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import type { Gateway, GatewayOptions, RecordedRequest } from '../sandbox/gateway';
import { hasEnded, itemsOf, type Credential, type Execution, type Workflow } from './lib/client';
import { startQueueMode, type QueueMode } from './lib/queue';
import type { Stage, Step } from './lib/step';
import { anyNode, byId, chain, ownNode } from './lib/workflow';

const RUNS = 40;
const MESSAGES_PER_RUN = 5;
/** Sends that are under way when a worker dies. */
const CUT_SHORT = 8;
const REPORTS = 1_000;
const PAGE = 100;

/** The promises hold when n8n spreads executions over workers (docs/queue-mode.md). */
export const queue: Step[] = [
  {
    name: `Queue mode: ${RUNS} sends spread over two workers, each message once, also under faults`,
    async run(stage) {
      await inQueueMode(stage, { latencyMs: 50 }, async ({ queueMode, gateway, credential }) => {
        const { client } = queueMode;
        const workflow = await client.importWorkflow(sendWorkflow(credential), [credential]);
        await client.publish(workflow);

        // Refused once, throttled once, and twice accepted without an answer.
        gateway.fault({ kind: 'businessCode', match: isWholeRun, nth: 3 });
        gateway.fault({ kind: 'tooManyRequests', match: isWholeRun, nth: 9 });
        gateway.fault({ kind: 'resetAfterAccept', match: isWholeRun, nth: 14 });
        gateway.fault({ kind: 'resetAfterAccept', match: isWholeRun, nth: 27 });

        const begin = Date.now();
        await Promise.all(
          Array.from({ length: RUNS }, (_, run) => client.callWebhook('queue-send', phonesOf(run))),
        );
        const ids = await endedExecutions(queueMode, workflow, RUNS);
        const seconds = (Date.now() - begin) / 1000;

        const deliveries = gateway.deliveries();
        assert.deepEqual(
          [...deliveries.values()].filter((times) => times !== 1),
          [],
        );
        const outcomes: IDataObject[] = [];
        const incomplete: string[] = [];
        for (const id of ids) {
          const execution = await client.execution(id);
          const items = itemsOf(execution, 'Send').map(({ json }) => json);
          outcomes.push(...items);
          if (items.length !== MESSAGES_PER_RUN) incomplete.push(describeEnd(execution));
        }
        assert.deepEqual(incomplete, [], `executions without all outcomes, of ${ids.length}`);
        assert.equal(ids.length, RUNS);
        const numbersWith = (status: string) =>
          outcomes
            .filter((each) => each.status === status)
            .flatMap((each) => each.phone_numbers as string[]);
        const known = [...numbersWith('accepted'), ...numbersWith('unknown')];
        assert.deepEqual([...deliveries.keys()].sort(), known.sort());
        assert.equal(numbersWith('unknown').length, 2 * MESSAGES_PER_RUN);

        const spread = queueMode.spread();
        assert.ok(Math.min(...spread) > 0, `executions per worker: ${spread.join(', ')}`);
        stage.tell(
          `  ${RUNS} executions in ${seconds.toFixed(1)} s, per worker: ${spread.join(' and ')}`,
        );

        // A worker dies in the middle of sends: those executions fail, and are not run again.
        gateway.fault({
          kind: 'slow',
          path: '/sendsms/template/send',
          delayMs: 5_000,
          times: CUT_SHORT,
        });
        const before = gateway.deliveries().size;
        for (let run = RUNS; run < RUNS + CUT_SHORT; run += 1) {
          await client.callWebhook('queue-send', phonesOf(run));
        }
        while (gateway.deliveries().size < before + CUT_SHORT * MESSAGES_PER_RUN) await sleep(50);
        await queueMode.workers[0]?.kill();
        await endedExecutions(queueMode, workflow, RUNS + CUT_SHORT);
        const failed = (await client.executions(workflow)).filter(
          ({ status }) => status !== 'success',
        );
        assert.ok(failed.length > 0, 'the worker that died had executions under way');
        // Long enough for a second run of them to show itself.
        await sleep(8_000);
        const again = [...gateway.deliveries().values()].filter((times) => times !== 1);
        assert.deepEqual(again, []);
        stage.tell(`  ${failed.length} executions ended with their worker, none was run again`);
      });
    },
  },
  {
    name: `Queue mode: the trigger drains ${REPORTS} reports, each in one execution, none twice`,
    async run(stage) {
      await inQueueMode(stage, {}, async ({ queueMode, gateway, credential }) => {
        const { client } = queueMode;
        gateway.queueReports(REPORTS);
        const trigger = ownNode(
          'smsMessagingServiceTrigger',
          'Arrived',
          {
            pollTimes: { item: [{ mode: 'everyMinute' }] },
            events: ['deliveryReport'],
            pullSize: PAGE,
          },
          credential,
        );
        const workflow = await client.importWorkflow(
          chain('Queue trigger', trigger, anyNode('n8n-nodes-base.noOp', 1, 'Done')),
          [credential],
        );
        const begin = Date.now();
        await client.publish(workflow);
        const ids = await endedExecutions(queueMode, workflow, REPORTS / PAGE);
        const seconds = (Date.now() - begin) / 1000;
        const seen: string[] = [];
        for (const id of ids) {
          const items = itemsOf(await client.execution(id), 'Done');
          seen.push(...items.map(({ json }) => JSON.stringify(json)));
        }
        assert.equal(seen.length, REPORTS);
        assert.equal(new Set(seen).size, REPORTS);
        const spread = queueMode.spread();
        assert.ok(Math.min(...spread) > 0, `executions per worker: ${spread.join(', ')}`);
        stage.tell(
          `  ${REPORTS} reports in ${seconds.toFixed(1)} s, executions per worker: ${spread.join(' and ')}`,
        );
      });
    },
  },
];

/** The request of a whole execution, not one for a part of it. */
function isWholeRun({ path: requested, body }: RecordedRequest): boolean {
  if (requested !== '/sendsms/template/send') return false;
  return (body as { messages: unknown[] }).messages.length === MESSAGES_PER_RUN;
}

/** How an execution ended, node by node: what a person would want to know of one that went wrong. */
function describeEnd({ id, status, data }: Execution): string {
  const { runData = {}, lastNodeExecuted, error } = data.resultData;
  const nodes = Object.entries(runData).map(([name, runs]) => {
    const ends = runs.map(({ executionStatus, error: failure, data: output }) =>
      [executionStatus, failure?.message, `${output?.main?.[0]?.length ?? 0} items`]
        .filter(Boolean)
        .join(', '),
    );
    return `${name} (${ends.join('; ')})`;
  });
  return `${id}: ${status}, last node ${lastNodeExecuted}, error ${error?.message}, ran ${nodes.join(', ') || 'nothing'}`;
}

interface QueueStage {
  queueMode: QueueMode;
  gateway: Gateway;
  credential: Credential;
}

async function inQueueMode(
  { account, folder, tarball }: Stage,
  options: GatewayOptions,
  work: (stage: QueueStage) => Promise<void>,
): Promise<void> {
  const { gateway } = await account(options);
  const queueMode = await startQueueMode({
    folder: path.join(folder, 'queue'),
    tarball,
    workers: 2,
  });
  try {
    const credential = await queueMode.client.createCredential(
      'SMS account',
      'smsMessagingServiceApi',
      gateway.credential() as IDataObject,
    );
    await work({ queueMode, gateway, credential });
  } finally {
    await queueMode.stop();
  }
}

function sendWorkflow(credential: Credential) {
  const webhook = anyNode('n8n-nodes-base.webhook', 2.1, 'Webhook', {
    httpMethod: 'POST',
    path: 'queue-send',
    responseMode: 'onReceived',
  });
  webhook.webhookId = 'c0ffee00-0000-4000-8000-000000000001';
  const split = anyNode('n8n-nodes-base.splitOut', 1, 'One item per phone', {
    fieldToSplitOut: 'body.phones',
  });
  const send = ownNode(
    'smsMessagingService',
    'Send',
    {
      resource: 'message',
      operation: 'sendTemplate',
      templateId: byId(302),
      signatureId: byId(202),
      phoneNumbers: '={{ $json.phone }}',
      parameterMode: 'json',
      parametersJson: '{"name":"Li Lei","order":"A-1001","date":"June 3"}',
    },
    credential,
  );
  return chain('Queue send', webhook, split, {
    ...send,
    onError: 'continueRegularOutput',
    retryOnFail: true,
    maxTries: 3,
    waitBetweenTries: 100,
  });
}

function phonesOf(run: number): { phones: { phone: string }[] } {
  return {
    phones: Array.from({ length: MESSAGES_PER_RUN }, (_, index) => ({
      phone: `139${String(run).padStart(4, '0')}${String(index + 100).padStart(4, '0')}`,
    })),
  };
}

/** The ids of the workflow's executions, once so many have ended. */
async function endedExecutions(
  { client }: QueueMode,
  workflow: Workflow,
  wanted: number,
): Promise<string[]> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const ended = (await client.executions(workflow)).filter(hasEnded);
    if (ended.length >= wanted) return ended.map(({ id }) => id);
    if (Date.now() > deadline) throw new Error(`${ended.length} of ${wanted} executions ended`);
    await sleep(250);
  }
}
