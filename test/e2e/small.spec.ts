/** The small workflows of the desk on top of the inbox and the outbox, with the sandbox as the service. */
import { readFile } from 'node:fs/promises';

import type { Page } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import { publishCaller } from './lib/callers';
import {
  itemsOf,
  type Execution,
  type N8nClient,
  type Workflow,
  type WorkflowFile,
} from './lib/client';
import { DataTables } from './lib/dataTables';
import { addTemplates, picked, readDesk, withChoices } from './lib/workflowFiles';
import { withFields } from './lib/fields';
import { executionsOf } from './lib/inbox';
import { startModel } from './lib/model';
import { startSmtp } from './lib/smtp';
import { publishBoth } from './lib/publishOutbox';
import { expect, test as base, type Account } from './lib/test';
import { WEBHOOK_KEY, WITH_KEY } from './lib/webhookKey';
import { anyNode, chain } from './lib/workflow';

interface Outbox extends Account {
  tables: DataTables;
}

/** The outbox, published, with empty tables. Nothing waits for the morning. */
const test = base.extend<{ outbox: Outbox }>({
  outbox: async ({ client, openAccount }, use) => {
    const account = await openAccount();
    addTemplates(account.gateway);
    const tables = new DataTables(client);
    await tables.remove();
    await tables.createShared();
    const always = { check_opt_outs: false, from_hour: 0, to_hour: 24, outside_hours: 'refuse' };
    const classes = ['notice', 'alarm', 'all'].map((name) => ({ class: name, ...always }));
    await tables.insert(
      'sms_rules',
      classes.map((each) => ({ ...each, per_hour: 20, per_day: 1000 })),
    );
    await publishBoth(client, account.credential);
    await use({ ...account, tables });
  },
});

/** The executions of a workflow, when so many have ended. */
async function ended(client: N8nClient, workflow: Workflow, count: number): Promise<Execution[]> {
  const all = async () =>
    (await client.executions(workflow)).filter(({ status }) => status !== 'running');
  await expect.poll(async () => (await all()).length).toBe(count);
  return await executionsOf(client, workflow);
}

/** Publishes a workflow that fails when its webhook is called. */
async function publishFailing(client: N8nClient, name: string, errorWorkflow: string) {
  const webhook = anyNode('n8n-nodes-base.webhook', 2, 'Webhook', {
    httpMethod: 'POST',
    path: name,
    responseMode: 'onReceived',
  });
  const fail = anyNode('n8n-nodes-base.stopAndError', 1, 'Read the orders', {
    errorMessage: `The shop\nis down. ${'x'.repeat(500)}`,
  });
  const file = chain(name, { ...webhook, webhookId: name }, fail);
  await client.publish(
    await client.importWorkflow({ ...file, settings: { ...file.settings, errorWorkflow } }, []),
  );
  return () => client.callWebhook(name, {});
}

test('Workflow failed: one SMS per workflow and hour, and none about the outbox itself', async ({
  client,
  outbox: { credential, gateway, tables },
}) => {
  const file = withFields(readDesk('workflow-failed'), 'Message', {
    phone: '13810000061, 13810000062',
    signature_id: '202',
  });
  const workflow = await client.importWorkflow(file, []);
  await client.publish(workflow);
  const [fail, other] = [
    await publishFailing(client, 'import-orders', workflow.id),
    await publishFailing(client, 'other', workflow.id),
  ];
  await Promise.all([fail(), fail(), fail()]);
  await ended(client, workflow, 3);
  await other();
  await ended(client, workflow, 4);
  // A test that runs over the full hour gets one more.
  expect(Object.fromEntries(gateway.deliveries())).toEqual({ 13810000061: 2, 13810000062: 2 });
  const rows = await tables.rows('sms_outbox', { status: 'accepted' });
  expect(rows.map(({ text }) => String(text).slice(0, 68))).toContain(
    '【云岭商城】n8n: import-orders failed at Read the orders: The shop is down',
  );
  for (const { text, reference, class: name } of rows) {
    expect(String(text).length).toBeLessThanOrEqual('【云岭商城】'.length + 130);
    expect(reference).toMatch(/\/executions\/\d+$/);
    expect(name).toBe('alarm');
  }

  // The outbox fails, and this is its error workflow too.
  const broken = withChoices(readDesk('outbox'), {
    Rows: { jsCode: "throw new Error('The table is full.');" },
  });
  broken.settings = { ...broken.settings, errorWorkflow: workflow.id };
  await client.publish(await client.importWorkflow(broken, [credential]));
  await fail();
  const all = await ended(client, workflow, 6);
  const messages = all.map((each) => itemsOf(each, 'Message').length);
  expect(messages.toSorted()).toEqual([0, 1, 1, 1, 1, 1]);
  expect((await client.executions(workflow)).length, 'it does not go on').toBe(6);
});

/** Uploads a CSV file in the form of the workflow, and returns the file that comes back. */
async function upload(page: Page, url: string, mailing: string, text: string): Promise<string> {
  await page.goto(url);
  const allow = page.getByRole('button', { name: 'Allow access' });
  const name = page.getByLabel('Name of the mailing');
  await expect(allow.or(name)).toBeVisible();
  if (await allow.isVisible()) await allow.click();
  await name.fill(mailing);
  const buffer = Buffer.from(text);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Send' }).click();
  return await readFile(await (await download).path(), 'utf8');
}

test('Sheet: a CSV file comes back with the status of each row, and a second run sends nothing twice', async ({
  client,
  page,
  outbox: { gateway },
}) => {
  const example = withFields(readDesk('sheet-send'), 'Message', {
    template_id: '302',
    signature_id: '202',
  });
  // Google cannot be reached here, but n8n checks the parameters of its nodes.
  const chosen = { documentId: picked('document'), sheetName: picked(0) };
  const sheet = { 'Read the sheet': chosen, 'Write the status into the sheet': chosen };
  const missing = await client.importWorkflow(withChoices(example, sheet), []);
  const answer = await client.publish(missing).then(String, String);
  expect(answer.match(/Missing.*/g)).toEqual(
    Array(2).fill('Missing required credential: googleSheetsOAuth2Api'),
  );
  // As the note says: without Google.
  const off = ['Every 10 minutes', 'Read the sheet', 'Write the status into the sheet'];
  const nodes = example.nodes.map((each) => ({ ...each, disabled: off.includes(each.name) }));
  await client.publish(await client.importWorkflow({ ...example, nodes }, []));
  const url = `${client.url}/form/sms-sheet-send`;
  const file = [
    '\uFEFFphone,name,order,date,status',
    '138 1000 0071,"Li, Lei",A-1,June 3,',
    '13810000072,王芳,A-2,June 3,',
    '13810000073,Sent before,A-3,June 3,accepted',
    ',,,,',
    'abc,No number,A-4,June 3,',
    '13810000071,"Li, Lei",A-5,June 4,',
    '',
  ].join('\n');

  const first = (await upload(page, url, 'Orders', file)).trim().split('\n');
  expect(first[0]).toBe('phone,name,order,date,status,reason,batch_id');
  expect(
    first.slice(1).map((line) =>
      line
        .match(/A-\d.*?,(\w+),/)
        ?.slice(1)
        .join(),
    ),
  ).toEqual(['accepted', 'accepted', 'rejected', 'accepted']);
  const sent = { 13810000071: 2, 13810000072: 1 };
  expect(Object.fromEntries(gateway.deliveries())).toEqual(sent);

  // Other rows, in another order and notation.
  const moved = file.replace('138 1000 0071', '+8613810000071').split('\n');
  const again = await upload(
    page,
    url,
    'Orders',
    [moved[0], ...moved.slice(1).reverse()].join('\n'),
  );
  expect(again.match(/skipped/g)).toHaveLength(3);
  expect(Object.fromEntries(gateway.deliveries())).toEqual(sent);

  await upload(page, url, 'Other mailing', file);
  expect([...gateway.deliveries().values()].reduce((a, b) => a + b)).toBe(6);
});

/** A row of sms_inbox, stored. */
async function reply(
  tables: DataTables,
  phone_number: string,
  content: string,
): Promise<IDataObject> {
  const time = new Date().toISOString();
  const row = { event: 'reply', phone_number, content, time };
  await tables.insert('sms_inbox', [row]);
  return (await tables.rows('sms_inbox', { phone_number })).at(-1) as IDataObject;
}

test('On call: the second is asked when the first does not answer, and nobody when somebody has', async ({
  client,
  outbox: { gateway, tables },
}) => {
  const people = ['13810000081', '138-1000-0082', 'abc', '+86 138 1000 0083'];
  const settings = {
    minutes: 0.1,
    people: people.map((each, i) => `Person ${i} ${each}`).join('\n'),
  };
  const file = withFields(readDesk('on-call'), 'On call', settings);
  const workflow = await client.importWorkflow(
    withFields(withChoices(file, { 'Wait a minute': { amount: 1 } }), 'Message', {
      signature_id: '202',
    }),
    [],
  );
  await client.publish(workflow);
  const key = await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY);
  await client.publish(await client.importWorkflow(readDesk('on-call-webhook'), [key]));
  const asked = () => [...gateway.deliveries().keys()];

  // Not an answer: another text, and a stranger.
  await client.callWebhook('sms-on-call', { alarm: 'The shop is down' }, WITH_KEY);
  await expect.poll(asked).toEqual(['13810000081']);
  await reply(tables, '13810000081', 'On a plane');
  await reply(tables, '13999999999', '1');
  await expect.poll(asked).toEqual(['13810000081', '13810000082']);
  await reply(tables, '13810000082', ' １。');
  const [taken] = await ended(client, workflow, 1);
  expect(taken && itemsOf(taken, 'Taken').map(({ json }) => json)).toEqual([
    { outcome: 'taken', name: 'Person 1', phone_number: '13810000082', alarm: 'The shop is down' },
  ]);
  expect(Object.fromEntries(gateway.deliveries())).toEqual({ 13810000081: 1, 13810000082: 1 });

  // An old answer takes no new alarm. Who has no number is passed over.
  await client.callWebhook('sms-on-call', { alarm: 'Down again' }, WITH_KEY);
  const [, nobody] = await ended(client, workflow, 2);
  expect(nobody && itemsOf(nobody, 'Not taken').map(({ json }) => json)).toEqual([
    { outcome: 'nobody', alarm: 'Down again' },
  ]);
  expect([...gateway.deliveries().values()]).toEqual([2, 2, 1]);
});

/** The workflow with short waits, and the addresses that a user enters. */
function conversation(): WorkflowFile {
  const file = withFields(readDesk('conversation-agent'), 'Answer', { signature_id: '202' });
  const mail = file.nodes.find(({ name }) => name === 'Send a mail to a person')?.parameters;
  return withChoices(file, {
    'Wait for more replies': { amount: 4 },
    'Send a mail to a person': {
      ...mail,
      fromEmail: 'n8n@example.com',
      toEmail: 'person@example.com',
    },
  });
}

test('Conversation: one answer for each burst, and none to a number that a person has taken over', async ({
  client,
  outbox: { gateway, tables },
}) => {
  const smtp = await startSmtp();
  const model = await startModel((_, earlier) => `Answer ${earlier}`);
  const workflow = await client.importWorkflow(conversation(), [
    await client.createCredential('OpenAI account', 'openAiApi', { apiKey: 'k', url: model.url }),
    await client.createCredential('SMTP account', 'smtp', smtp.credential),
  ]);
  await client.publish(workflow);
  await expect
    .poll(() => tables.rows('sms_subscribers'))
    .toMatchObject([{ workflow_id: workflow.id, wants: 'reply' }]);
  const call = await publishCaller(client, workflow);
  const [one, other] = ['13810000091', '13810000092'];

  // Two pages, with a burst of three and one of another number.
  const page = [
    await reply(tables, one, 'Hello'),
    await reply(tables, other, 'Are you open?'),
    await reply(tables, one, 'When do you'),
  ];
  const first = call(page);
  const next = [await reply(tables, one, 'open?'), await reply(tables, '13810000093', ' 1。')];
  await Promise.all([first, call(next)]);
  expect(Object.fromEntries(gateway.deliveries())).toEqual({ [one]: 1, [other]: 1 });
  const asked = model.requests.map(({ messages }) => messages.at(-1)?.content).sort();
  expect(asked).toEqual([
    'Customer: Are you open?',
    'Customer: Hello\nCustomer: When do you\nCustomer: open?',
  ]);

  // The inbox may hand over a page twice.
  await Promise.all([call(page), call(next)]);
  expect(model.requests).toHaveLength(2);
  // The agent knows what was said before.
  await call([await reply(tables, one, 'And on Sunday?')]);
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toMatch(
    /open\?\nWe: Answer \d\nCustomer: And on Sunday\?$/,
  );
  expect(Object.fromEntries(gateway.deliveries())).toEqual({ [one]: 2, [other]: 1 });

  await call([await reply(tables, one, '转人工'), await reply(tables, other, 'Thank you')]);
  await call([await reply(tables, one, 'Hello??')]);
  expect(Object.fromEntries(gateway.deliveries())).toEqual({ [one]: 2, [other]: 2 });
  expect(await tables.rows('sms_human')).toMatchObject([{ phone_number: one }]);
  expect(smtp.mails).toEqual([
    expect.objectContaining({ text: expect.stringContaining('Customer: 转人工') as unknown }),
    expect.objectContaining({ text: expect.stringContaining('Customer: Hello??') as unknown }),
  ]);

  // Nobody is left without an answer when the model fails.
  await model.close();
  await call([await reply(tables, other, 'Are you there?')]);
  await smtp.close();
  expect(smtp.mails.at(-1)?.subject).toContain(other);
  expect(Object.fromEntries(gateway.deliveries())).toEqual({ [one]: 2, [other]: 2 });
});
