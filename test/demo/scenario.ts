import { randomUUID } from 'node:crypto';

import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import {
  errorOf,
  itemsOf,
  type Credential,
  type Execution,
  type N8nClient,
  type Workflow,
  type WorkflowFile,
} from '../e2e/lib/client';
import { deskNames, readExample } from '../e2e/lib/workflowFiles';
import { DataTables } from '../e2e/lib/dataTables';
import { makeDay, TEMPLATES } from '../e2e/lib/day';
import { withFields } from '../e2e/lib/fields';
import { executionsOf } from '../e2e/lib/inbox';
import { connectAll } from '../e2e/lib/together';
import type { Gateway } from '../sandbox/gateway';
import { PAGES_LOGIN, pagesOf, type Page } from './pages';
import type { Progress } from './progress';
import { conclude } from './summary';

const ORDERS = 250;
const MISTYPED_NUMBER = '1380000abcd';
const REPLIES = ['TD', '谢谢', 'OK', 'When will it arrive?', '换个地址', 'Thanks 👍'];

/** The recipients of the campaign, and how many of them a portion has. One portion is sent every ten seconds. */
export const RECIPIENTS = 1000;
export const PORTION = 20;

/** Who is asked about an appointment. */
export const ASKED = '13810000040';
const ANSWER = '1';

/** The demo runs at any hour, and all its messages go to few numbers. */
const RULES = ['code', 'alarm', 'notice', 'marketing', 'all'].map((name) => ({
  ...{ class: name, check_opt_outs: true, from_hour: 0, to_hour: 24 },
  ...{ outside_hours: 'refuse', per_hour: 0, per_day: 0 },
}));

const LIMIT = { timeout: 60_000 };
/** n8n's triggers poll once a minute. The rest is for a slow machine. */
const POLL_S = 60;
const RECEIVING_LIMIT_MS = 150_000;

interface Stage {
  client: N8nClient;
  gateway: Gateway;
  progress: Progress;
  /** Is called when a workflow that serves a page is published. */
  onPage: (page: Page) => void;
}

/** Plays the demo, prints the result, and returns whether it is right. */
export async function play(stage: Stage): Promise<boolean> {
  const { client, gateway, progress } = stage;
  const tell = progress.tell.bind(progress);
  const webhookKey = { 'x-webhook-key': randomUUID() };
  const tables = new DataTables(client);
  await tables.createShared();
  await tables.insert('sms_rules', RULES);
  const { workflow } = await setUpWorkflows(stage, webhookKey['x-webhook-key']);

  const day = makeDay({ now: new Date() });
  tell(`Filling the dashboard with a day of history: ${day.sends.length} messages ...`);
  await tables.fill(day);
  await tables.insert('sms_templates', TEMPLATES);
  const isNew = (row: IDataObject) => row.run !== day.events[0]?.run;

  tell(`Asking ${ASKED} by SMS whether an appointment suits ...`);
  const appointment = { id: '4001', phone: ASKED, name: 'Li Lei', date: 'June 3, 10:00' };
  await client.callWebhook('appointments', { appointments: [appointment] }, webhookKey);
  await expect.poll(() => gateway.deliveries().has(ASKED), LIMIT).toBe(true);

  const orders = [...Array.from({ length: ORDERS }, (_, index) => order(index)), mistypedOrder()];
  tell(`Sending ${orders.length} notifications, one of them to "${MISTYPED_NUMBER}" ...`);
  await client.callWebhook('orders-shipped', { orders }, webhookKey);
  const sending = await firstExecution(client, workflow('notification-send'));

  gateway.reply({ phoneNumber: ASKED, content: ANSWER });
  REPLIES.forEach((content, index) => {
    gateway.reply({ phoneNumber: order(10 + index).phone, content });
  });
  const replies = 1 + REPLIES.length;
  tell(`${replies} of the virtual phones have replied.`);

  const reports = gateway.deliveries().size;
  const storedOf = async (event: string) =>
    (await tables.count('sms_inbox', { event })) -
    day.events.filter((each) => each.event === event).length;
  const stored = async () => (await storedOf('deliveryReport')) + (await storedOf('reply'));
  await progress
    .during(
      async () => ({
        text:
          `${await storedOf('deliveryReport')} of ${reports} delivery reports and ` +
          `${await storedOf('reply')} of ${replies} replies are stored. The inbox polls once a minute`,
        remark: nextPoll(gateway),
      }),
      expect
        .poll(stored, { timeout: RECEIVING_LIMIT_MS })
        .toBeGreaterThanOrEqual(reports + replies),
    )
    .then(() => tell(`${reports} delivery reports and ${replies} replies are stored.`))
    .catch((error: Error) => tell(`Not all records have arrived: ${error.message}`));
  let confirmed: IDataObject[] = [];
  const answers = async () => {
    const executions = await executionsOf(client, workflow('appointment'));
    confirmed = executions.flatMap((each) => itemsOf(each, 'Confirmed')).map(({ json }) => json);
    return confirmed.length;
  };
  tell(`Waiting until the execution for ${ASKED} goes on ...`);
  await expect.poll(answers, { timeout: RECEIVING_LIMIT_MS }).toBeGreaterThan(0);
  tell(`The execution that waited for ${ASKED} has gone on with the reply "${ANSWER}".`);

  const received = (await tables.rows('sms_inbox')).filter(isNew);
  const campaign = await runCampaign(stage, tables, webhookKey);
  progress.stop();

  return conclude({
    expected: { sent: ORDERS, asked: 1, notSent: 1, replies },
    accepted: itemsOf(sending, 'Sent').map(({ json }) => json),
    notSent: itemsOf(sending, 'Not sent').map(({ json }) => json),
    confirmed,
    reports: received.filter(({ event }) => event === 'deliveryReport'),
    replies: received.filter(({ event }) => event === 'reply'),
    campaign,
    gateway,
  });
}

/** Sets up the credentials, the workflows of the desk and the service check, as a new user does. */
async function setUpWorkflows({ client, gateway, progress, onPage }: Stage, webhookKey: string) {
  const data = gateway.credential() as IDataObject;
  const account = await client.createCredential(
    'SMS Messaging Service account',
    'smsMessagingServiceApi',
    data,
  );
  const test = await client.testCredential(account, data);
  if (test.status !== 'OK') throw new Error(`n8n's test of the credential failed: ${test.message}`);
  progress.tell('The credential is created, and its test in n8n succeeds.');
  const credentials: Credential[] = [
    account,
    await client.createCredential('Header Auth account', 'httpHeaderAuth', {
      name: 'x-webhook-key',
      value: webhookKey,
    }),
    await client.createCredential('Dashboard login', 'httpBasicAuth', { ...PAGES_LOGIN }),
  ];
  const files = deskNames();
  let imported = 0;
  const together = await progress.during(
    () => ({ text: `${imported} of ${files.length} workflows are imported` }),
    connectAll(
      client,
      gateway,
      credentials,
      (name, file) => {
        imported += 1;
        return forTheDemo(name, file);
      },
      (file) => pagesOf(file).forEach(onPage),
    ),
  );
  const check = readExample('service-check');
  await client.publish(await client.importWorkflow(check, credentials));
  pagesOf(check).forEach(onPage);
  progress.tell(`Imported ${imported} workflows, and connected them to the inbox.`);
  return together;
}

/** When the inbox polls next: at most a minute after it has asked last. */
function nextPoll({ requests }: Gateway): string {
  const last = requests.findLast(({ path }) => path.endsWith('/pull'));
  if (!last) return 'soon';
  const due = Number(last.headers['x-timestamp']) + POLL_S - Math.round(Date.now() / 1000);
  return due > 0 ? `next within ${due} s` : 'next now';
}

/** Starts a campaign, and waits until its first messages have arrived. It goes on by itself. */
async function runCampaign(
  { client, gateway, progress }: Stage,
  tables: DataTables,
  webhookKey: Record<string, string>,
) {
  const people = recipients();
  const choices = { campaign: 'Spring', template_id: '302', signature_id: '202', start: true };
  await client.callWebhook('sms-campaign', { ...choices, recipients: people }, webhookKey);
  const arrived = () => people.filter(({ phone }) => gateway.deliveries().has(phone)).length;
  // New rows rest for a minute, so that a list that is posted twice is one.
  await progress.during(
    async () => ({
      text: `A campaign to ${RECIPIENTS}: ${await campaignState(tables)}. It begins after a minute`,
    }),
    expect.poll(arrived, { timeout: RECEIVING_LIMIT_MS }).toBeGreaterThan(0),
  );
  const state = await campaignState(tables);
  progress.tell(`The campaign to ${RECIPIENTS} is under way: ${state}.`);
  return { recipients: new Set(people.map(({ phone }) => phone)), state };
}

/** A campaign sends in portions small enough to watch. */
function forTheDemo(name: string, file: WorkflowFile): WorkflowFile {
  if (name !== 'campaign') return file;
  return withFields(file, 'Settings', { portion_size: PORTION });
}

/** How many rows of the campaign are in each state. */
async function campaignState(tables: DataTables): Promise<string> {
  const counts = new Map<string, number>();
  for (const { status } of await tables.rows('sms_recipients')) {
    counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** A CSV file of a campaign, with a number twice and one that is none. */
export function spreadsheet(): string {
  const people = Array.from({ length: 40 }, (_, index) => ({
    ...order(index % 38),
    ...(index === 39 ? { phone: MISTYPED_NUMBER } : {}),
  }));
  const lines = people.map(({ phone, name, order: id, date }) => [phone, name, id, date]);
  return [['phone', 'name', 'order', 'date'], ...lines].map((each) => `${each}\r\n`).join('');
}

function recipients() {
  return Array.from({ length: RECIPIENTS }, (_, index) => ({
    phone: `139${String(10_000_005 + index * 10)}`,
    name: `Customer ${index + 1}`,
    order: `B-${1001 + index}`,
    date: 'June 3',
  }));
}

/** An order with a phone number of its own. The sandbox fails numbers that end in 0001 to 0003. */
function order(index: number) {
  const group = String(2000 + Math.floor(index / 50));
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
  await expect.poll(count, { message, ...LIMIT }).toBeGreaterThan(0);
  return succeeded(workflow, await client.finishedExecution(id));
}

function succeeded(workflow: Workflow, execution: Execution): Execution {
  if (execution.status === 'success') return execution;
  throw new Error(
    `Execution ${execution.id} of "${workflow.name}" ended with ${execution.status}: ` +
      (errorOf(execution) ?? 'no message'),
  );
}
