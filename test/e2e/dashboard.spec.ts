/** The dashboard that an ops team keeps open. */
import { readFileSync } from 'node:fs';

import type { Browser, Page } from '@playwright/test';

import type { N8nClient, Workflow } from './lib/client';
import { makeDay, type Day, type EventRow } from './lib/day';
import { readExample } from './lib/examples';
import { pictureFile } from './lib/paths';
import { DataTables } from './lib/dataTables';
import { expect, test as base } from './lib/test';

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
}

interface Dashboard {
  address: string;
  workflow: Workflow;
  open(query?: string, options?: Parameters<Browser['newPage']>[0]): Promise<Page>;
}

const test = base.extend<Fixtures>({
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
  await expect(page.locator('.notice').first()).toContainText(
    'Publish the workflows SMS · Inbox and SMS · Outbox',
  );
  await expect(page.getByRole('heading', { name: 'Nothing in the last 24 hours' })).toBeVisible();
  await new DataTables(client).createShared();
  await page.reload();
  await expect(page.locator('.notice')).toHaveCount(0);
  await expect(page.getByRole('listitem').first()).toContainText('SMS · Inbox');
  await page.screenshot({ path: pictureFile('dashboard-empty') });

  const many = makeDay({ now: new Date(), sends: 20_600, zone: ZONE });
  await new DataTables(client).fill(many);
  await page.goto(`${dashboard.address}?window=all`);
  await expect(page.locator('.notice')).toContainText('more than 20,000 rows');
  expect(Number((await tilesOf(page)).Sent)).toBeLessThanOrEqual(20_000);
  expect(Number((await tilesOf(page)).Sent)).toBeGreaterThan(19_500);
});
