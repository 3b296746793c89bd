/** The example workflows do what their notes say. */
import type { IDataObject } from 'n8n-workflow';

import type { GatewayOptions } from '../sandbox/gateway';
import {
  errorOf,
  hasEnded,
  itemsOf,
  type Credential,
  type N8nClient,
  type Workflow,
} from './lib/client';
import { exampleNames, readExample } from './lib/examples';
import { pictureFile } from './lib/paths';
import { expect, test as base, type Account } from './lib/test';

const WEBHOOK_KEY = { name: 'x-webhook-key', value: 'the-webhook-key-of-the-suite' };
const WITH_KEY = { [WEBHOOK_KEY.name]: WEBHOOK_KEY.value };
const DASHBOARD_LOGIN = { user: 'ops', password: 'dashboard-of-the-suite' };
const LAPTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

interface Fixtures {
  /** The credentials that examples need besides the account. */
  otherCredentials: Credential[];
  /** Imports an example with an account of its own. */
  importExample(name: string, options?: GatewayOptions): Promise<Account & { workflow: Workflow }>;
}

const test = base.extend<Fixtures>({
  otherCredentials: async ({ client }, use) => {
    await use([
      await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
      await client.createCredential('Dashboard login', 'httpBasicAuth', DASHBOARD_LOGIN),
      await client.createCredential('OpenAI account', 'openAiApi', { apiKey: 'none' }),
    ]);
  },
  importExample: async ({ client, openAccount, otherCredentials }, use) => {
    await use(async (name, options) => {
      const account = await openAccount(options);
      const credentials = [account.credential, ...otherCredentials];
      return { ...account, workflow: await client.importWorkflow(readExample(name), credentials) };
    });
  },
});

test('Every example can be imported, and n8n knows the type of every node', async ({
  client,
  importExample,
}) => {
  const known = (await client.nodeTypes()).map(({ name }) => name);
  for (const name of exampleNames()) {
    const { nodes } = readExample(name);
    expect(known, name).toEqual(expect.arrayContaining(nodes.map(({ type }) => type)));
    await importExample(name);
  }
});

test('Verification code: sent once, checked once, a wrong and a second try are refused', async ({
  client,
  importExample,
}) => {
  const { gateway, workflow } = await importExample('verification-code');
  await client.publish(workflow);
  const call = async (path: string, body: object) =>
    JSON.parse(
      await client.callWebhook(`verification-code/${path}`, body, WITH_KEY),
    ) as IDataObject;
  const phone = '13810000031';

  expect(await call('send', { phone })).toEqual({ sent: true });
  expect([...gateway.deliveries()]).toEqual([[phone, 1]]);
  expect((await call('send', { phone })).sent).toBe(false);
  expect((await call('send', { phone: 'abc' })).sent).toBe(false);
  expect([...gateway.deliveries()]).toEqual([[phone, 1]]);

  const request = gateway.requests.find(({ path }) => path === '/sendsms/template/send');
  const [message] = (request?.body as { messages: { params: { code: string } }[] }).messages;
  const code = message?.params.code ?? '';
  expect(code).toMatch(/^\d{6}$/);
  const wrong = code === '000000' ? '000001' : '000000';
  expect(await call('check', { phone, code: wrong })).toEqual({ valid: false });
  expect(await call('check', { phone: '13810000032', code })).toEqual({ valid: false });
  expect(await call('check', { phone, code })).toEqual({ valid: true });
  expect(await call('check', { phone, code })).toEqual({ valid: false });
});

test('Balance alert: one SMS a day while the balance is low, none while it is not', async ({
  client,
  importExample,
}) => {
  const low = await importExample('balance-alert', { balance: 500 });
  for (let hour = 0; hour < 3; hour += 1) {
    const execution = await client.run(low.workflow, 'Every hour');
    expect(execution.status, errorOf(execution)).toBe('success');
  }
  expect([...low.gateway.deliveries().values()]).toEqual([1]);

  const enough = await importExample('balance-alert', { balance: 50_000 });
  const execution = await client.run(enough.workflow, 'Every hour');
  expect(execution.status, errorOf(execution)).toBe('success');
  expect(enough.gateway.deliveries().size).toBe(0);
});

test('Delivery reports and replies: every record comes out on its own branch', async ({
  client,
  importExample,
}) => {
  const { gateway, workflow } = await importExample('delivery-reports-and-replies');
  gateway.queueReports(30);
  gateway.queueReplies(12);
  await client.publish(workflow);
  const items = await itemsOnceArrived(client, workflow, ['Delivery report', 'Reply'], 42);
  expect(items['Delivery report']).toHaveLength(30);
  expect(items.Reply).toHaveLength(12);
});

test('Delivery dashboard: a page with real reports for laptop and phone, nothing unescaped', async ({
  browser,
  client,
  importExample,
  otherCredentials,
}) => {
  const { gateway, credential, workflow } = await importExample('delivery-dashboard');
  const credentials = [credential, ...otherCredentials];
  await client.publish(await client.importWorkflow(readExample('notification-send'), credentials));
  const orders = Array.from({ length: 160 }, (_, index) => ({
    phone: `138${1000 + Math.floor(index / 50)}${String(index % 50).padStart(4, '0')}`,
    name: `Customer ${index + 1}`,
    order: `A-${1001 + index}`,
    date: 'June 3',
  }));
  await client.callWebhook('orders-shipped', { orders }, WITH_KEY);
  await expect.poll(() => gateway.deliveries().size).toBe(160);
  const attack = '<script>document.title="stolen"</script><img src=x onerror=alert(1)>';
  for (const [index, content] of ['TD', 'When will it arrive?', '谢谢', attack].entries()) {
    gateway.reply({ phoneNumber: orders[index + 10]?.phone ?? '', content });
  }
  await client.publish(workflow);
  await itemsOnceArrived(client, workflow, ['Rows'], 164);

  const address = `${client.url}/webhook/sms-dashboard`;
  expect([401, 403], 'the page asks for a login').toContain((await fetch(address)).status);
  const { user: username, password } = DASHBOARD_LOGIN;
  for (const [name, viewport] of Object.entries({ laptop: LAPTOP, phone: PHONE })) {
    const page = await browser.newPage({ viewport, httpCredentials: { username, password } });
    await page.goto(address);
    await expect(page).toHaveTitle('SMS delivery');
    const main = page.locator('main');
    await expect(main).toContainText(/160\s*reports/);
    await expect(main).toContainText(/4\s*replies/);
    await expect(main, 'the attack is shown as text').toContainText(attack);
    await expect(page.locator('script, img')).toHaveCount(0);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, 'nothing is wider than the window').toBeLessThanOrEqual(viewport.width);
    await page.screenshot({ path: pictureFile(`dashboard-${name}`), fullPage: true });
    await page.close();
  }
});

/** The items that nodes have put out in all executions of a workflow, once there are enough. */
async function itemsOnceArrived(
  client: N8nClient,
  workflow: Workflow,
  nodes: string[],
  wanted: number,
): Promise<Record<string, IDataObject[]>> {
  let found: Record<string, IDataObject[]> = {};
  const count = async () => {
    const ended = (await client.executions(workflow)).filter(hasEnded);
    const executions = await Promise.all(ended.map(({ id }) => client.execution(id)));
    for (const each of executions) expect(each.status, errorOf(each)).toBe('success');
    found = Object.fromEntries(
      nodes.map((node) => [
        node,
        executions.flatMap((each) => itemsOf(each, node)).map(({ json }) => json),
      ]),
    );
    return Object.values(found).flat().length;
  };
  const message = `${wanted} items have arrived`;
  await expect.poll(count, { message, timeout: 150_000 }).toBeGreaterThanOrEqual(wanted);
  return found;
}
