/** Sends in a real n8n, with its database and its retries. A webhook starts the executions. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import type { Gateway } from '../sandbox/gateway';
import type { Credential, Execution, N8nClient } from '../kit/n8n/client';
import { itemsOf } from '../kit/n8n/client';
import { expect, numbersSentTwice, test } from './lib/test';
import { sendByWebhook } from '../kit/n8n/workflow';

const PEOPLE = 6;
const BATCH_SIZE = 2;

/** A fault of one request, and the status of the messages in it. */
const FAULTS: [string, Fault, 'rejected' | 'unknown'][] = [
  ['a refusal', { kind: 'businessCode', code: 9000 }, 'rejected'],
  ['a reset after accepting', { kind: 'resetAfterAccept' }, 'unknown'],
  ['HTTP 503 after accepting', { kind: 'status', status: 503, accept: true }, 'unknown'],
  ['no answer', { kind: 'hang' }, 'unknown'],
];

const PLACES = ['first', 'middle', 'last'];

test('"Retry execution" sends nothing twice', async ({ client, openAccount }) => {
  const { gateway, credential } = await openAccount();
  for (const retryOnFail of [false, true]) {
    const flow = await publish(client, credential, { options: options(), retryOnFail });
    for (const [name, fault, comesTo] of FAULTS) {
      for (const [batch, place] of PLACES.entries()) {
        const title = `${name}, ${place} request, Retry On Fail ${retryOnFail ? 'on' : 'off'}`;
        await test.step(title, async () => {
          await checkRetry({ client, gateway, flow, fault, batch, comesTo });
        });
      }
    }
  }
});

test('An idempotency key holds across executions', async ({ client, openAccount }) => {
  const { gateway, credential } = await openAccount();
  const flow = await publish(client, credential, {
    options: options({ idempotencyKey: '={{ $json.key }}' }),
  });
  // The first keys of the workflow, in several executions at once.
  const runs = await flow.start(Array(4).fill(people('one')));
  const first = runs.flatMap((execution) => statusesOf(execution));
  expect(first.filter((status) => status === 'accepted')).toHaveLength(PEOPLE);
  expect(first.filter((status) => status === 'skipped')).toHaveLength(3 * PEOPLE);

  gateway.fault({ kind: 'businessCode', code: 9000 });
  const [refused] = await flow.start([people('two').slice(0, BATCH_SIZE)]);
  expect(refused?.status).toBe('error');
  const [later] = await flow.start([people('two')]);
  expect(later && statusesOf(later)).toEqual(Array(PEOPLE).fill('accepted'));
  expect([...new Set(gateway.deliveries().values())]).toEqual([2]);
});

interface RetryCase {
  client: N8nClient;
  gateway: Gateway;
  flow: Flow;
  fault: Fault;
  batch: number;
  comesTo: 'rejected' | 'unknown';
}

async function checkRetry(each: RetryCase): Promise<void> {
  const { client, gateway, flow, fault, batch, comesTo } = each;
  gateway.clearFaults();
  gateway.state.accepted.clear();
  const input = people('retry');
  const hit = input.slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE).map(({ phone }) => phone);
  gateway.fault({ ...fault, match: ({ rawBody }) => hit.some((phone) => rawBody.includes(phone)) });

  const [failed] = await flow.start([input]);
  expect(failed?.status).toBe('error');
  expect(numbersSentTwice(gateway)).toEqual([]);

  const retry = `/rest/executions/${failed?.id}/retry`;
  const [retried] = await flow.started(1, () =>
    client.call('POST', retry, { loadWorkflow: false }),
  );
  if (!retried) throw new Error('n8n has not executed the retry.');
  expect(numbersSentTwice(gateway)).toEqual([]);
  const deliveries = gateway.deliveries();
  if (comesTo === 'rejected') {
    expect(retried.status).toBe('success');
    expect(statusesOf(retried)).toEqual(Array(PEOPLE).fill('accepted'));
    expect(deliveries.size).toBe(PEOPLE);
  } else {
    expect(retried.status).toBe('error');
    expect(retried.data.resultData.error).toMatchObject({
      message: expect.stringMatching(/^Of 6 messages, 4 were accepted and 2 may have been sent: /),
      description: expect.stringMatching(/ What was accepted has the batch_id /),
    });
    const others = input.filter(({ phone }) => !hit.includes(phone));
    for (const { phone } of others) expect(deliveries.get(phone), phone).toBe(1);
  }
}

function statusesOf(execution: Execution): unknown[] {
  return itemsOf(execution, 'Send').map(({ json }) => json.status);
}

function people(name: string): { phone: string; key: string }[] {
  return Array.from({ length: PEOPLE }, (_, index) => ({
    phone: `138${10_000_000 + index}`,
    key: `${name}-${index}`,
  }));
}

function options(more: INodeParameters = {}): INodeParameters {
  return { batchSize: BATCH_SIZE, maxConcurrency: 1, timeout: 1500, ...more };
}

interface Flow {
  /** Starts so many executions in some way, and waits until they have ended. */
  started(count: number, start: () => Promise<unknown>): Promise<Execution[]>;
  /** Starts an execution for each list of people, all at once, and waits until they have ended. */
  start(inputs: IDataObject[][]): Promise<Execution[]>;
}

async function publish(
  client: N8nClient,
  credential: Credential,
  { options, retryOnFail = false }: { options: INodeParameters; retryOnFail?: boolean },
): Promise<Flow> {
  const path = `sending-${Math.random().toString(36).slice(2)}`;
  const settings = { options, retryOnFail, maxTries: 2, waitBetweenTries: 1 };
  const file = sendByWebhook(path, credential, settings);
  const workflow = await client.importWorkflow(file, [credential]);
  await client.publish(workflow);
  const started: Flow['started'] = async (count, start) => {
    const earlier = new Set((await client.executions(workflow)).map(({ id }) => id));
    await start();
    const ids = await client.endedExecutions(workflow, count, earlier);
    return await Promise.all(ids.map((id) => client.execution(id)));
  };
  const start: Flow['start'] = async (inputs) =>
    await started(inputs.length, () =>
      Promise.all(inputs.map((people) => client.callWebhook(path, { people }))),
    );
  return { started, start };
}
