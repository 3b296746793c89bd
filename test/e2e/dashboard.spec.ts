/** The dashboard that an ops team keeps open, and the two workflows that send an alarm by mail. */
import { readFileSync } from 'node:fs';

import type { Browser, Page } from '@playwright/test';

import type { Template } from '../sandbox/gateway';
import { errorOf, type N8nClient, type Workflow } from './lib/client';
import { makeDay, type Day, type EventRow } from './lib/day';
import { picked, readExample, withChoices, type Choices } from './lib/examples';
import { pictureFile } from './lib/paths';
import { startSmtp, type SmtpServer } from './lib/smtp';
import { DataTables } from './lib/dataTables';
import { expect, test as base, type Account } from './lib/test';

const LOGIN = { user: 'ops', password: 'dashboard-of-the-suite' };
const LAPTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
const ZONE = 'Asia/Shanghai';
const HOUR = 3_600_000;

/** What an attacker would like to see run on a page of an ops team. */
const ATTACK =
  '<script>document.title="stolen"</script><img src=x onerror=alert(1)>"\'><svg onload=alert(2)>';

interface Fixtures {
  /** Publishes the dashboard. Its tables are gone, or are those of a day. */
  dashboard: Dashboard;
  smtp: SmtpServer;
}

interface Dashboard {
  address: string;
  workflow: Workflow;
  open(query?: string, options?: Parameters<Browser['newPage']>[0]): Promise<Page>;
}

const test = base.extend<Fixtures>({
  smtp: async ({}, use) => {
    const smtp = await startSmtp();
    await use(smtp);
    await smtp.close();
  },

  dashboard: async ({ browser, client }, use) => {
    await new DataTables(client).remove();
    const login = await client.createCredential('Dashboard login', 'httpBasicAuth', LOGIN);
    const file = readExample('delivery-dashboard');
    file.settings = { ...file.settings, timezone: ZONE };
    const workflow = await client.importWorkflow(file, [login]);
    await client.publish(workflow);
    const address = `${client.url}/webhook/sms-dashboard`;
    const httpCredentials = { username: LOGIN.user, password: LOGIN.password };
    const pages: Page[] = [];
    await use({
      address,
      workflow,
      open: async (query = '', options = {}) => {
        const page = await browser.newPage({ viewport: LAPTOP, httpCredentials, ...options });
        pages.push(page);
        const answer = await page.goto(address + query);
        expect(answer?.status(), query).toBe(200);
        return page;
      },
    });
    await Promise.all(pages.map((page) => page.close()));
    await client.deactivate(workflow);
  },
});

/** Adds a reply and a report that attack. */
async function addAttacks(client: N8nClient, day: Day): Promise<void> {
  const reply = day.events.findLast(({ event }) => event === 'reply') as EventRow;
  const failure = day.events.find(({ status }) => status === 'REJECTD') as EventRow;
  // Later than everything of the day, so that they come first.
  const time = new Date().toISOString();
  const attacks = [
    { ...failure, batch_id: 'none', status_desc: ATTACK, time },
    { ...reply, content: ATTACK, time },
  ];
  day.events.push(...attacks);
  await new DataTables(client).insert('sms_inbox', attacks);
}

/** What the tiles must say, counted in another way than the page counts. */
function expected({ sends, events }: Day, since: number) {
  const inWindow = <T>(rows: T[], at: (row: T) => string) =>
    rows.filter((row) => Date.parse(at(row)) >= since);
  const sent = inWindow(sends, ({ sent_at }) => sent_at);
  const recent = inWindow(events, ({ time }) => time);
  const reports = recent.filter(({ event }) => event === 'deliveryReport');
  const delivered = reports.filter(({ status }) => status === 'DELIVRD').length;
  const name = ({ batch_id, phone_number }: { batch_id: string; phone_number: string }) =>
    batch_id + phone_number;
  const reported = new Set(reports.map(name));
  return {
    Sent: sent.length,
    Reported: reports.length,
    Delivered: rate(delivered, reports.length),
    Failed: reports.length - delivered,
    'No report yet': sent.filter((row) => !reported.has(name(row))).length,
    Replies: recent.length - reports.length,
  };
}

function rate(part: number, whole: number): string {
  if (whole === 0) return '–';
  // No rounding up: 100 % means all.
  return part === whole ? '100 %' : `${(Math.floor((part / whole) * 1000) / 10).toFixed(1)} %`;
}

async function tilesOf(page: Page): Promise<Record<string, string | number>> {
  const tiles = await page
    .locator('.tile')
    .evaluateAll((all) =>
      all.map((tile) => [
        tile.querySelector('dt')?.textContent ?? '',
        tile.querySelector('.value')?.textContent ?? '',
      ]),
    );
  return Object.fromEntries(
    tiles.map(([name, value = '']) => [
      name,
      /%|–/.test(value) ? value : Number(value.replace(',', '')),
    ]),
  );
}

const madeAt = async (page: Page) =>
  Date.parse((await page.locator('header time').getAttribute('datetime')) ?? '');

test('The dashboard shows a day in every window, on a laptop and a phone, light and dark', async ({
  client,
  dashboard,
}) => {
  expect([401, 403]).toContain((await fetch(dashboard.address)).status);
  const day = makeDay({ now: new Date(), zone: ZONE });
  await new DataTables(client).fill(day);
  for (const [name, viewport] of Object.entries({ laptop: LAPTOP, phone: PHONE })) {
    const page = await dashboard.open('', { viewport });
    await page.screenshot({ path: pictureFile(`dashboard-${name}`), fullPage: true });
  }

  await addAttacks(client, day);
  const views = [
    ['laptop', '', 24 * HOUR, { viewport: LAPTOP }],
    ['phone', '?window=24h', 24 * HOUR, { viewport: PHONE }],
    ['dark', '', 24 * HOUR, { viewport: LAPTOP, colorScheme: 'dark' }],
    ['hour', '?window=1h', HOUR, { viewport: PHONE, colorScheme: 'dark' }],
    ['week', '?window=7d', 7 * 24 * HOUR, { viewport: LAPTOP }],
    ['all', '?window=all', Infinity, { viewport: PHONE }],
  ] as const;
  for (const [name, query, length, options] of views) {
    const page = await dashboard.open(query, options);
    await expect(page).toHaveTitle('SMS delivery');
    expect(await tilesOf(page), name).toEqual(expected(day, (await madeAt(page)) - length));
    await expect(page.locator('header')).toContainText(`all times in ${ZONE}`);
    await expect(page.locator('main'), 'the attack is shown as text').toContainText(ATTACK);
    await expect(page.locator('script, img, iframe, object, [onload]')).toHaveCount(0);
    // The chart has as many messages as the tiles.
    const titles = await page.locator('.chart').first().locator('title').allTextContents();
    const sum = (word: string) =>
      titles.reduce((all, text) => all + Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1]), 0);
    expect(sum('sent'), name).toBe((await tilesOf(page)).Sent);
    expect(sum('delivered') + sum('failed'), name).toBe((await tilesOf(page)).Reported);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width, 'nothing is wider than the window').toBeLessThanOrEqual(options.viewport.width);
    await page.screenshot({ path: pictureFile(`dashboard-attacked-${name}`), fullPage: true });
  }
  const executions = await client.executions(dashboard.workflow);
  expect(executions, 'no execution keeps the rows that it has read').toEqual([]);
});

test('The dashboard: links, search and file work inside the sandbox of the page, and no script does', async ({
  client,
  dashboard,
}) => {
  const day = makeDay({ now: new Date(), zone: ZONE });
  await new DataTables(client).fill(day);
  await addAttacks(client, day);
  const page = await dashboard.open();
  await page.getByRole('link', { name: '7 d' }).click();
  await expect(page.locator('nav [aria-current]')).toHaveText('7 d');

  // Typed as people write it: with the country code and spaces.
  const phone = day.events.at(-1)?.phone_number ?? '';
  await page
    .getByRole('searchbox')
    .fill(`+86 ${phone.slice(0, 3)} ${phone.slice(3, 7)} ${phone.slice(7)}`);
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('heading', { name: `Messages of ${phone}` })).toBeVisible();
  const rows = page.locator('tbody tr');
  const events = day.events.filter(({ phone_number }) => phone_number === phone);
  await expect(rows).toHaveCount(events.length + 1);
  await expect(rows.first()).toContainText(ATTACK);
  await expect(page.locator('nav [aria-current]'), 'the window stays').toHaveText('7 d');
  await expect(page.locator('meta[http-equiv=refresh]')).toHaveCount(0);
  await page.screenshot({ path: pictureFile('dashboard-search') });
  await page.getByRole('searchbox').fill('0571 8888');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.locator('.notice')).toContainText('is not a mobile number');

  await page.getByRole('link', { name: 'Clear' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV file' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^sms-7d-\d{4}-\d\d-\d\d-\d{4}\.csv$/);
  const bytes = readFileSync(await download.path());
  expect([...bytes.subarray(0, 3)], 'the mark of UTF-8').toEqual([0xef, 0xbb, 0xbf]);
  const lines = bytes.toString('utf8').trimEnd().split('\r\n');
  expect(lines).toHaveLength(1 + day.sends.length + day.events.length);
  expect(lines[0]).toContain(`"time (${ZONE})"`);
  expect(lines[1]).toContain(ATTACK.replaceAll('"', '""'));

  // Were there a hole in the escaping, the policy of the page would still hold.
  let loads = 0;
  await page.route('**/sms-dashboard*', async (route) => {
    loads += 1;
    const response = await route.fetch();
    const text = (await response.text()).replace('</main>', `${ATTACK}</main>`);
    await route.fulfill({ response, body: text.replace('content="300"', 'content="1"') });
  });
  await page.reload();
  await expect(page.locator('script')).toHaveCount(1);
  await expect(page).toHaveTitle('SMS delivery');
  await expect.poll(() => loads, 'the page loads itself anew').toBeGreaterThan(1);
  expect(page.url(), 'with its address').toContain('window=7d');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('The dashboard says what to do while there is nothing, and what it leaves out', async ({
  client,
  dashboard,
}) => {
  const page = await dashboard.open();
  await expect(page.locator('.notice').first()).toContainText('Run Set up once');
  await expect(page.getByRole('heading', { name: 'Nothing in the last 24 hours' })).toBeVisible();
  await new DataTables(client).createShared();
  await page.reload();
  await expect(page.locator('.notice')).toHaveCount(0);
  await expect(page.getByRole('listitem').first()).toContainText('Set up once');
  await page.screenshot({ path: pictureFile('dashboard-empty') });

  const many = makeDay({ now: new Date(), sends: 20_600, zone: ZONE });
  await new DataTables(client).fill(many);
  await page.goto(`${dashboard.address}?window=all`);
  await expect(page.locator('.notice')).toContainText('more than 20,000 rows');
  expect(Number((await tilesOf(page)).Sent)).toBeLessThanOrEqual(20_000);
  expect(Number((await tilesOf(page)).Sent)).toBeGreaterThan(19_500);
});

/** A workflow that sends mails to a server of the test. */
async function importMailing(client: N8nClient, name: string, smtp: SmtpServer, account?: Account) {
  const mail = await client.createCredential('SMTP account', 'smtp', smtp.credential);
  const credentials = account ? [mail, account.credential] : [mail];
  return (choices: Choices) =>
    client.importWorkflow(withChoices(readExample(name), choices), credentials);
}

async function runsWell(client: N8nClient, workflow: Workflow, trigger: string): Promise<void> {
  const execution = await client.run(workflow, trigger);
  expect(execution.status, errorOf(execution)).toBe('success');
}

test('Watchdog: one mail when reports are missing, another when they come again', async ({
  client,
  openAccount,
  smtp,
}) => {
  await new DataTables(client).remove();
  await new DataTables(client).createShared();
  const account = await openAccount();
  const importIt = await importMailing(client, 'watchdog', smtp, account);
  const canary = {
    'Once a day': {},
    'Own number': {
      assignments: {
        assignments: [{ id: 'phone', name: 'phone', value: '+86 138 1000 0077', type: 'string' }],
      },
    },
    'Send the canary': { templateId: picked(303), signatureId: picked(201) },
  };
  const workflow = await importIt(canary);
  const hourly = () => runsWell(client, workflow, 'Every hour');

  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const sends = Array.from({ length: 12 }, (_, index) => ({
    batch_id: `b${index}`,
    phone_number: `1381000${1000 + index}`,
    status: 'accepted',
    sent_at: ago(index < 2 ? 10 : 90 + index).toISOString(),
  }));
  const reportOf = ({ batch_id, phone_number }: (typeof sends)[number]) => ({
    event: 'deliveryReport',
    batch_id,
    phone_number,
    status: 'DELIVRD',
    time: ago(1).toISOString(),
  });
  await hourly();
  expect(smtp.mails, 'nothing was sent').toEqual([]);

  // Four sends are fewer than the least that proves anything. The first two are too young.
  await new DataTables(client).insert('sms_outbox', sends.slice(0, 6));
  await hourly();
  expect(smtp.mails).toEqual([]);

  await new DataTables(client).insert('sms_outbox', sends.slice(6));
  smtp.refuse = 2;
  expect((await client.run(workflow, 'Every hour')).status, 'the mail server is away').toBe(
    'error',
  );
  for (let hour = 0; hour < 3; hour += 1) await hourly();
  expect(smtp.mails.map(({ subject }) => subject)).toEqual([
    'SMS: no delivery reports for 10 of 10 messages',
  ]);
  expect(smtp.mails[0]?.to).toEqual(['ops@example.com']);

  await new DataTables(client).insert('sms_inbox', sends.slice(4, 6).map(reportOf));
  for (let hour = 0; hour < 3; hour += 1) await hourly();
  expect(smtp.mails.map(({ subject }) => subject).slice(1)).toEqual([
    'SMS: delivery reports come again',
  ]);

  // The canary is remembered as a send. Without its report there is an alarm, though it is only one.
  await runsWell(client, workflow, 'Once a day');
  expect([...account.gateway.deliveries()]).toEqual([['13810000077', 1]]);
  const impatient = await importIt({
    Settings: {
      assignments: {
        assignments: (
          readExample('watchdog').nodes.find(({ name }) => name === 'Settings')?.parameters as {
            assignments: { assignments: { name: string; value: unknown }[] };
          }
        ).assignments.assignments.map((each) =>
          each.name === 'patience' ? { ...each, value: 0 } : each,
        ),
      },
    },
  });
  await runsWell(client, impatient, 'Every hour');
  expect(smtp.mails).toHaveLength(3);
  expect(smtp.mails[2]?.subject).toMatch(/^SMS: no delivery reports for 11 of 13/);
});

test('Review alert: one mail for each change, none for a list that is empty or away', async ({
  client,
  openAccount,
  smtp,
}) => {
  await new DataTables(client).remove();
  const account = await openAccount();
  const { state } = account.gateway;
  const importIt = await importMailing(client, 'review-alert', smtp, account);
  const workflow = await importIt({});
  const look = () => runsWell(client, workflow, 'Every 30 minutes');
  const subjects = () => smtp.mails.map(({ subject }) => subject);

  await look();
  await look();
  expect(subjects(), 'the first run only remembers').toEqual([]);

  const template = state.templates.get(304) as Template;
  Object.assign(template, { audit_status: 2, status: true });
  smtp.refuse = 2;
  expect((await client.run(workflow, 'Every 30 minutes')).status, 'no mail').toBe('error');
  await look();
  await look();
  expect(subjects(), 'told once').toEqual(['SMS review: 会员活动(审核中) has changed']);
  expect(smtp.mails[0]?.text).toContain(
    '(ID 304): disabled → enabled, review status 1 → review status 2',
  );

  // A list that is empty, and one that cannot be read. The other list is looked at all the same.
  const templates = [...state.templates];
  state.templates.clear();
  await look();
  for (const [id, each] of templates) state.templates.set(id, each);
  await look();
  await look();
  expect(subjects()).toHaveLength(1);
  (state.templates.get(301) as Template).status = false;
  account.gateway.fault({ kind: 'status', path: '/openapi/sign/info', times: Infinity });
  const failed = await client.run(workflow, 'Every 30 minutes');
  expect(failed.status).toBe('error');
  expect(errorOf(failed)).toContain('The signatures could not be listed');
  expect(subjects().slice(1)).toEqual(['SMS review: 登录验证码 has changed']);
  expect(smtp.mails[1]?.text).toContain('enabled → disabled');
  account.gateway.clearFaults();
  await look();
  expect(subjects()).toHaveLength(2);
});
