import assert from 'node:assert/strict';

import type { IDataObject, INode } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import type { Gateway } from '../sandbox/gateway';
import type { Credential, Execution, N8nClient, Workflow } from './lib/client';
import { hasEnded, itemsOf } from './lib/client';
import type { Step } from './lib/step';

const PEOPLE = 6;
const BATCH_SIZE = 2;

/** What an honest node says of the messages in the request that meets the fault. */
const FAULTS: [string, Fault, 'rejected' | 'unknown'][] = [
  ['a refusal', { kind: 'businessCode', code: 9000 }, 'rejected'],
  ['a reset after accepting', { kind: 'resetAfterAccept' }, 'unknown'],
  ['HTTP 503 after accepting', { kind: 'status', status: 503, accept: true }, 'unknown'],
  ['no answer', { kind: 'hang' }, 'unknown'],
];

const PLACES = ['first', 'middle', 'last'];

/**
 * What must hold for sends in a real n8n, with its own database and retries. The steps start their
 * executions by webhook, so they hold in queue mode too, where a worker runs them.
 */
export const sending: Step[] = [
  {
    name: '"Retry execution" sends what was refused, and nothing twice',
    async run({ client, account, tell }) {
      const { gateway, credential } = await account();
      for (const retryOnFail of [false, true]) {
        const flow = await publish(client, credential, { options: options(), retryOnFail });
        for (const [name, fault, comesTo] of FAULTS) {
          for (const [batch, place] of PLACES.entries()) {
            await checkRetry({ client, gateway, flow, fault, batch, comesTo, retryOnFail });
            tell(`${name}, ${place} request, Retry On Fail ${retryOnFail ? 'on' : 'off'}: held`);
          }
        }
      }
    },
  },
  {
    name: 'An idempotency key holds across executions, also when they run side by side',
    async run({ client, account }) {
      const { gateway, credential } = await account();
      const flow = await publish(client, credential, {
        options: options({ idempotencyKey: '={{ $json.key }}' }),
      });
      // The workflow's very first keys, in several executions at once.
      const runs = await flow.start(Array(4).fill(people('one')));
      const first = runs.flatMap((execution) => statusesOf(execution));
      assert.equal(first.filter((status) => status === 'accepted').length, PEOPLE);
      assert.equal(first.filter((status) => status === 'skipped').length, 3 * PEOPLE);

      // The request, and each of its messages alone.
      gateway.fault({ kind: 'businessCode', code: 9000, times: 1 + BATCH_SIZE });
      const [refused] = await flow.start([people('two').slice(0, BATCH_SIZE)]);
      assert.equal(refused?.status, 'error');
      const [later] = await flow.start([people('two')]);
      assert.deepEqual(later && statusesOf(later), Array(PEOPLE).fill('accepted'));
      assert.deepEqual([...new Set(gateway.deliveries().values())], [2]);
    },
  },
];

interface RetryCase {
  client: N8nClient;
  gateway: Gateway;
  flow: Flow;
  fault: Fault;
  batch: number;
  comesTo: 'rejected' | 'unknown';
  retryOnFail: boolean;
}

async function checkRetry(each: RetryCase): Promise<void> {
  const { client, gateway, flow, fault, batch, comesTo, retryOnFail } = each;
  gateway.clearFaults();
  gateway.state.accepted.clear();
  const input = people('retry');
  const hit = input.slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE).map(({ phone }) => phone);
  // A refusal has to outlast n8n's own tries.
  const tries = retryOnFail ? 2 : 1;
  gateway.fault({
    ...fault,
    // Of a refused request each message is tried alone.
    times: comesTo === 'rejected' ? tries * (1 + BATCH_SIZE) : 1,
    match: ({ rawBody }) => hit.some((phone) => rawBody.includes(phone)),
  });

  const [failed] = await flow.start([input]);
  assert.equal(failed?.status, 'error');
  expectNobodyTwice(gateway);

  const known = new Set((await client.executions(flow.workflow)).map(({ id }) => id));
  await client.call('POST', `/rest/executions/${failed.id}/retry`, { loadWorkflow: false });
  const [retried] = await flow.ended(known, 1);
  expectNobodyTwice(gateway);
  const deliveries = gateway.deliveries();
  if (comesTo === 'rejected') {
    assert.equal(retried?.status, 'success');
    assert.deepEqual(statusesOf(retried), Array(PEOPLE).fill('accepted'));
    assert.equal(deliveries.size, PEOPLE);
  } else {
    assert.equal(retried?.status, 'error');
    const description = String(
      retried.data.resultData.error && 'description' in retried.data.resultData.error
        ? retried.data.resultData.error.description
        : '',
    );
    assert.match(description, /4 accepted, 0 refused, 2 unknown/);
    for (const { phone } of input) if (!hit.includes(phone)) assert.equal(deliveries.get(phone), 1);
  }
}

function expectNobodyTwice(gateway: Gateway): void {
  for (const [phone, count] of gateway.deliveries()) assert.equal(count, 1, phone);
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

function options(more: IDataObject = {}): IDataObject {
  return { batchSize: BATCH_SIZE, maxConcurrency: 1, timeout: 1500, ...more };
}

interface Flow {
  workflow: Workflow;
  /** Starts an execution for each list of people, all at once, and waits until they have ended. */
  start(inputs: IDataObject[][]): Promise<Execution[]>;
  /** Waits for that many executions that are not known yet, and for their ends. */
  ended(known: Set<string>, count: number): Promise<Execution[]>;
}

async function publish(
  client: N8nClient,
  credential: Credential,
  { options, retryOnFail = false }: { options: IDataObject; retryOnFail?: boolean },
): Promise<Flow> {
  const path = `sending-${Math.random().toString(36).slice(2)}`;
  const workflow = await client.importWorkflow(
    {
      name: `Sending ${path}`,
      nodes: [
        node(
          'Webhook',
          'n8n-nodes-base.webhook',
          2,
          {
            httpMethod: 'POST',
            path,
            responseMode: 'onReceived',
          },
          { webhookId: path },
        ),
        node('Split Out', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.people' }),
        node(
          'Send',
          'n8n-nodes-sms-messaging-service.smsMessagingService',
          1,
          {
            resource: 'message',
            operation: 'sendTemplate',
            templateId: { __rl: true, mode: 'id', value: '301' },
            signatureId: { __rl: true, mode: 'id', value: '201' },
            phoneNumbers: '={{ $json.phone }}',
            parameterMode: 'json',
            parametersJson: '{"code": "1234", "minutes": "5"}',
            options,
          },
          {
            retryOnFail,
            maxTries: 2,
            waitBetweenTries: 1,
            credentials: { smsMessagingServiceApi: { id: '', name: '' } },
          },
        ),
      ],
      connections: {
        Webhook: { main: [[{ node: 'Split Out', type: 'main', index: 0 }]] },
        'Split Out': { main: [[{ node: 'Send', type: 'main', index: 0 }]] },
      },
      settings: { executionOrder: 'v1' },
    },
    [credential],
  );
  await client.publish(workflow);

  const ended: Flow['ended'] = async (known, count) => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const fresh = (await client.executions(workflow)).filter(({ id }) => !known.has(id));
      if (fresh.length >= count && fresh.every(hasEnded)) {
        return await Promise.all(fresh.map(({ id }) => client.execution(id)));
      }
      if (Date.now() > deadline) throw new Error(`${count} executions did not end within a minute`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return {
    workflow,
    ended,
    async start(inputs) {
      const known = new Set((await client.executions(workflow)).map(({ id }) => id));
      await Promise.all(inputs.map((input) => client.callWebhook(path, { people: input })));
      return await ended(known, inputs.length);
    },
  };
}

function node(
  name: string,
  type: string,
  typeVersion: number,
  parameters: IDataObject,
  more: Partial<INode> = {},
): INode {
  return {
    id: name,
    name,
    type,
    typeVersion,
    position: [0, 0],
    parameters: parameters as INode['parameters'],
    ...more,
  };
}
