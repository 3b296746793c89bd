/** The inbox (desk/workflows/inbox.json) with workflows that subscribe to it, also when something fails. */
import { execFileSync } from 'node:child_process';

import type { IDataObject } from 'n8n-workflow';

import { deliveryReport, reply, type DeliveryReport, type Reply } from '../../test/sandbox/records';
import { hasEnded, type N8nClient, type Workflow } from '../../test/kit/n8n/client';
import { attackInbox, executionsOf, gotBy, idsOf, Inbox, subscriber } from '../kit/inbox';
import type { N8n } from '../../test/kit/n8n/n8n';
import { expect, test } from '../../test/e2e/lib/test';
import { WITH_KEY } from '../../test/kit/n8n/webhookKey';

test('Every record is stored once and reaches every subscriber once, beside one that fails and one that hangs', async ({
  client,
  openAccount,
  store,
}) => {
  const account = await openAccount();
  const { gateway } = account;
  const failing = await subscriber(client, 'fails', store, 'deliveryReport');
  const hanging = await subscriber(client, 'hangs', store);
  const forReplies = await subscriber(client, 'runsCode', store, 'reply');
  const forAll = await subscriber(client, 'records', store);
  const inbox = await Inbox.connect(client, account, [failing, hanging, forReplies, forAll], store);
  gateway.queueReports(230);
  gateway.queueReplies(210);
  const reports = gateway.state.reports.slice(0, 230);
  const replies = gateway.state.replies.slice(0, 210);
  await inbox.publish();
  await inbox.stored();

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

  const left = async () => {
    const all = await inbox.behind();
    return all
      .map((row) => `${row.workflow_id}: ${row.reason ?? ''}, ${row.since !== null}`)
      .sort();
  };
  await expect
    .poll(left)
    .toEqual([`${failing.id}: Out of order, true`, `${hanging.id}: , true`].sort());
  await expectOnce(client, forReplies, stored('reply'));
  await expectOnce(client, forAll, rows);
  const [first] = await gotBy(client, forAll);
  expect(Object.keys(first ?? {}).sort(), 'the columns of the table').toEqual(
    Object.keys(rows[0] ?? {}).sort(),
  );
  const ended = (await executionsOf(client, failing)).filter(hasEnded);
  for (const { status } of ended.filter(isHandOver)) {
    expect(status, 'a failure is visible in its own execution').toBe('error');
  }
  // Some wait for the one that hangs, and the schedules may have one under way.
  const kept = (await client.executions(inbox.workflow)).filter(hasEnded);
  expect(kept, 'of the executions of the inbox that succeeded, none is kept').toEqual([]);
});

test('Stops cost no record, a crash a page', async ({ client, n8n, openAccount, store }) => {
  test.setTimeout(15 * 60_000);
  const account = await openAccount({ latencyMs: 20 });
  const blows = [
    { strike: () => n8n.restart('stop') },
    { strike: () => n8n.restart('kill'), isCrash: true },
    { strike: () => killTaskRunners(n8n.pid) },
  ];
  await attackInbox(client, account, [...blows, ...blows], store);
});

test('What is pushed and pulled is stored once', async ({ client, openAccount, store }) => {
  const account = await openAccount();
  const { gateway } = account;
  const forAll = await subscriber(client, 'records', store);
  const inbox = await Inbox.connect(client, account, [forAll], store);
  await inbox.pull();
  const push = async (body: unknown) => await client.callWebhook('sms-push', body, WITH_KEY);
  const reports = Array.from({ length: 60 }, (_, index) => reportOf(index));
  const replies = Array.from({ length: 40 }, (_, index) => replyOf(index, `Answer ${index}`));
  await push({ count: 60, data: reports });
  expect(await inbox.count(), 'the answer comes after the store').toBe(60);
  await push({ count: 60, data: reports });
  await push({ count: 2, data: [...reports.slice(5, 6), ...replies.slice(0, 20)] });
  await push(replies.slice(20, 30));
  await push(replies[30]);
  await push({ count: 0, data: [] });
  expect(await inbox.count(), 'pushed').toBe(91);

  // All of them are pulled too, with some that were not pushed.
  gateway.queueReports([...reports, reportOf(60), reportOf(61)]);
  gateway.queueReplies(replies);
  await expect.poll(() => inbox.left(), { timeout: 60_000 }).toBe(0);
  await expect.poll(() => inbox.count()).toBe(102);
  await push({ count: 2, data: [reportOf(60), replyOf(39, 'Answer 39')] });
  await inbox.pull();
  const rows = await inbox.events();
  const names = rows.map((row) => `${row.event} ${row.phone_number} ${row.batch_id}`);
  expect(new Set(names).size).toBe(102);
  expect(names).toHaveLength(102);
  await expectOnce(client, forAll, rows);
  await expect(client.callWebhook('sms-push', {}, {}), 'without the key').rejects.toThrow();
});

test('Of stop and start words the latest counts', async ({ client, openAccount, store }) => {
  const account = await openAccount();
  const inbox = await Inbox.connect(client, account, [], store);
  const pull = async (...replies: [number, string, number][]) => {
    account.gateway.queueReplies(
      replies.map(([number, content, second]) => ({
        ...replyOf(number, content),
        time: START + second,
      })),
    );
    await inbox.pull();
    const rows = await inbox.tables.rows('sms.opt_outs');
    return rows.map((row) => `${String(row.phone_number).slice(-1)} ${row.word}`).sort();
  };
  expect(
    await pull([1, ' td ', 1], [2, 'Ｒ。', 1], [3, '不要停', 1], [3, 'N', 2], [4, '退订！', 5]),
  ).toEqual(['1  td ', '2 Ｒ。', '4 退订！']);
  expect(await pull([1, 'start', 3], [2, 'STOP', 4], [4, 'START', 4]), 'an older start').toEqual([
    '2 STOP',
    '4 退订！',
  ]);
  expect(await pull([1, 'STOP', 2], [5, 'TD', 1], [5, '恢复', 2]), 'an older stop').toEqual([
    '2 STOP',
    '4 退订！',
  ]);
  expect(await pull([5, '恢复', 3], [5, 'TD', 3], [4, '恢复', 6]), 'the same second').toEqual([
    '2 STOP',
    '5 TD',
  ]);
});

/** Kills the task runners of an n8n, which are in its process group. It starts new ones. */
function killTaskRunners(n8n: N8n['pid']): void {
  const group = execFileSync('pgrep', ['-g', String(n8n)], { encoding: 'utf8' });
  for (const pid of group.trim().split('\n').map(Number)) {
    if (pid !== n8n) process.kill(pid, 'SIGKILL');
  }
}

/** An execution in which a subscriber got rows. It has others, in which it subscribes itself. */
function isHandOver({ mode }: { mode: string }): boolean {
  return mode === 'integrated';
}

async function expectOnce(
  client: N8nClient,
  workflow: Workflow,
  rows: readonly IDataObject[],
): Promise<void> {
  expect(idsOf(await gotBy(client, workflow)), workflow.name).toEqual(idsOf(rows));
}

/** A Unix time in seconds. */
const START = Math.floor(Date.now() / 1000) - 3_600;

function reportOf(index: number): DeliveryReport {
  return deliveryReport({
    time: START + index,
    batch_id: `pushed-${index}`,
    status_desc: '成功',
    phone_number: `138100${String(index).padStart(5, '0')}`,
  });
}

function replyOf(index: number, content: string): Reply {
  return reply({
    batch_id: '',
    sms_content: '',
    time: START + index,
    content,
    mobile: 13820000000 + index,
  });
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
