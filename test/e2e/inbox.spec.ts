/** The inbox (examples/inbox.json) with the workflows that it calls, connected as a user does. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { errorOf, itemsOf, type Credential, type N8nClient, type Workflow } from './lib/client';
import { picked, readExample, withChoices, withText } from './lib/examples';
import { executionsOf, gotBy, Inbox, RECORDS, subscriber } from './lib/inbox';
import { expect, test } from './lib/test';
import { WEBHOOK_KEY, WITH_KEY } from './lib/webhookKey';

/** Template and signature with the parameters name, order and date. */
const NOTICE = { templateId: picked(302), signatureId: picked(202) };

test('Every record is stored once and reaches every subscriber once, beside some that fail', async ({
  client,
  openAccount,
}) => {
  const account = await openAccount();
  const { gateway, credential } = account;
  const optOut = await importOptOut(client, credential);
  const joined = await importJoined(client, credential);
  const failing = await subscriber(client, 'fails');
  const recorder = await subscriber(client, 'records');
  const inbox = await Inbox.connect(client, account, {
    'Opt-out list': optOut,
    'Reply joined to its send': joined,
    'Ask and wait': failing,
    Campaign: failing,
    'Campaign on PostgreSQL': recorder,
  });
  gateway.queueReports(230);
  gateway.queueReplies(210);
  const reports = gateway.state.reports.peek(230);
  const replies = gateway.state.replies.peek(210);
  await inbox.pull();

  const rows = await inbox.events();
  const stored = (event: string) => rows.filter((row) => row.event === event);
  expect(
    stored('deliveryReport').map((row) => [row.batch_id, row.phone_number, row.status, row.time]),
  ).toEqual(reports.map((each) => [each.batch_id, each.phone_number, each.status, iso(each.time)]));
  expect(
    stored('reply').map((row) => [row.batch_id, row.phone_number, row.content, row.time]),
  ).toEqual(
    replies.map((each) => [each.batch_id, String(each.mobile), each.content, iso(each.time)]),
  );
  expect(rows).toHaveLength(440);

  const ids = (some: IDataObject[]) => some.map(({ id }) => Number(id)).sort((a, b) => a - b);
  for (const [workflow, events] of [
    [optOut, stored('reply')],
    [joined, stored('reply')],
    [failing, rows],
    [recorder, stored('deliveryReport')],
  ] as const) {
    expect(ids(await gotBy(client, workflow)), workflow.name).toEqual(ids(events));
  }
  // Its items have the columns of the table.
  const [first] = await gotBy(client, recorder);
  expect(Object.keys(first ?? {}).sort()).toEqual(Object.keys(rows[0] ?? {}).sort());

  for (const execution of await executionsOf(client, failing)) {
    expect(execution.status, 'a failure is visible in its own execution').toBe('error');
  }
  const pulls = await inbox.pulls();
  expect(pulls.length).toBeGreaterThan(0);
  for (const execution of pulls) {
    expect(errorOf(execution), 'and in that of the inbox').toMatch(
      /(?:Ask and wait|Campaign) has failed: Out of order/,
    );
    const order = [
      'Make sure of the table',
      'Rows',
      'Store',
      'Stored rows',
      ...CALLS,
      'Mark as handed over',
    ].flatMap(
      (node) => execution.data.resultData.runData[node]?.map((run) => run.executionIndex) ?? [],
    );
    expect(order, 'stored first, then handed over, then marked').toEqual(
      order.toSorted((a, b) => a - b),
    );
    expect(execution.data.resultData.runData['Mark as handed over']).toHaveLength(1);
  }
});

const CALLS = ['Opt-out list', 'Reply joined to its send', 'Ask and wait', 'Campaign'];

test('Without subscribers, the records are stored and marked', async ({ client, openAccount }) => {
  const account = await openAccount();
  const inbox = await Inbox.connect(client, account, {});
  account.gateway.queueReplies(5);
  await inbox.pull();
  expect(await inbox.events()).toHaveLength(5);
  const executions = await executionsOf(client, inbox.workflow);
  expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
});

test('A subscriber that is not published any more makes the inbox fail, and keeps nothing from the others', async ({
  client,
  openAccount,
}) => {
  const account = await openAccount();
  const gone = await subscriber(client, 'records');
  const recorder = await subscriber(client, 'records');
  const inbox = await Inbox.connect(client, account, {
    'Opt-out list': gone,
    'Ask and wait': recorder,
  });
  await inbox.pull();
  await client.deactivate(gone);
  account.gateway.queueReplies(3);
  await inbox.handedOver();
  expect(await gotBy(client, recorder)).toHaveLength(3);
  const [pull, ...others] = await inbox.pulls();
  expect(others).toEqual([]);
  expect(pull && errorOf(pull)).toMatch(/^Opt-out list has failed: .*not active/);
});

test('kill -9 while the inbox hands over: what was stored reaches the subscribers', async ({
  client,
  n8n,
  openAccount,
}) => {
  const account = await openAccount({ latencyMs: 20 });
  const { gateway } = account;
  const forReplies = await subscriber(client, { waits: 6 });
  const forReports = await subscriber(client, { waits: 6 });
  const inbox = await Inbox.connect(client, account, {
    'Opt-out list': forReplies,
    Campaign: forReports,
  });
  gateway.queueReports(500);
  gateway.queueReplies(300);
  await client.publish(inbox.workflow);
  const stored = async () => (await inbox.events()).length;
  await expect.poll(stored, { timeout: 120_000, intervals: [20] }).toBeGreaterThanOrEqual(100);
  await sleep(randomInt(0, 1_500));
  await n8n.restart('kill').catch(() => n8n.restart('kill'));

  const isQuiet = async () => {
    const before = await stored();
    await sleep(1_000);
    const left = gateway.state.reportsLeft + gateway.state.replies.length;
    const open = (await client.executions(inbox.workflow)).filter(
      ({ status, startedAt }) =>
        ['new', 'running'].includes(status) && Date.parse(startedAt ?? '') > n8n.startedAt,
    );
    return left === 0 && open.length === 0 && before === (await stored());
  };
  await expect.poll(isQuiet, { timeout: 200_000 }).toBe(true);
  const left = (await inbox.events()).filter((row) => !row.handed_over);
  expect(left.length, 'the crash has left rows that are not handed over').toBeGreaterThan(0);
  const again = await inbox.handOverAgain();
  expect(again.status, errorOf(again)).toBe('success');

  const rows = await inbox.events();
  expect(rows.every((row) => row.handed_over)).toBe(true);
  const names = rows.map((row) => `${row.event} ${row.batch_id}`);
  expect(new Set(names).size, 'no record is stored twice').toBe(names.length);
  console.log(`of 800: ${rows.length} stored, ${left.length} handed over again`);
  for (const [workflow, event] of [
    [forReplies, 'reply'],
    [forReports, 'deliveryReport'],
  ] as const) {
    const ended = (await executionsOf(client, workflow)).filter(
      ({ status }) => status === 'success',
    );
    const got = ended.flatMap((each) => itemsOf(each, RECORDS)).map(({ json }) => json);
    const wanted = rows.filter((row) => row.event === event).map(({ id }) => Number(id));
    expect([...new Set(got.map(({ id }) => Number(id)))].sort((a, b) => a - b)).toEqual(wanted);
  }
  const nothing = await inbox.handOverAgain();
  expect(itemsOf(nothing, 'Rows left behind'), 'nothing is left').toEqual([]);
});

test('Old rows are deleted, but none that is not handed over', async ({ client, openAccount }) => {
  const account = await openAccount();
  const inbox = await Inbox.connect(client, account, {});
  account.gateway.queueReports(4);
  await inbox.pull();
  await client.run(inbox.workflow, 'Every night');
  expect(await inbox.events(), 'they are young').toHaveLength(4);
  const { nodes } = withText(inbox.workflow, 'Days to keep', '"value":90,', '"value":-1,');
  const workflow = await client.updateWorkflow(inbox.workflow.id, { nodes });
  const { status } = await client.run(workflow, 'Every night');
  expect(status).toBe('success');
  expect(await inbox.events()).toEqual([]);
});

test('A stop word keeps a number from further messages, however both are written (examples/reply-opt-out.json)', async ({
  client,
  openAccount,
}) => {
  const account = await openAccount();
  const { gateway, credential } = account;
  const optOut = await importOptOut(client, credential);
  const inbox = await Inbox.connect(client, account, { 'Opt-out list': optOut });
  const send = async () => await client.run(optOut, 'Try it with sample customers');
  const execution = await send();
  const all = ['13810000030', '13810000031', '13810000032', '13810000033'];
  expect(Object.fromEntries(gateway.deliveries())).toEqual(counts(all, 1));
  expect(itemsOf(execution, 'Not sent').map(({ json }) => json)).toMatchObject([
    { phone: 'no number', name: 'Zhang Wei', status: 'rejected' },
  ]);
  const sends = await inbox.tables.rows('sms_outbox');
  expect(sends.map((row) => [row.phone_number, row.status, row.reference, row.source])).toEqual([
    ['13810000030', 'accepted', 'A-3001', optOut.name],
    ['13810000031', 'accepted', 'A-3002', optOut.name],
    ['13810000032', 'accepted', 'A-3003', optOut.name],
    ['13810000033', 'accepted', 'A-3003', optOut.name],
  ]);

  gateway.reply({ phoneNumber: '13810000030', content: ' td ' });
  gateway.reply({ phoneNumber: '13810000031', content: 'Ｒ。' });
  gateway.reply({ phoneNumber: '13810000032', content: '不要停' });
  gateway.reply({ phoneNumber: '13810000032', content: 'N' });
  gateway.reply({ phoneNumber: '13810000033', content: '退订！' });
  await inbox.pull();
  const listed = async () => await inbox.tables.rows('sms_opt_outs');
  expect((await listed()).map((row) => row.phone_number)).toEqual([all[0], all[1], all[3]]);
  await send();
  expect(Object.fromEntries(gateway.deliveries())).toEqual({
    ...counts(all, 1),
    '13810000032': 2,
  });

  // A second that is later than that of the stop word.
  await sleep(1_000);
  gateway.reply({ phoneNumber: '13810000030', content: 'start' });
  gateway.reply({ phoneNumber: '13810000031', content: 'STOP' });
  await inbox.pullAgain();
  expect((await listed()).map((row) => [row.phone_number, row.word])).toEqual([
    [all[1], 'STOP'],
    [all[3], '退订！'],
  ]);
});

test('A reply is joined to the send that caused it (examples/reply-joined-to-send.json)', async ({
  client,
  openAccount,
}) => {
  const account = await openAccount();
  const { gateway, credential } = account;
  const joined = await importJoined(client, credential);
  const inbox = await Inbox.connect(client, account, { 'Reply joined to its send': joined });
  const send = async () => {
    const { status } = await client.run(joined, 'Try it with sample orders');
    expect(status).toBe('success');
  };
  await send();
  const [first] = await inbox.tables.rows('sms_outbox');
  // A second send to the same numbers, about other orders.
  const { nodes } = withText(joined, 'Sample orders', 'A-2', 'B-2');
  await client.updateWorkflow(joined.id, { nodes });
  await send();
  expect((await inbox.tables.rows('sms_outbox')).map((row) => row.reference)).toEqual([
    'A-2001',
    'A-2002',
    'A-2003',
    'B-2001',
    'B-2002',
    'B-2003',
  ]);

  gateway.reply({ phoneNumber: '13810000022', content: 'Where is it?' });
  gateway.reply({ phoneNumber: '13810000020', content: '谢谢', batchId: String(first?.batch_id) });
  gateway.reply({ phoneNumber: '13810000020', content: 'OK' });
  gateway.reply({ phoneNumber: '13810000021', content: 'Without a batch', batchId: '' });
  gateway.reply({ phoneNumber: '13810000021', content: 'Of another sender', batchId: 'unknown' });
  gateway.reply({ phoneNumber: '13999999999', content: 'Who is this?' });
  await inbox.pull();
  const replies = async () => {
    const executions = await executionsOf(client, joined);
    return executions
      .filter(({ mode }) => mode !== 'manual')
      .flatMap((each) => itemsOf(each, 'Reply with its order'))
      .map(({ json }) => [json.order, json.phone_number, json.reply, json.matched_by]);
  };
  expect(await replies()).toEqual([
    ['B-2003', '13810000022', 'Where is it?', 'batch'],
    ['A-2001', '13810000020', '谢谢', 'batch'],
    ['B-2001', '13810000020', 'OK', 'batch'],
    ['B-2002', '13810000021', 'Without a batch', 'number'],
    ['', '13810000021', 'Of another sender', ''],
    ['', '13999999999', 'Who is this?', ''],
  ]);

  // Alone, so that nothing is found at all.
  gateway.reply({ phoneNumber: '13999999999', content: 'Hello?' });
  await inbox.pullAgain();
  expect((await replies()).slice(6)).toEqual([['', '13999999999', 'Hello?', '']]);
});

test('An order is notified once, and what was accepted is remembered (examples/notification-send.json)', async ({
  client,
  openAccount,
}) => {
  const account = await openAccount();
  const { gateway, credential } = account;
  const inbox = await Inbox.connect(client, account, {});
  const key = await client.createCredential('Shop', 'httpHeaderAuth', WEBHOOK_KEY);
  const file = withChoices(readExample('notification-send'), { 'Send shipping notice': NOTICE });
  const workflow = await client.importWorkflow(file, [credential, key]);
  await client.publish(workflow);
  const call = async (orders: object[]) => {
    const before = (await client.executions(workflow)).length;
    await client.callWebhook('orders-shipped', { orders }, WITH_KEY);
    await expect.poll(async () => (await client.executions(workflow)).length).toBe(before + 1);
    const [latest] = await client.executions(workflow);
    return await client.finishedExecution(latest?.id ?? '');
  };
  const order = (phone: string, number: string) => ({
    phone,
    name: 'Li',
    order: number,
    date: 'June 3',
  });
  await call([order('13810000010', 'A-1'), order('138-1000-0011, 13810000012', 'A-2')]);
  const again = await call([
    order('13810000010', 'A-1'),
    order('abc', 'A-3'),
    order('13810000013', 'A-4'),
  ]);
  expect(Object.fromEntries(gateway.deliveries())).toEqual(
    counts(['13810000010', '13810000011', '13810000012', '13810000013'], 1),
  );
  expect(itemsOf(again, 'Not sent').map(({ json }) => [json.order, json.status])).toEqual([
    ['A-3', 'rejected'],
  ]);
  const sends = await inbox.tables.rows('sms_outbox');
  expect(sends.map((row) => [row.phone_number, row.reference, row.template])).toEqual([
    ['13810000010', 'A-1', '302'],
    ['13810000011', 'A-2', '302'],
    ['13810000012', 'A-2', '302'],
    ['13810000013', 'A-4', '302'],
  ]);
});

async function importOptOut(client: N8nClient, credential: Credential): Promise<Workflow> {
  const file = withChoices(readExample('reply-opt-out'), { 'Send to the others': NOTICE });
  return await client.importWorkflow(file, [credential]);
}

async function importJoined(client: N8nClient, credential: Credential): Promise<Workflow> {
  const file = withChoices(readExample('reply-joined-to-send'), { 'Send shipping notice': NOTICE });
  return await client.importWorkflow(file, [credential]);
}

/** The nodes of a workflow, with another text in the parameters of one. */
function counts(numbers: string[], count: number): Record<string, number> {
  return Object.fromEntries(numbers.map((number) => [number, count]));
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
