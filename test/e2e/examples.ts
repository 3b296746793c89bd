import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { exampleNames, readExample } from './lib/examples';
import { errorOf, hasEnded, itemsOf, type Credential, type Workflow } from './lib/client';
import type { Stage, Step } from './lib/step';

const WEBHOOK_KEY = { name: 'x-webhook-key', value: 'the-webhook-key-of-the-suite' };
const DASHBOARD_LOGIN = { user: 'ops', password: 'dashboard-of-the-suite' };
const LAPTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

/** The workflows to import do what their notes say. */
export const examples: Step[] = [
  {
    name: 'Every example imports, with every node type known and nothing left to guess',
    async run({ client, account }) {
      const { credential } = await account();
      const known = new Set((await client.nodeTypes()).map(({ name }) => name));
      const others = await otherCredentials(client);
      for (const name of exampleNames()) {
        const file = readExample(name);
        for (const node of file.nodes) assert.ok(known.has(node.type), `${name}: ${node.type}`);
        await client.importWorkflow(file, [credential, ...others]);
      }
    },
  },
  {
    name: 'Verification code: sent once, checked once, a wrong and a second try are refused',
    async run(stage) {
      const { client } = stage;
      const { gateway } = await published(stage, 'verification-code');
      const headers = { [WEBHOOK_KEY.name]: WEBHOOK_KEY.value };
      const call = async (path: string, body: object) =>
        JSON.parse(
          await client.callWebhook(`verification-code/${path}`, body, headers),
        ) as IDataObject;
      const phone = '13810000031';

      assert.deepEqual(await call('send', { phone }), { sent: true });
      assert.deepEqual([...gateway.deliveries()], [[phone, 1]]);
      assert.equal((await call('send', { phone })).sent, false);
      assert.equal((await call('send', { phone: 'abc' })).sent, false);
      assert.deepEqual([...gateway.deliveries()], [[phone, 1]]);

      const request = gateway.requests.find(({ path }) => path === '/sendsms/template/send');
      const { code } = (request?.body as { messages: { params: { code: string } }[] }).messages[0]
        ?.params ?? { code: '' };
      assert.match(code, /^\d{6}$/);
      const wrong = code === '000000' ? '000001' : '000000';
      assert.deepEqual(await call('check', { phone, code: wrong }), { valid: false });
      assert.deepEqual(await call('check', { phone: '13810000032', code }), { valid: false });
      assert.deepEqual(await call('check', { phone, code }), { valid: true });
      assert.deepEqual(await call('check', { phone, code }), { valid: false });
    },
  },
  {
    name: 'Balance alert: one SMS a day while the balance is low, none while it is not',
    async run(stage) {
      const { client } = stage;
      const low = await imported(stage, 'balance-alert', { balance: 500 });
      for (let hour = 0; hour < 3; hour += 1) {
        const execution = await client.run(low.workflow, 'Every hour');
        assert.equal(execution.status, 'success', errorOf(execution));
      }
      assert.deepEqual([...low.gateway.deliveries().values()], [1]);

      const enough = await imported(stage, 'balance-alert', { balance: 50_000 });
      const execution = await client.run(enough.workflow, 'Every hour');
      assert.equal(execution.status, 'success', errorOf(execution));
      assert.equal(enough.gateway.deliveries().size, 0);
    },
  },
  {
    name: 'Delivery reports and replies: every record comes out on its own branch',
    async run(stage) {
      const { gateway, credential } = await stage.account();
      gateway.queueReports(30);
      gateway.queueReplies(12);
      const workflow = await publish(stage, 'delivery-reports-and-replies', credential);
      const items = await itemsOnceArrived(stage, workflow, ['Delivery report', 'Reply'], 42);
      assert.equal(items['Delivery report']?.length, 30);
      assert.equal(items.Reply?.length, 12);
    },
  },
  {
    name: 'Delivery dashboard: real reports in a page for laptop and phone, nothing unescaped',
    async run(stage) {
      const { client, visitor, picture } = stage;
      const { gateway, credential } = await stage.account();
      const send = await stage.client.importWorkflow(readExample('notification-send'), [
        credential,
        ...(await otherCredentials(client)),
      ]);
      await client.publish(send);
      const orders = Array.from({ length: 160 }, (_, index) => ({
        phone: `138${1000 + Math.floor(index / 50)}${String(index % 50).padStart(4, '0')}`,
        name: `Customer ${index + 1}`,
        order: `A-${1001 + index}`,
        date: 'June 3',
      }));
      await client.callWebhook(
        'orders-shipped',
        { orders },
        { [WEBHOOK_KEY.name]: WEBHOOK_KEY.value },
      );
      while (gateway.deliveries().size < 160) await sleep(100);
      const attack = '<script>document.title="stolen"</script><img src=x onerror=alert(1)>';
      for (const [index, content] of ['TD', 'When will it arrive?', '谢谢', attack].entries()) {
        gateway.reply({ phoneNumber: orders[index + 10]?.phone ?? '', content });
      }

      const workflow = await publish(stage, 'delivery-dashboard', credential);
      await itemsOnceArrived(stage, workflow, ['Rows'], 164);

      const address = `${client.url}/webhook/sms-dashboard`;
      assert.ok([401, 403].includes((await fetch(address)).status), 'the page asks for a login');
      const httpCredentials = {
        username: DASHBOARD_LOGIN.user,
        password: DASHBOARD_LOGIN.password,
      };
      for (const [name, viewport] of Object.entries({ laptop: LAPTOP, phone: PHONE })) {
        const context = await visitor({ viewport, httpCredentials, colorScheme: 'light' });
        const page = await context.newPage();
        await page.goto(address);
        assert.equal(await page.title(), 'SMS delivery');
        const text = await page.locator('main').innerText();
        assert.match(text, /160\s*reports/);
        assert.match(text, /4\s*replies/);
        assert.ok(text.includes(attack), 'the attack is shown as the text that it is');
        assert.equal(await page.locator('script, img').count(), 0);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `nothing sticks out: ${width}`);
        await picture(
          { screenshot: (options) => page.screenshot({ ...options, fullPage: true }) },
          `dashboard-${name}`,
        );
      }
    },
  },
];

async function otherCredentials(client: Stage['client']): Promise<Credential[]> {
  return [
    await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY),
    await client.createCredential('Dashboard login', 'httpBasicAuth', DASHBOARD_LOGIN),
  ];
}

async function imported(stage: Stage, name: string, options?: Parameters<Stage['account']>[0]) {
  const { gateway, credential } = await stage.account(options);
  const workflow = await stage.client.importWorkflow(readExample(name), [
    credential,
    ...(await otherCredentials(stage.client)),
  ]);
  return { gateway, workflow };
}

async function published(stage: Stage, name: string) {
  const { gateway, workflow } = await imported(stage, name);
  await stage.client.publish(workflow);
  return { gateway, workflow };
}

async function publish(stage: Stage, name: string, credential: Credential): Promise<Workflow> {
  const workflow = await stage.client.importWorkflow(readExample(name), [
    credential,
    ...(await otherCredentials(stage.client)),
  ]);
  await stage.client.publish(workflow);
  return workflow;
}

/** What nodes put out over all executions of a workflow, once there are so many items. */
async function itemsOnceArrived(
  { client }: Stage,
  workflow: Workflow,
  nodes: string[],
  wanted: number,
): Promise<Record<string, IDataObject[]>> {
  const deadline = Date.now() + 150_000;
  for (;;) {
    const found: Record<string, IDataObject[]> = {};
    for (const { id } of (await client.executions(workflow)).filter(hasEnded)) {
      const execution = await client.execution(id);
      assert.equal(execution.status, 'success', errorOf(execution));
      for (const node of nodes) {
        (found[node] ??= []).push(...itemsOf(execution, node).map(({ json }) => json));
      }
    }
    const count = Object.values(found).flat().length;
    if (count >= wanted) return found;
    if (Date.now() > deadline) throw new Error(`${count} of ${wanted} items arrived`);
    await sleep(500);
  }
}
