/** The desk on PostgreSQL (`npm run desk -- --store postgres`): what data tables do, and what several workers may do. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { tablesOf, toPostgres } from '../../desk/postgres.mjs';
import { publishCaller } from './lib/callers';
import { Campaign, people, progressPage, type CampaignRow } from './lib/campaign';
import { errorOf, itemsOf, type Workflow, type WorkflowFile } from './lib/client';
import { code, Gate, type Result } from './lib/gate';
import { MemoryWatch, thirds } from './lib/memory';
import type { N8n } from './lib/n8n';
import { Outbox } from './lib/outbox';
import { outputFolder } from './lib/paths';
import { expect, test } from './lib/queueTest';
import { startSmtp } from './lib/smtp';
import { dataTables, deskKey, installDesk, postgres } from './lib/store';
import { LOGIN } from './lib/test';
import { WEBHOOK_KEY, WITH_KEY } from './lib/webhookKey';
import { deskNames, readDesk } from './lib/workflowFiles';
import { anyNode, chain, manualTrigger } from './lib/workflow';

/** `CAMPAIGN_ROWS=100000 npm run e2e -- --project campaign -g 'nobody twice'` sends so many. */
const ROWS = Number(process.env.CAMPAIGN_ROWS ?? 3_000);
const PORTION = Number(process.env.CAMPAIGN_PORTION ?? 500);
/** Milliseconds until the gateway answers. */
const LATENCY = Number(process.env.CAMPAIGN_LATENCY ?? 50);
/** 0: all workers live to the end. */
const KILL = process.env.CAMPAIGN_KILL !== '0';
/** 0: it ends when the last message is accepted. 100,000 reports take an hour. */
const REPORTS = process.env.CAMPAIGN_REPORTS !== '0';
const ROWS_PER_LOAD = 10_000;
const SEND_PATH = '/sendsms/template/send';
const MINUTES = 60_000;
const LIMIT = 5 * MINUTES + ROWS * 20;

const tell = (...lines: string[]) => {
  for (const line of lines) console.log(line);
};

const ROWS_OF_ALL_KINDS = [
  {
    phone_number: '13800000001',
    key: 'a_1',
    reason: `it's "1", {{ 2 }} or $1 \\ 😀`,
    sent_at: '2026-06-03T12:00:00.123+08:00',
  },
  { phone_number: '13800000002', key: 'ab1', reason: 'INTERRUPTED', sent_at: null },
  { phone_number: '13800000001', key: null, reason: '', status: 'claimed' },
  { phone_number: '13800000003', key: '', reason: null, status: 'claimed', run: 7 },
];

/** One node for each thing that the desk does with its tables. Each gets the four rows. */
function operations(): WorkflowFile {
  const table = (name: string) => ({ __rl: true, mode: 'name', value: name });
  const all = (...conditions: [string, string, unknown?][]) => ({
    matchType: 'allConditions',
    filters: {
      conditions: conditions.map(([keyName, condition, keyValue]) => ({
        ...{ keyName, condition },
        ...(keyValue !== undefined && { keyValue }),
      })),
    },
  });
  const node = (name: string, parameters: object, flags: Partial<INode> = {}) => ({
    ...anyNode('n8n-nodes-base.dataTable', 1.1, name, parameters as INodeParameters),
    alwaysOutputData: true,
    ...flags,
  });
  const on = (operation: string, more: object, name = 'sms_outbox') => ({
    ...{ resource: 'row', operation, dataTableId: table(name), ...more },
  });
  const order = (orderByColumn: string, orderByDirection = 'ASC') => ({
    ...{ orderBy: true, orderByColumn, orderByDirection },
  });
  const once = { executeOnce: true };
  const given = { columns: { mappingMode: 'autoMapInputData', value: null } };
  const set = (value: object) => ({ columns: { mappingMode: 'defineBelow', value }, options: {} });
  const create = (tableName: string) => {
    const { types } = tablesOf(deskNames().map(readDesk))[tableName] ?? { types: {} };
    const column = Object.entries(types).map(([name, type]) => ({ name, type }));
    const parameters = { resource: 'table', operation: 'create', tableName, columns: { column } };
    return node(`Make ${tableName}`, { ...parameters, options: { createIfNotExists: true } }, once);
  };
  const get = (name: string, more: object, flags: Partial<INode> = once) =>
    node(name, on('get', { returnAll: true, ...more }), flags);
  const branches = [
    node('Insert', on('insert', { ...given, options: {} })),
    get('All', all(), once),
    get(
      'Newest of each number',
      {
        ...all(['phone_number', 'eq', '={{ $json.phone_number }}']),
        ...{ returnAll: false, limit: '={{ 1 }}', ...order('id', 'DESC') },
      },
      {},
    ),
    get('Key is null', all(['key', 'eq', '={{ null }}'])),
    get('Key is not null', all(['key', 'neq', '={{ null }}'])),
    get('Another key', { ...all(['key', 'neq', 'ab1']), ...order('phone_number', 'DESC') }),
    get('Key like', all(['key', 'like', 'a_%'])),
    get('Any case', all(['reason', 'ilike', '%rupted'])),
    get('Empty', all(['key', 'isEmpty'], ['sent_at', 'isEmpty'])),
    get('Filled', all(['key', 'isNotEmpty'], ['id', 'gte', '={{ 1 }}'])),
    get('At a time', all(['sent_at', 'eq', '2026-06-03T04:00:00.123Z'])),
    get(
      'Before',
      all(['sent_at', 'lt', '={{ $now.toISO() }}'], ['createdAt', 'lte', '={{ $now }}']),
    ),
    get('Exact text', all(['reason', 'eq', '={{ $json.reason }}']), {}),
    get('A number as text', all(['run', 'eq', '={{ 7 }}'])),
    get(
      'Computed',
      {
        ...all(
          [
            '={{ $json.key ? "key" : "id" }}',
            '={{ $json.key ? "eq" : "lt" }}',
            '={{ $json.key || 2 }}',
          ],
          ['phone_number', 'eq', '=1380000000{{ 3 }}'],
        ),
        ...{ matchType: `={{ $json.key === 'ab1' ? 'anyCondition' : 'allConditions' }}` },
        dataTableId: table(`={{ 'sms_' + 'outbox' }}`),
      },
      {},
    ),
    node(
      'No row',
      on('rowNotExists', all(['key', 'eq', `={{ $json.key === 'ab1' ? 'ab1' : 'none' }}`])),
    ),
    node(
      'Change',
      on('update', {
        ...all(['phone_number', 'eq', '={{ $json.phone_number }}'], ['status', 'eq', 'claimed']),
        ...set({
          status: `={{ 'sent ' + $json.key }}`,
          sent_at: '={{ $json.sent_at }}',
          batch_id: '={{ undefined }}',
        }),
      }),
    ),
    node('Change nothing', on('update', { ...all(['id', 'lt', 0]), ...set({ status: 'x' }) }), {
      ...once,
      alwaysOutputData: false,
    }),
    node(
      'Upsert',
      on(
        'upsert',
        {
          ...all(['class', 'eq', '={{ $json.phone_number }}']),
          ...set({
            class: '={{ $json.phone_number }}',
            per_hour: '={{ $json.run ?? 1.5 }}',
            check_opt_outs: '={{ true }}',
          }),
        },
        'sms_rules',
      ),
    ),
    node(
      'Rules',
      on(
        'get',
        {
          ...all(['check_opt_outs', 'isTrue'], ['per_hour', 'gt', 1]),
          returnAll: true,
          ...order('class'),
        },
        'sms_rules',
      ),
      once,
    ),
    node('All at once', on('insert', { ...given, options: { optimizeBulk: true } })),
    get('Rows by now', all(['id', 'gt', 4]), once),
    node(
      'Delete',
      on('deleteRows', {
        ...all(['phone_number', 'eq', '={{ $json.phone_number }}'], ['id', 'gt', 4]),
        options: {},
      }),
    ),
    node(
      'Tables',
      { resource: 'table', operation: 'list', returnAll: true, options: { filterName: 'sms_' } },
      once,
    ),
  ];
  const items = anyNode('n8n-nodes-base.set', 3.4, 'Items', {
    ...{ mode: 'raw', jsonOutput: JSON.stringify({ rows: ROWS_OF_ALL_KINDS }), options: {} },
  });
  const each = anyNode('n8n-nodes-base.splitOut', 1, 'Each', { fieldToSplitOut: 'rows' });
  const file = chain(
    'Operations',
    manualTrigger(),
    create('sms_outbox'),
    create('sms_rules'),
    items,
    each,
  );
  file.connections.Each = {
    main: [branches.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))],
  };
  branches.forEach((branch, index) => (branch.position = [1500, 200 * index]));
  return { ...file, nodes: [...file.nodes, ...branches] };
}

test('What a node does with a data table, it does with PostgreSQL', async ({ client }, {
  testId,
}) => {
  await Outbox.use(path.join(outputFolder, 'outbox', testId), 'desk', async (database) => {
    const file = operations();
    const known = tablesOf(deskNames().map(readDesk));
    const stores = [
      [dataTables(client), file],
      [await postgres(client, database), toPostgres(file, known)],
    ] as const;
    const results: Record<string, unknown>[] = [];
    for (const [{ tables, credentials }, each] of stores) {
      await tables.remove('sms_outbox', 'sms_rules');
      const workflow = await client.importWorkflow(each, credentials);
      const execution = await client.run(workflow, 'Start');
      expect(errorOf(execution)).toBeUndefined();
      const names = file.nodes.map(({ name }) => name).filter((name) => !name.startsWith('Make'));
      results.push(Object.fromEntries(names.map((name) => [name, seen(itemsOf(execution, name))])));
    }
    const [expected, found] = results;
    for (const name of Object.keys(expected ?? {}))
      expect(found?.[name], name).toEqual(expected?.[name]);
    expect(found?.Insert).toHaveLength(4);
    expect(found?.['Change nothing']).toEqual([]);
  });
});

/** Items without what is different in every run. Of the tables, only those of the test. */
function seen(items: ReturnType<typeof itemsOf>): IDataObject[] {
  return items
    .map(({ json: { updatedAt, ...json }, pairedItem }): IDataObject => {
      delete json.createdAt;
      if (updatedAt) expect(new Date(String(updatedAt)).toISOString()).toBe(updatedAt);
      const { id, name, projectId } = json;
      // PostgreSQL uses up an ID for each upsert.
      if ('per_hour' in json) delete json.id;
      return projectId || id === name
        ? { name }
        : { ...json, pairedItem: JSON.stringify(pairedItem) };
    })
    .filter(({ name }) => !name || ['sms_outbox', 'sms_rules'].includes(String(name)));
}

test(`${ROWS} rows, two workers: nobody twice`, async ({ openGateway, queueMode }) => {
  test.setTimeout(LIMIT + 10 * MINUTES);
  const { client, main, workers } = queueMode;
  const gateway = await openGateway({
    latencyMs: LATENCY,
    balance: 10 * ROWS + 10_000,
    validate: ROWS <= 20_000,
    recordRequests: false,
  });
  const credential = await client.createCredential(
    'SMS',
    'smsMessagingServiceApi',
    gateway.credential() as IDataObject,
  );
  const account = { gateway, credential };
  const database = await Outbox.create(queueMode.database, 'desk');
  const store = await postgres(client, database);
  const { tables } = store;

  await test.step('calls at the same moment send each key once, and keep the limits exactly', async () => {
    const gate = await Gate.open(client, account, {}, store);
    const counts = (runs: Result[][]) => {
      const found: Record<string, number> = {};
      for (const { status } of runs.flat()) found[status] = (found[status] ?? 0) + 1;
      return found;
    };
    const times = async (count: number, ...messages: object[]) =>
      counts(await Promise.all(Array.from({ length: count }, () => gate.send(...messages))));
    expect(await times(60, code(0, { key: 'one' }))).toEqual({ accepted: 1, skipped: 59 });
    const list = Array.from({ length: 30 }, (_, index) => code(index + 1, { key: `l-${index}` }));
    expect(await times(10, ...list)).toEqual({ accepted: 30, skipped: 270 });
    const long = Array.from({ length: 60 }, (_, index) => code(index + 100, { key: `m-${index}` }));
    expect(await times(10, ...long)).toEqual({ accepted: 60, skipped: 540 });
    await gate.rule({ per_hour: 5 });
    expect(await times(20, code(900))).toEqual({ accepted: 5, refused: 15 });
    const sent = await tables.count('sms_outbox', { status: 'accepted' });
    await gate.rule({}, sent + 7);
    expect(await times(15, code(1000), code(2000))).toEqual({ accepted: 7, refused: 23 });
    expect(Math.max(...gateway.deliveries().values())).toBe(5);
  });
  await client.deactivateAll();

  const campaign = await Campaign.open(
    client,
    account,
    { portion_size: PORTION, minutes_under_way: KILL ? 1 : 5 },
    {},
    store,
  );
  await campaign.setState('done');
  await tables.update('sms_rules', { class: 'all' }, { per_day: 0 });
  const before = gateway.deliveries().size;
  const key = await client.createCredential('Provider', 'httpHeaderAuth', WEBHOOK_KEY);
  for (const name of ['inbox-upkeep', 'inbox-serve', 'inbox']) {
    const credentials = [credential, key, ...store.credentials];
    await client.publish(await client.importWorkflow(store.read(name), credentials));
  }
  await campaign.publishPart('load', 'page', 'buttons', 'reports');
  const spring = await campaign.named('Spring <b>');
  const everybody = people(ROWS, 100_000);
  const optedOut = everybody.slice(100, 120).map(({ phone }) => String(phone));
  await campaign.optOut(...optedOut);

  await test.step('two loads at once, and Start pressed six times', async () => {
    const others = { template_id: '302', signature_id: '202' };
    const begin = Date.now();
    for (let from = 0; from < ROWS; from += ROWS_PER_LOAD) {
      const part = everybody.slice(from, from + ROWS_PER_LOAD);
      await (from === 0
        ? Promise.all([spring.load(part, others), spring.load(part, others)])
        : spring.load(part, others));
    }
    const seconds = Math.round((Date.now() - begin) / 1000);
    tell(`loaded ${ROWS} in ${seconds} s; ${Math.round((await tables.size()) / 1e6)} MB`);
    expect(await spring.count('pending')).toBe(ROWS);
    expect(await tables.count('sms_campaigns', { campaign: spring.name })).toBe(1);
    await spring.letRest();
    const token = await spring.token();
    const presses = await Promise.all([1, 2, 3, 4, 5, 6].map(() => spring.press('start', token)));
    expect(presses.sort(), 'one of them').toEqual([303, 409, 409, 409, 409, 409]);
    expect((await spring.row()).state).toBe('running');
  });

  const left = async () => (await spring.count('pending')) + (await spring.count('sending'));
  const watch = new MemoryWatch({
    ...{ main, 'worker 1': workers[0] as N8n, 'worker 2': workers[1] as N8n },
  });
  const begin = Date.now();
  await client.publish(spring.workflow);
  let lost: string[] = [];
  if (KILL) {
    await expect.poll(left, { timeout: LIMIT, intervals: [100] }).toBeLessThan(0.7 * ROWS);
    // No worker gets to write down what the gateway has accepted of these requests.
    gateway.fault({ kind: 'slow', path: SEND_PATH, delayMs: 8_000, times: 8 });
    const underWay = async () => {
      const ids = startedBy(workers[0] as N8n);
      const { accepted } = gateway.state;
      return (await spring.rows('sending'))
        .filter((row) => ids.has(row.portion) && accepted.has(row.phone_number))
        .map((row) => row.phone_number);
    };
    await expect
      .poll(async () => (lost = await underWay()).length, { timeout: 3 * MINUTES, intervals: [50] })
      .toBeGreaterThan(0);
    await workers[0]?.kill();
  }
  await expect.poll(left, { timeout: LIMIT, intervals: [250] }).toBe(0);
  const seconds = (Date.now() - begin) / 1000;
  const memories = watch.stop();
  const reported = await tables.count('sms_inbox');
  const state = async () => ((await spring.row()) as CampaignRow).state;
  await expect.poll(state, { timeout: 2 * MINUTES }).toBe('done');
  if (REPORTS) {
    await expect.poll(() => gateway.state.reportsLeft, { timeout: LIMIT }).toBe(0);
    await expect.poll(() => spring.count('accepted'), { timeout: LIMIT }).toBe(0);
  }

  // What the gateway has seen decides.
  const all = new Set(everybody.map(({ phone }) => String(phone)));
  const got = [...gateway.deliveries()].filter(([phone]) => all.has(phone));
  expect(got.filter(([, count]) => count !== 1)).toEqual([]);
  const rows = await spring.rows();
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  tell(
    `${JSON.stringify(counts)}; ${lost.length} numbers were lost with the worker`,
    `${Math.round((60 * ROWS) / seconds)} rows a minute, ${Math.round(seconds)} s; ${gateway.requestCount} requests; ${reported} reports by then; load average ${os.loadavg().map(Math.round).join(', ')}`,
    `${Math.round((await tables.size()) / 1e6)} MB; ${before} before`,
  );
  for (const memory of memories) tell(`${memory.process}: ${thirds(memory).join(', ')} MB`);
  const of = (...states: string[]) =>
    rows.filter(({ status }) => states.includes(status)).map((row) => row.phone_number);
  expect(of('accepted', 'delivered', 'failed').sort()).toEqual(got.map(([phone]) => phone).sort());
  expect(of('opted_out').sort()).toEqual(optedOut);
  expect(Object.keys(counts)).not.toContain('pending');
  expect(rows).toHaveLength(ROWS);
  expect(of('accepted', 'delivered', 'failed')).toEqual(expect.arrayContaining(lost));
  if (!KILL) expect(of('unknown')).toEqual([]);
  const page = await spring.page();
  expect(page).toContain('Spring &lt;b&gt;');
});

/** The IDs of the executions that a worker has started. */
function startedBy({ logFile }: N8n): Set<string> {
  const log = readFileSync(logFile, 'utf8');
  return new Set([...log.matchAll(/Worker started execution (\d+)/g)].map(([, id = '']) => id));
}

test('npm run desk -- --store postgres: every workflow works, and each page shows it', async ({
  openGateway,
  queueMode,
}) => {
  test.setTimeout(8 * MINUTES);
  const { client } = queueMode;
  const gateway = await openGateway({ balance: 100_000 });
  const smtp = await startSmtp();
  const database = await Outbox.create(queueMode.database, 'desk');
  const { tables } = await postgres(client, database);
  try {
    const account = gateway.credential() as IDataObject;
    await client.createCredential('SMS', 'smsMessagingServiceApi', account);
    await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY);
    await client.createCredential('Basic Auth account', 'httpBasicAuth', LOGIN);
    await client.createCredential('Mail', 'smtp', smtp.credential);
    const key = await deskKey(client);
    const all = `All ${deskNames().length} workflows are published.`;
    const install = async () => await installDesk(client, key, '--store', 'postgres');
    expect(await install()).toContain(`${deskNames().length} new. ${all}`);
    expect(await install()).toContain(`${deskNames().length} unchanged. ${all}`);
    const workflows = await client.call<Workflow[]>('GET', '/rest/workflows');
    const workflow = (name: string) => {
      const file = readDesk(name);
      const { id = '' } = workflows.find((each) => each.name === file.name) ?? {};
      return { ...file, id, versionId: '' };
    };

    const rules = () => tables.count('sms_rules').catch(() => 0);
    await expect.poll(rules).toBeGreaterThan(4);
    const always = { from_hour: 0, to_hour: 24, per_hour: 0, per_day: 0 };
    await tables.update('sms_rules', {}, always);
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
      gateway.reply({ phoneNumber: String(phone), content: 'TD' });
    }
    const records = () => tables.count('sms_inbox');
    await expect.poll(() => gateway.deliveries().size, { timeout: 4 * MINUTES }).toBe(100);
    await expect.poll(records, { timeout: 4 * MINUTES }).toBe(103);
    expect(new Set(gateway.deliveries().values()), 'each once').toEqual(new Set([1]));
    expect(await tables.count('sms_opt_outs')).toBe(3);
    await expect
      .poll(() => tables.count('sms_recipients', { status: 'delivered' }), { timeout: MINUTES })
      .toBe(20);
    for (const name of ['sms-status', 'sms-dashboard', 'sms-conversations', 'sms-campaign']) {
      const page = await progressPage(client, name);
      expect(page, name).not.toMatch(/could not be read|undefined|NaN|\[object/);
    }
    const { id } = (await tables.rows('sms_campaigns'))[0] ?? {};
    expect(await progressPage(client, `sms-campaign?campaign=${Number(id)}`)).toContain('Spring');
    for (const [name, start] of [
      ['inbox-upkeep', 'Every 5 minutes'],
      ['outbox-upkeep', 'Every minute'],
      ['watchdog', startOf(workflow('watchdog'))],
    ] as const) {
      expect(errorOf(await client.run(workflow(name), start)), name).toBeUndefined();
    }
    for (const each of workflows) {
      const failed = (await client.executions(each)).filter(({ status }) => status === 'error');
      for (const { id } of failed) {
        expect(errorOf(await client.execution(id)), each.name).toBeUndefined();
      }
    }
  } finally {
    await client.deactivateAll();
    await database.close();
    await smtp.close();
  }
});

const startOf = ({ nodes }: WorkflowFile) =>
  nodes.find(({ type }) => type.endsWith('.scheduleTrigger'))?.name ?? '';
