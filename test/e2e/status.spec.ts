/** The status page, the figures by day, and what keeps the tables small, in a real n8n. */
import type { Page } from '@playwright/test';

import { barriers } from './lib/accessibility';
import { DataTables } from './lib/dataTables';
import { errorOf, type Credential, type N8nClient, type Workflow } from './lib/client';
import { REPORTS_PATH, TICK_LIMIT_MS } from './lib/drains';
import { readDesk, withText } from './lib/workflowFiles';
import { pictureFile } from './lib/paths';
import { runSql } from './lib/sql';
import { expect, LOGIN, test } from './lib/test';
import { WEBHOOK_KEY } from './lib/webhookKey';

/** In the order in which they are published: the tables first, and each behind those that it calls. */
const PARTS = ['inbox-upkeep', 'inbox-serve', 'inbox', 'status-page'];

async function publishParts(client: N8nClient, credentials: Credential[]) {
  const key = await client.createCredential('Provider', 'httpHeaderAuth', WEBHOOK_KEY);
  const published: Workflow[] = [];
  for (const name of PARTS) {
    const part = await client.importWorkflow(readDesk(name), [...credentials, key]);
    await client.publish(part);
    published.push(part);
  }
  return published as [Workflow, Workflow, Workflow, Workflow];
}

const ATTACK = '<script>document.title="stolen"</script><img src=x onerror=alert(1)>';

/** Creates the tables of the desk anew, and returns the name of each in the database. */
async function createTables(tables: DataTables) {
  await tables.remove();
  await tables.createShared(/^(in|out)box|^campaign$/);
  return {
    sms_inbox: await tables.nameInDatabase('sms_inbox'),
    sms_outbox: await tables.nameInDatabase('sms_outbox'),
    sms_recipients: await tables.nameInDatabase('sms_recipients'),
  };
}

/** Inserts rows whose values are SQL, from `i`. They were stored over some days, the last one now. */
async function fill(
  table: string,
  rows: number,
  { from, to }: { from: number; to: number },
  values: Record<string, string>,
): Promise<void> {
  const columns = Object.keys(values);
  const days = `${from} - i * ${(from - to) / rows}`;
  const at = `STRFTIME('%Y-%m-%d %H:%M:%f', 'now', '-' || (${days}) || ' days')`;
  await runSql(`WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${rows})
    INSERT INTO ${table} (${columns.join(', ')}, createdAt, updatedAt)
    SELECT ${Object.values(values).join(', ')}, ${at}, ${at} FROM numbers`);
}

const REPORT = {
  event: "'deliveryReport'",
  phone_number: "'138' || (10000000 + i)",
  status: "CASE WHEN i % 4 = 0 THEN 'UNDELIV' ELSE 'DELIVRD' END",
  status_desc: "'用户已成功接收短信'",
  batch_id: "'20261123190000' || i",
  user_data: "'campaign-7'",
  phone_data: "'sms_recipients:' || i",
  time: "STRFTIME('%Y-%m-%d %H:%M:%f', 'now')",
  run: "'page-' || (i / 100)",
};

const SEND = {
  phone_number: "'138' || (10000000 + i)",
  class: "'notice'",
  status: "'accepted'",
  batch_id: "'20261123190000' || i",
  text: "'您好，您的订单1002334已发货，预计明天送达，请注意查收。'",
  parameters: `'{"order":"1002334"}'`,
  template: "'订单发货通知'",
  source: "'SMS notification'",
  reference: "'order-' || i",
  key: "'order-' || i",
  sent_at: "STRFTIME('%Y-%m-%d %H:%M:%f', 'now')",
};

async function runsWell(client: N8nClient, workflow: Workflow, trigger: string): Promise<void> {
  const execution = await client.run(workflow, trigger);
  expect(execution.status, errorOf(execution)).toBe('success');
}

const clean = (client: N8nClient, workflow: Workflow) =>
  runsWell(client, workflow, 'Every 5 minutes');

// 100,000 rows, because n8n gives back all rows that it deletes: at once they would cost its memory.
test('Old rows go, and none that somebody needs', async ({ client }) => {
  const tables = new DataTables(client);
  const names = await createTables(tables);
  await fill(names.sms_inbox, 30_000, { from: 2, to: 0.1 }, REPORT);
  await fill(names.sms_outbox, 5, { from: 3, to: 2 }, { ...SEND, status: "'waiting'" });
  await fill(names.sms_outbox, 70_000, { from: 2, to: 0.1 }, SEND);
  const recipient = { campaign: "'autumn'", phone_number: "'138' || (10000000 + i)" };
  for (const status of ['pending', 'sending', 'delivered']) {
    const row = { ...recipient, status: `'${status}'` };
    await fill(names.sms_recipients, 300, { from: 120, to: 95 }, row);
  }
  const readers = [5_000, 1_000, null].map((read_to, index) => ({
    ...{ workflow_id: `w${index}`, wants: 'all', read_to },
  }));
  await tables.insert('sms_subscribers', readers);
  const settings = (megabytes: number, ofN8n: number) => {
    const file = readDesk('inbox-upkeep');
    const name = 'How long to keep';
    const less = withText(file, name, '"value":120', `"value":${megabytes}`);
    return client.importWorkflow(withText(less, name, '"value":200', `"value":${ofN8n}`), []);
  };
  // There is room for all at first, so the sums come before anything goes.
  const roomy = await settings(500, 1000);
  await clean(client, roomy);
  const sums = await tables.rows('sms_days');
  const sum = (figure: string) => sums.reduce((all, row) => all + Number(row[figure]), 0);
  expect([sum('delivered'), sum('failed'), sum('sent')]).toEqual([2250, 750, 3000]);
  await clean(client, roomy);
  const more = await tables.rows('sms_days');
  expect(more.reduce((all, row) => all + Number(row.delivered), 0)).toBe(4500);
  await tables.insert('sms_days', [{ day: '9999-01-01', inbox_id: 30_000, outbox_id: 70_005 }]);

  const workflow = await settings(20, 22);
  const before = await tables.size();
  expect(before).toBeGreaterThan(25e6);
  await clean(client, workflow);
  for (let run = 0; run < 12; run++) await clean(client, workflow);

  expect(await tables.count('sms_recipients', { status: 'pending' })).toBe(300);
  expect(await tables.count('sms_recipients', { status: 'sending' })).toBe(300);
  expect(await tables.count('sms_recipients')).toBe(600);
  expect(await tables.count('sms_outbox', { status: 'waiting' })).toBe(5);
  const [oldest] = await runSql(`SELECT MIN(id) AS id, COUNT(*) AS rows FROM ${names.sms_inbox}`);
  expect(oldest, 'what the subscriber waits for').toEqual({ id: 1001, rows: 29_000 });
  await expect.poll(() => tables.size()).toBeLessThan(21e6);
  const left = await tables.count('sms_outbox');
  expect(left, 'no more than needed goes').toBeGreaterThan(30_000);
  await clean(client, workflow);
  expect(await tables.count('sms_outbox'), 'enough has gone').toBe(left);
});

test('The status page is green, then red', async ({ client, openAccount, openPage }) => {
  const tables = new DataTables(client);
  await tables.remove();
  const account = await openAccount();
  const login = await client.createCredential('Status login', 'httpBasicAuth', LOGIN);
  const [upkeep, , inbox, workflow] = await publishParts(client, [login, account.credential]);
  const address = `${client.url}/webhook/sms-status`;
  expect([401, 403]).toContain((await fetch(address)).status);

  const open = (options = {}, query = '') => openPage(`/webhook/sms-status${query}`, options);
  const light = (page: Page, name: string) => page.locator('li').filter({ hasText: name });

  const page = await open();
  await expect(page).toHaveTitle('Action needed – SMS status');
  await expect(light(page, 'Tables').first()).toContainText('There is no sms_rules, sms_outbox');
  await expect(light(page, 'SMS service')).toContainText('accepts the login');
  await expect(page.locator('meta[http-equiv=refresh]')).toHaveAttribute('content', '60');

  const names = await createTables(tables);
  await fill(names.sms_inbox, 200, { from: 0.01, to: 0 }, REPORT);
  await fill(names.sms_outbox, 200, { from: 0.01, to: 0 }, SEND);
  await tables.insert('sms_rules', [{ class: 'all', per_day: 10_000 }]);
  await tables.insert('sms_subscribers', [{ workflow_id: workflow.id, name: 'SMS campaign' }]);
  await page.reload();
  await expect(page).toHaveTitle('OK – SMS status');
  await expect(light(page, 'Daily limit')).toContainText('of 10,000');

  const since = new Date(Date.now() - 3_600_000);
  await tables.update('sms_subscribers', { workflow_id: workflow.id }, { reason: ATTACK, since });
  const views = {
    laptop: { viewport: { width: 1280, height: 860 } },
    dark: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
    phone: { viewport: { width: 390, height: 844 } },
  } as const;
  for (const [name, options] of Object.entries(views)) {
    const view = await open(options);
    await expect(view).toHaveTitle('Action needed – SMS status');
    await expect(light(view, 'SMS campaign')).toContainText('has not taken its records since');
    await expect(view.locator('main'), 'the attack is shown as text').toContainText(ATTACK);
    await expect(view.locator('script, img, iframe, object, [onload]')).toHaveCount(0);
    await view.screenshot({ path: pictureFile(`status-${name}`), fullPage: true });
  }

  for (const lang of ['en', 'zh']) {
    const checked = await open({}, `?refresh=off&lang=${lang}`);
    expect(await barriers(checked), lang).toEqual([]);
  }
  await client.deactivate(upkeep);
  await client.deactivate(inbox);
  await page.reload();
  await expect(light(page, 'Upkeep')).toContainText('not published');
  await expect(light(page, 'Inbox').first()).toContainText('not published');

  await light(page, 'SMS campaign').getByRole('link', { name: 'Executions' }).click();
  await expect(page).toHaveURL(/\/signin|\/workflow\/[^/]+\/executions/);
  const executions = await client.executions(workflow);
  expect(executions, 'no execution keeps what the page has read').toEqual([]);
});

test('Pulls fail: n8n tells the status page', async ({ client, openAccount }) => {
  await new DataTables(client).remove();
  const account = await openAccount();
  const login = await client.createCredential('Status login', 'httpBasicAuth', LOGIN);
  await publishParts(client, [login, account.credential]);
  account.gateway.fault({ kind: 'status', path: REPORTS_PATH, times: Infinity });
  const authorization = `Basic ${btoa(`${LOGIN.user}:${LOGIN.password}`)}`;
  const html = async () => {
    const headers = { authorization };
    return await (await fetch(`${client.url}/webhook/sms-status`, { headers })).text();
  };
  await expect.poll(html, { timeout: TICK_LIMIT_MS }).toMatch(/Pulls fail: \d+ since/);
  const shown = await html();
  expect(shown).toContain('<title>Action needed – SMS status</title>');
  expect(shown).toContain('More may wait at the service.');
});
