import { randomUUID } from 'node:crypto';

import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import {
  errorOf,
  hasEnded,
  itemsOf,
  type Execution,
  type N8nClient,
  type Workflow,
} from '../e2e/lib/client';
import { exampleNames, readExample } from '../e2e/lib/examples';
import type { Gateway } from '../sandbox/gateway';
import { conclude } from './summary';

const ORDERS = 250;
const MISTYPED_NUMBER = '1380000abcd';
const REPLIES = ['TD', '谢谢', 'OK', 'When will it arrive?', '换个地址', '1', 'Thanks 👍'];

/** The nodes of the example workflows whose output is checked. */
const SEND_NODE = 'Send shipping notice';
const TRIGGER_NODE = 'New reports and replies';

/** The login of the web page that the workflow "Delivery dashboard" serves. */
export const DASHBOARD = { user: 'demo', password: 'Demo-dashboard-1' };
export const DASHBOARD_PATH = '/webhook/sms-dashboard';

const SENDING_LIMIT_MS = 60_000;
/** n8n's triggers poll once a minute. The rest is for a slow machine. */
const RECEIVING_LIMIT_MS = 150_000;

interface Stage {
  client: N8nClient;
  gateway: Gateway;
  tell: (line: string) => void;
}

/** Plays the demo, prints the result, and returns whether it is right. */
export async function play(stage: Stage): Promise<boolean> {
  const { client, gateway, tell } = stage;
  const webhookKey = randomUUID();
  const { send, receive } = await setUpWorkflows(stage, webhookKey);

  const orders = [...Array.from({ length: ORDERS }, (_, index) => order(index)), mistypedOrder()];
  tell(`Sending ${orders.length} notifications, one of them to "${MISTYPED_NUMBER}" ...`);
  await client.callWebhook('orders-shipped', { orders }, { 'x-webhook-key': webhookKey });
  const sending = await firstExecution(client, send);

  REPLIES.forEach((content, index) => {
    gateway.reply({ phoneNumber: order(10 + index).phone, content });
  });
  tell(`${REPLIES.length} of the virtual phones have replied.`);

  tell('Waiting for delivery reports and replies: the trigger polls once a minute ...');
  const records = await receivedRecords(stage, receive, gateway.deliveries().size + REPLIES.length);

  return conclude({
    expected: { sent: ORDERS, notSent: 1, replies: REPLIES.length },
    accepted: itemsOf(sending, SEND_NODE).map(({ json }) => json),
    notSent: itemsOf(sending, SEND_NODE, 1).map(({ json }) => json),
    reports: records.filter(({ event }) => event === 'deliveryReport'),
    replies: records.filter(({ event }) => event === 'reply'),
    gateway,
  });
}

/** Sets up the credentials and the example workflows, as a new user does. */
async function setUpWorkflows({ client, gateway, tell }: Stage, webhookKey: string) {
  const data = gateway.credential() as IDataObject;
  const account = await client.createCredential(
    'SMS Messaging Service account',
    'smsMessagingServiceApi',
    data,
  );
  const test = await client.testCredential(account, data);
  if (test.status !== 'OK') throw new Error(`n8n's test of the credential failed: ${test.message}`);
  tell('The credential is created, and its test in n8n succeeds.');
  const header = await client.createCredential('Header Auth account', 'httpHeaderAuth', {
    name: 'x-webhook-key',
    value: webhookKey,
  });

  const login = await client.createCredential('Dashboard login', 'httpBasicAuth', { ...DASHBOARD });

  // Only these are published, because two triggers would take records from each other.
  const published = ['notification-send', 'delivery-dashboard'] as const;
  const workflows = new Map<string, Workflow>();
  for (const name of exampleNames()) {
    const workflow = await client.importWorkflow(readExample(name), [account, header, login]);
    workflows.set(name, workflow);
  }
  tell(`Imported ${workflows.size} example workflows.`);
  const [send, receive] = await Promise.all(
    published.map(async (name) => {
      const workflow = workflows.get(name);
      if (!workflow) throw new Error(`examples/${name}.json is missing.`);
      await client.publish(workflow);
      tell(`Published "${workflow.name}".`);
      return workflow;
    }),
  );
  return { send: send as Workflow, receive: receive as Workflow };
}

/** An order with a phone number of its own. The sandbox fails numbers that end in 0001 to 0003. */
function order(index: number) {
  const group = String(1000 + Math.floor(index / 50));
  return {
    phone: `138${group}${String(index % 50).padStart(4, '0')}`,
    name: `Customer ${index + 1}`,
    order: `A-${1001 + index}`,
    date: '2026-06-03',
  };
}

function mistypedOrder() {
  return { ...order(ORDERS), phone: MISTYPED_NUMBER };
}

/** Waits for the first execution of a workflow, and for its end. */
async function firstExecution(client: N8nClient, workflow: Workflow): Promise<Execution> {
  let id = '';
  const count = async () => {
    const executions = await client.executions(workflow);
    id = executions[0]?.id ?? '';
    return executions.length;
  };
  const message = `n8n has run "${workflow.name}"`;
  await expect.poll(count, { message, timeout: SENDING_LIMIT_MS }).toBeGreaterThan(0);
  return succeeded(workflow, await client.finishedExecution(id));
}

/** Waits for a number of records from the trigger, over all executions. Returns what there is in time. */
async function receivedRecords(
  { client, tell }: Stage,
  workflow: Workflow,
  wanted: number,
): Promise<IDataObject[]> {
  const executions = new Map<string, Execution>();
  const records = () => [...executions.values()].flatMap((each) => itemsOf(each, TRIGGER_NODE));
  const receive = async () => {
    for (const { id } of (await client.executions(workflow)).filter(hasEnded).reverse()) {
      if (executions.has(id)) continue;
      executions.set(id, await client.execution(id));
      tell(`  execution ${id}: now ${records().length} of ${wanted} records`);
    }
    return records().length;
  };
  await expect
    .poll(receive, { timeout: RECEIVING_LIMIT_MS })
    .toBeGreaterThanOrEqual(wanted)
    .catch((error: Error) => tell(`Not all records have arrived: ${error.message}`));
  for (const execution of executions.values()) succeeded(workflow, execution);
  return records().map(({ json }) => json);
}

function succeeded(workflow: Workflow, execution: Execution): Execution {
  if (execution.status === 'success') return execution;
  throw new Error(
    `Execution ${execution.id} of "${workflow.name}" ended with ${execution.status}: ` +
      (errorOf(execution) ?? 'no message'),
  );
}
