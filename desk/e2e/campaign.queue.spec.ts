/** The desk in queue mode: what several workers may do. */
import { readFileSync } from 'node:fs';

import { publishCaller } from '../kit/callers';
import { Campaign, people } from '../kit/campaign';
import {
  errorOf,
  type Account,
  type N8nClient,
  type WorkflowFile,
} from '../../test/kit/n8n/client';
import { callAtOnce, Gate } from '../kit/gate';
import type { N8n } from '../../test/kit/n8n/n8n';
import { LOGIN, pageAt } from '../kit/pages';
import { expect, test } from '../../test/e2e/lib/queueTest';
import { deskKey, deskWorkflows, installDesk, type Store } from '../kit/store';
import { WEBHOOK_KEY, WITH_KEY } from '../../test/kit/n8n/webhookKey';
import { deskNames, readDesk, withFields } from '../../test/kit/workflows/workflowFiles';

const ROWS = 3_000;
const SEND_PATH = '/sendsms/template/send';
const MINUTES = 60_000;
const LIMIT = 6 * MINUTES;

test(`${ROWS} rows, two workers: nobody twice`, async ({ openAccount, queueMode, store }) => {
  test.setTimeout(LIMIT + 10 * MINUTES);
  const { client, workers } = queueMode;
  const { tables } = store;
  const account = await openAccount({
    latencyMs: 50,
    balance: 10 * ROWS + 10_000,
    recordRequests: false,
  });
  const { gateway } = account;

  await test.step('calls at the same moment send each key once, and keep the limits exactly', async () => {
    const gate = await Gate.open(client, account, store);
    await callAtOnce(gate, gateway, [
      { calls: 60, messages: 1 },
      { calls: 10, messages: 30 },
      { calls: 10, messages: 60 },
    ]);
  });
  await client.deactivateAll();

  const settings = { portion_size: 500 };
  const spring = await Campaign.open(client, account, store, settings);
  await tables.clear('sms.campaigns');
  await tables.update('sms.rules', { class: 'all' }, { per_day: 0 });
  await publishInbox(client, account, store);
  await spring.publishParts();
  const everybody = people(ROWS, 100_000);
  const optedOut = everybody.slice(100, 120).map(({ phone }) => String(phone));
  await spring.optOut(...optedOut);

  await test.step('two loads at once, and Start pressed six times', async () => {
    const others = { template_id: '302', signature_id: '202' };
    await Promise.all([spring.load(everybody, others), spring.load(everybody, others)]);
    expect(await spring.count('pending')).toBe(ROWS);
    expect(await tables.count('sms.campaigns', { campaign: spring.name })).toBe(1);
    await spring.letRest();
    const token = await spring.token();
    const presses = await Promise.all([1, 2, 3, 4, 5, 6].map(() => spring.press('start', token)));
    expect(presses.sort(), 'one of them').toEqual([303, 409, 409, 409, 409, 409]);
    expect((await spring.row()).state).toBe('running');
  });

  const left = async () => (await spring.count('pending')) + (await spring.count('sending'));
  await client.publish(spring.workflow);
  let lost: string[] = [];
  await expect.poll(left, { timeout: LIMIT, intervals: [100] }).toBeLessThan(0.7 * ROWS);
  // No worker gets to write down what the gateway has accepted of these requests.
  gateway.fault({ kind: 'slow', path: SEND_PATH, delayMs: 8_000, times: 8 });
  const portions = async () =>
    new Set((await spring.rows('sending')).map(({ portion }) => portion)).size;
  await expect.poll(portions, { timeout: MINUTES, intervals: [100] }).toBeGreaterThan(1);
  expect(await portions()).toBeLessThanOrEqual(4);
  // n8n may give all portions to one of the workers.
  let killed: N8n | undefined;
  const underWay = async () => {
    const { accepted } = gateway.state;
    const rows = (await spring.rows('sending')).filter((row) => accepted.has(row.phone_number));
    killed = workers.find((worker) => startedBy(worker).has(rows[0]?.portion ?? ''));
    lost = rows
      .filter(({ portion }) => portion === rows[0]?.portion)
      .map((row) => row.phone_number);
    return killed !== undefined;
  };
  await expect.poll(underWay, { timeout: 3 * MINUTES, intervals: [50] }).toBe(true);
  await killed?.kill();
  await spring.letTimePass();
  await expect.poll(left, { timeout: LIMIT, intervals: [250] }).toBe(0);
  const state = async () => (await spring.row()).state;
  await expect.poll(state, { timeout: 2 * MINUTES }).toBe('done');
  await expect.poll(() => gateway.state.reportsLeft, { timeout: LIMIT }).toBe(0);
  await expect.poll(() => spring.count('accepted'), { timeout: LIMIT }).toBe(0);

  // What the gateway has seen decides.
  const all = new Set(everybody.map(({ phone }) => String(phone)));
  const got = [...gateway.deliveries()].filter(([phone]) => all.has(phone));
  expect(got.filter(([, count]) => count !== 1)).toEqual([]);
  const rows = await spring.rows();
  const of = (...states: string[]) =>
    rows.filter(({ status }) => states.includes(status)).map((row) => row.phone_number);
  expect(of('accepted', 'delivered', 'failed').sort()).toEqual(got.map(([phone]) => phone).sort());
  expect(of('opted_out').sort()).toEqual(optedOut);
  expect(of('pending')).toEqual([]);
  expect(rows).toHaveLength(ROWS);
  expect(of('accepted', 'delivered', 'failed')).toEqual(expect.arrayContaining(lost));
  const page = await spring.page();
  expect(page).toContain('Spring &lt;b&gt;');
});

async function publishInbox(
  client: N8nClient,
  { credential }: Account,
  { credentials }: Store,
): Promise<void> {
  const key = await client.createCredential('Provider', 'httpHeaderAuth', WEBHOOK_KEY);
  for (const name of ['inbox-serve', 'inbox']) {
    const all = [credential, key, ...credentials];
    await client.publish(await client.importWorkflow(readDesk(name), all));
  }
}

/** The IDs of the executions that a worker has started. */
function startedBy({ logFile }: N8n): Set<string> {
  const log = readFileSync(logFile, 'utf8');
  return new Set([...log.matchAll(/Worker started execution (\d+)/g)].map(([, id = '']) => id));
}

test('PostgreSQL restarts in the middle: nobody twice, nothing lost', async ({
  openAccount,
  queueMode,
  store,
}) => {
  test.setTimeout(20 * MINUTES);
  const { client, postgres, restartMain } = queueMode;
  const account = await openAccount({ latencyMs: 50, recordRequests: false });
  const { gateway } = account;
  const settings = { portion_size: 50 };
  const spring = await Campaign.open(client, account, store, settings);
  await store.tables.clear('sms.subscribers');
  await publishInbox(client, account, store);
  await spring.insert(people(600, 200_000));
  await client.publish(spring.workflow);
  for (const [how, awayMs] of [
    ['fast', 0],
    ['immediate', 0],
    ['immediate', 5_000],
  ] as const) {
    const { size } = gateway.state.accepted;
    gateway.fault({ kind: 'slow', path: SEND_PATH, delayMs: 3_000, times: 2 });
    const sent = () => gateway.state.accepted.size;
    await expect.poll(sent, { timeout: 3 * MINUTES, intervals: [50] }).toBeGreaterThan(size + 50);
    await postgres.restart(how, awayMs);
    await spring.letTimePass();
  }
  const left = async () => (await spring.count('pending')) + (await spring.count('sending'));
  await expect.poll(left, { timeout: 5 * MINUTES, intervals: [500] }).toBe(0);

  // The trigger waits for ten minutes for an execution with a page that n8n has lost, or until n8n starts.
  await restartMain('stop');
  const sent = [...gateway.deliveries()];
  const stored = () => store.tables.count('sms.inbox');
  await expect.poll(stored, { timeout: 5 * MINUTES }).toBe(sent.length);
  const delivered = () => spring.count('delivered');
  await expect.poll(delivered, { timeout: 3 * MINUTES }).toBe(sent.length);
  expect(sent.filter(([, count]) => count !== 1)).toEqual([]);
  const records = await store.tables.rows('sms.inbox');
  expect(new Set(records.map((record) => record.phone_number)).size).toBe(sent.length);
  // Of what was under way it is not known, in four portions at each restart.
  const rows = await spring.rows('unknown');
  expect(rows.length + sent.length).toBe(600);
  expect(rows.length).toBeLessThanOrEqual(3 * 4 * 50);
});

test('npm run desk: every workflow works, and each page shows it', async ({
  openAccount,
  queueMode,
  smtp,
  store,
}) => {
  test.setTimeout(8 * MINUTES);
  const { client } = queueMode;
  const { gateway } = await openAccount({ balance: 100_000 });
  const { tables } = store;
  await client.createCredential('SMS desk: campaigns', 'httpHeaderAuth', WEBHOOK_KEY);
  await client.createCredential('SMS desk: pages', 'httpBasicAuth', LOGIN);
  await client.createCredential('Mail', 'smtp', smtp.credential);
  const key = await deskKey(client);
  const made = await installDesk(client, key);
  expect(made.match(/^new +SMS · /gm), made).toHaveLength(deskNames().length);
  const workflow = await deskWorkflows(client);
  // Its owner enters addresses, and has it published.
  const { id: watchdog } = workflow('watchdog');
  const stored = await client.call<WorkflowFile>('GET', `/rest/workflows/${watchdog}`);
  const addresses = { mail_from: 'sms@example.com', mail_to: 'ops@example.com' };
  const { nodes } = withFields(stored, 'Settings', addresses);
  await client.updateWorkflow(watchdog, { nodes });
  await installDesk(client, key, '--only', 'watchdog');
  const again = await installDesk(client, key);
  expect(again.match(/^unchanged +SMS · /gm), again).toHaveLength(deskNames().length);

  const rules = () => tables.count('sms.rules').catch(() => 0);
  await expect.poll(rules).toBeGreaterThan(4);
  const always = { from_hour: 0, to_hour: 24, per_hour: 0, per_day: 0 };
  await tables.update('sms.rules', {}, always);
  const shop = await publishCaller(client, workflow('outbox'));
  const ids = { source: 'Shop', template_id: '302', signature_id: '202' };
  const orders = people(80).map(({ phone, ...parameters }) => ({
    ...{ ...ids, phone, parameters, key: `order ${String(phone)}` },
  }));
  await Promise.all([shop(orders), shop(orders)]);
  const others = { campaign: 'Spring', template_id: '302', signature_id: '202' };
  const recipients = people(20, 1_000);
  await client.callWebhook('sms-campaign', { ...others, recipients, start: true }, WITH_KEY);
  for (const { phone } of people(3)) {
    gateway.state.reply({ phoneNumber: String(phone), content: 'TD' });
  }
  const records = () => tables.count('sms.inbox');
  await expect.poll(() => gateway.deliveries().size, { timeout: 4 * MINUTES }).toBe(100);
  await expect.poll(records, { timeout: 4 * MINUTES }).toBe(103);
  expect(new Set(gateway.deliveries().values()), 'each once').toEqual(new Set([1]));
  expect(await tables.count('sms.opt_outs')).toBe(3);
  await expect
    .poll(() => tables.count('sms.recipients', { status: 'delivered' }), { timeout: MINUTES })
    .toBe(20);
  for (const name of ['sms-status', 'sms-dashboard', 'sms-conversations', 'sms-campaign']) {
    const page = await pageAt(client, name);
    expect(page, name).not.toMatch(/could not be read|undefined|NaN|\[object/);
  }
  const { id } = (await tables.rows('sms.campaigns'))[0] ?? {};
  expect(await pageAt(client, `sms-campaign?campaign=${Number(id)}`)).toContain('Spring');
  // The outbox keeps no execution: what its minute does shows in the table.
  const cut = { phone_number: '13810009999', status: 'claimed' };
  const sent_at = new Date(Date.now() - 60 * MINUTES).toISOString();
  await tables.insert('sms.outbox', [{ ...cut, sent_at }]);
  await expect
    .poll(() => tables.count('sms.outbox', { ...cut, status: 'unknown' }), { timeout: 2 * MINUTES })
    .toBe(1);
  for (const [name, start] of [
    ['upkeep', 'Every 5 minutes'],
    ['watchdog', startOf(workflow('watchdog'))],
  ] as const) {
    expect(errorOf(await client.run(workflow(name), start)), name).toBeUndefined();
  }
  for (const each of deskNames().map(workflow)) {
    const failed = (await client.executions(each)).filter(({ status }) => status === 'error');
    for (const { id } of failed) {
      expect(errorOf(await client.execution(id)), each.name).toBeUndefined();
    }
  }
});

const startOf = ({ nodes }: WorkflowFile) =>
  nodes.find(({ type }) => type.endsWith('.scheduleTrigger'))?.name ?? '';
