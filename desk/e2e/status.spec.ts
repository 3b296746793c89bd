/** The status page, the figures by day, and what keeps the tables small, in a real n8n. */
import type { Page } from '@playwright/test';

import type { Store } from '../kit/store';
import { errorOf, type Account, type N8nClient, type Workflow } from '../../test/kit/n8n/client';
import { REPORTS_PATH, TICK_LIMIT_MS } from '../../test/e2e/lib/drains';
import { askService } from '../kit/publishOutbox';
import { makeDay } from '../kit/day';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { pictureFile } from '../../test/kit/n8n/paths';
import { ATTACK, expectHarmless, expectLogin, expectNoBarriers, LOGIN, pageAt } from '../kit/pages';
import { expect, test } from '../../test/e2e/lib/test';
import { WEBHOOK_KEY } from '../../test/kit/n8n/webhookKey';

/** In the order in which they are published: each behind those that it calls. */
const PARTS = ['upkeep', 'inbox-serve', 'inbox', 'dashboard'];

async function publishParts(client: N8nClient, { credential }: Account, store: Store) {
  const { tables, credentials } = store;
  await tables.create();
  const login = await client.createCredential('Status login', 'httpBasicAuth', LOGIN);
  const key = await client.createCredential('Provider', 'httpHeaderAuth', WEBHOOK_KEY);
  const published: Workflow[] = [];
  for (const name of PARTS) {
    const part = await client.importWorkflow(readDesk(name), [
      credential,
      login,
      key,
      ...credentials,
    ]);
    await client.publish(part);
    published.push(part);
  }
  return published as [Workflow, Workflow, Workflow, Workflow];
}

test('Old rows go, and none that somebody needs', async ({ client, store }) => {
  const { tables, credentials } = store;
  await tables.create();
  const createdAt = new Date(Date.now() - 3 * 86_400_000);
  const rows = (values: object) => Array.from({ length: 3 }, () => ({ createdAt, ...values }));
  await tables.insert('sms.inbox', [...rows({ event: 'reply' }), ...rows({ event: 'reply' })]);
  await tables.insert('sms.subscribers', [{ workflow_id: 'w', wants: 'all', read_to: 3 }]);
  for (const status of ['waiting', 'accepted'])
    await tables.insert('sms.outbox', rows({ status, sent_at: new Date() }));
  for (const status of ['pending', 'sending', 'delivered'])
    for (const phone of ['1', '2', '3'])
      await tables.insert('sms.recipients', [
        { createdAt, status, campaign: status, phone_number: phone },
      ]);
  await tables.insert('sms.thresholds', [{ name: 'keep_days', value: 0 }]);

  const upkeep = await client.importWorkflow(readDesk('upkeep'), credentials);
  const execution = await client.run(upkeep, 'Every 5 minutes');
  expect(execution.status, errorOf(execution)).toBe('success');
  const left = async (table: string) =>
    (await tables.rows(table)).map(({ id, status }) => status ?? id);
  expect(await left('sms.inbox'), 'what the subscriber waits for').toEqual([4, 5, 6]);
  expect(await left('sms.outbox')).toEqual(Array(3).fill('waiting'));
  expect(await left('sms.recipients')).toEqual([
    ...Array(3).fill('pending'),
    ...Array(3).fill('sending'),
  ]);
});

test('The status page is green, then red', async ({ client, openAccount, openPage, store }) => {
  const { tables } = store;
  const account = await openAccount();
  const [, , inbox, workflow] = await publishParts(client, account, store);
  await tables.hide('sms.subscribers', 'sms.outbox');
  await askService(client, account, store);
  const address = `${client.url}/webhook/sms-status`;
  await expectLogin(address);

  const light = (page: Page, name: string) => page.locator('li').filter({ hasText: name });

  const page = await openPage(address);
  await expect(page).toHaveTitle('Action needed – SMS status');
  await expect(light(page, 'Tables').first()).toContainText(
    'There is no sms.subscribers, sms.outbox',
  );
  await expect(light(page, 'SMS service')).toContainText('accepts the login');
  await expect(page.locator('meta[http-equiv=refresh]')).toHaveAttribute('content', '60');

  await tables.show('sms.subscribers', 'sms.outbox');
  const day = makeDay({ now: new Date(), kind: 'quiet' });
  await tables.insert('sms.outbox', day.sends.slice(-200));
  await tables.insert('sms.inbox', day.events.slice(-200));
  await tables.insert('sms.subscribers', [{ workflow_id: workflow.id, name: 'SMS campaign' }]);
  // The schedules of these have run, and that of the workflow that is published does so within a minute.
  const beats = ['Outbox', 'Upkeep', 'Watchdog'].map((name) => ({
    name: `SMS · ${name}`,
    minutes: 60,
  }));
  await tables.insert('sms.heartbeats', beats);
  const running = () => tables.rows('sms.heartbeats', { name: 'SMS · Inbox: serve' });
  await expect.poll(running, { timeout: TICK_LIMIT_MS }).toHaveLength(1);
  await page.reload();
  await expect(page).toHaveTitle('OK – SMS status');
  await expect(light(page, 'Daily limit')).toContainText('of 10,000');

  const since = new Date(Date.now() - 3_600_000);
  await tables.update('sms.subscribers', { workflow_id: workflow.id }, { reason: ATTACK, since });
  const view = await openPage(address);
  await expect(view).toHaveTitle('Action needed – SMS status');
  await expect(light(view, 'SMS campaign')).toContainText('has not taken its records since');
  await expectHarmless(view);
  await view.screenshot({ path: pictureFile('status'), fullPage: true });

  await expectNoBarriers(view, address);
  await client.deactivate(inbox);
  // n8n takes a trigger away after it has answered.
  await expect(async () => {
    await page.reload();
    expect(await light(page, 'Inbox').first().textContent()).toContain('not published');
  }).toPass();

  await light(page, 'SMS campaign').getByRole('link', { name: 'Executions' }).click();
  await expect(page).toHaveURL(/\/signin|\/workflow\/[^/]+\/executions/);
  const executions = await client.executions(workflow);
  expect(executions, 'no execution keeps what the page has read').toEqual([]);
});

test('The service hangs: the pages come with what it said before', async ({
  client,
  openAccount,
  store,
}) => {
  const account = await openAccount();
  await publishParts(client, account, store);
  const service = await askService(client, account, store);
  const { gateway } = account;
  const asked = () => gateway.requests.filter(({ path }) => path.endsWith('/balance')).length;
  const before = asked();
  gateway.fault({ kind: 'hang', path: '/sendsms/balance', times: Infinity });
  expect(await pageAt(client, 'sms-status')).toContain('The balance is 1,000,000');
  expect(await pageAt(client, 'sms-dashboard')).toContain('SMS dashboard');
  expect(asked(), 'the pages ask nobody').toBe(before);
  await client.run(service, 'Every 5 minutes');
  expect(await pageAt(client, 'sms-status')).toMatch(
    /At [\d: -]+ the balance was 1,000,000\. It was asked at [\d: -]+, and has not answered/,
  );
});

test('Pulls fail: n8n tells the status page', async ({ client, openAccount, store }) => {
  const account = await openAccount();
  await publishParts(client, account, store);
  account.gateway.fault({ kind: 'status', path: REPORTS_PATH, times: Infinity });
  const html = () => pageAt(client, 'sms-status');
  await expect.poll(html, { timeout: TICK_LIMIT_MS }).toMatch(/Pulls fail: \d+ since/);
  const shown = await html();
  expect(shown).toContain('<title>Action needed – SMS status</title>');
  expect(shown).toContain('More may wait at the service.');
});
