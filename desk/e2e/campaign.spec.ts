/** The campaign: from a spreadsheet to everybody's message by clicks, and once at most, whatever happens to n8n. */
import { randomInt, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Download, Page } from '@playwright/test';

import type { GatewayOptions } from '../../test/sandbox/gateway';
import { barriers } from '../../test/kit/browser/accessibility';
import { Campaign, people, type Settings } from '../kit/campaign';
import { itemsOf, type Execution, type N8nClient } from '../../test/kit/n8n/client';
import { randomNumbers } from '../../test/kit/search/random';
import { expectNoBarriers } from '../kit/pages';
import { expect, numbersSentTwice, test as base } from '../../test/e2e/lib/test';
import { pictureFile } from '../../test/kit/n8n/paths';
import { anyNode, chain, itemsOfBody, webhookAt } from '../../test/kit/n8n/workflow';
import { WITH_KEY } from '../../test/kit/n8n/webhookKey';
import { readDesk, withText } from '../../test/kit/workflows/workflowFiles';

const SEND_PATH = '/sendsms/template/send';

const ROWS = 2_000;

/** The same random moments again: `CAMPAIGN_SEED=7`. */
const SEED = Number(process.env.CAMPAIGN_SEED ?? randomInt(1, 1_000_000));

const test = base.extend<{
  openCampaign: (settings?: Settings, options?: GatewayOptions) => Promise<Campaign>;
  /** A page of a browser that knows the login. */
  marketer: Page;
}>({
  openCampaign: async ({ client, openAccount, store }, use) => {
    await use(async (settings, options) =>
      Campaign.open(client, await openAccount(options), store, settings),
    );
  },
  marketer: async ({ openPage }, use) => {
    await use(await openPage('/healthz'));
  },
});

interface Spreadsheet {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** A file as a program saves it, with names in its first line. */
function csv(lines: unknown[][], head = '手机号,name,order,date'): Spreadsheet {
  const text = [head, ...lines.map((cells) => cells.join(','))].join('\r\n');
  return { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
}

/** Gives the form a file and a name, as far as its second page or its complaint. */
async function upload(page: Page, name: string, file: Spreadsheet): Promise<void> {
  await page.goto('/form/sms-campaign-form');
  await page.getByRole('textbox').first().fill(name);
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: /Next/ }).click();
  const next = /Template and signature|Nothing was loaded|Add people to/;
  await expect(page.getByText(next).first()).toBeVisible();
}

/** Chooses the template on the second page of the form, which leads to the page of the campaign. */
async function choose(page: Page, template: RegExp): Promise<void> {
  const list = page.locator('select').first();
  const wanted = list.locator('option').filter({ hasText: template });
  await list.selectOption(await wanted.getAttribute('value'));
  await page.getByRole('button').last().click();
  await page.waitForURL(/\/webhook\/sms-campaign\?campaign=/);
}

/** The figures of the page, by their names. */
async function figuresOf(page: Page): Promise<Record<string, string>> {
  const names = await page.locator('.tile dt').allTextContents();
  const values = await page.locator('.tile dd.value').allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

/** What a browser has saved. */
async function readDownload(download: Download): Promise<string> {
  return await readFile(await download.path(), 'utf8');
}

/** A workbook as n8n itself writes it. */
async function excelOf(client: N8nClient, rows: object[]): Promise<Spreadsheet> {
  const path = `excel-${randomUUID()}`;
  const webhook = webhookAt(path, {
    ...{ responseMode: 'lastNode', responseData: 'firstEntryBinary' },
    responseBinaryPropertyName: 'data',
  });
  const convert = anyNode('n8n-nodes-base.convertToFile', 1.1, 'Workbook', { operation: 'xlsx' });
  const file = chain(path, webhook, itemsOfBody('rows'), convert);
  await client.publish(await client.importWorkflow(file, []));
  const response = await fetch(`${client.url}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rows }),
  });
  expect(response.status).toBe(200);
  const buffer = Buffer.from(await response.arrayBuffer());
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  return { name: 'customers.xlsx', mimeType, buffer };
}

test('From a spreadsheet to messages by clicks', async ({ marketer, openCampaign }) => {
  const spring = await openCampaign({ portion_size: 200 }, { reportDelayMs: 1_000 });
  const { gateway } = spring.account;
  await spring.tables.clear('sms.campaigns');
  await spring.publish();
  const optedOut = people(12).map(({ phone }) => String(phone));
  await spring.optOut(...optedOut);
  const customers = people(965).map(({ phone, name, order, date }) => [phone, name, order, date]);
  const twice = customers.slice(100, 120).map(([phone, ...others]) => [`+86 ${phone}`, ...others]);
  const bad = Array.from({ length: 15 }, (_, index) => [`1380000${index}`, '=1+1', '', '']);
  const file = csv([...customers, ...twice, ...bad]);

  await upload(marketer, spring.name, file);
  await expect(marketer.getByText('1000 rows were read').first()).toBeVisible();
  // n8n's forms have no landmarks.
  const found = (await barriers(marketer)).filter((each) => !/landmark|region:/.test(each));
  expect(found, 'the form').toEqual([]);
  await choose(marketer, /发货通知/);
  const plan = { People: '953', 'Bad numbers': '15', 'Opted out': '12', Duplicates: '20' };
  const money = { Segments: '953', 'Balance now': '1,000,000', 'Balance after': '999,047' };
  expect(await figuresOf(marketer)).toMatchObject({ ...plan, ...money });
  const text = '【云岭商城】尊敬的Customer 0,您的订单A-0已发货,预计June 3送达。回复TD退订';
  await expect(marketer.getByText(text)).toBeVisible();
  const address = marketer.url();
  await expectNoBarriers(marketer, address);
  await marketer.goto(address);
  const download = marketer.waitForEvent('download');
  await marketer.getByRole('link', { name: 'Download the bad numbers' }).click();
  expect(await readDownload(await download), 'a formula is a text').toContain(`"'=1+1"`);

  // The same file once more, before the start.
  await upload(marketer, spring.name, file);
  await choose(marketer, /发货通知/);
  expect(await figuresOf(marketer)).toMatchObject({ ...plan, ...money, Duplicates: '1,005' });
  expect(gateway.deliveries().size, 'nothing before the start').toBe(0);

  await marketer.getByRole('button', { name: 'Start' }).click();
  await expect(marketer.getByRole('heading', { name: 'Start “Spring' })).toBeVisible();
  const question = marketer.url();
  await marketer.screenshot({ path: pictureFile('campaign-start'), fullPage: true });
  await expectNoBarriers(marketer, question);
  await marketer.goto(question);
  await marketer.getByRole('button', { name: 'Send to 953 people' }).dblclick();
  await expect.poll(async () => (await spring.row()).state).toBe('running');
  await spring.letRest();
  await expect.poll(() => gateway.deliveries().size).toBeGreaterThan(0);
  await marketer.goto(address);
  await marketer.getByRole('button', { name: 'Pause' }).click();
  await expect(marketer.locator('span.mark')).toHaveText('paused by you');
  await expect.poll(() => spring.count('sending')).toBe(0);
  const sent = gateway.deliveries().size;
  expect(sent).toBeLessThan(953);
  await expect.poll(() => spring.count('delivered'), 'reports still come in').toBe(sent);
  await expectNoBarriers(marketer, address);
  await marketer.goto(address);
  expect(gateway.deliveries().size, 'while it pauses').toBe(sent);

  await marketer.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(async () => (await spring.row()).state, { timeout: 120_000 }).toBe('done');
  await expect.poll(() => spring.count('delivered')).toBe(953);
  const numbers = people(965).map(({ phone }) => String(phone));
  const wanted = numbers.filter((phone) => !optedOut.includes(phone));
  expect([...gateway.deliveries().keys()].sort()).toEqual(wanted.sort());
  expect(numbersSentTwice(gateway)).toEqual([]);
  await marketer.goto(address);
  await expect(marketer.locator('span.mark')).toHaveText('done');
  await expect(marketer.getByRole('row', { name: /^Opted out 12/ })).toBeVisible();

  // What is loaded now is sent at once, so the form asks. Everybody is known.
  await upload(marketer, spring.name, file);
  await expect(marketer.getByText('Send to up to 1000 more people?')).toBeVisible();
  await choose(marketer, /Yes, send/);
  await expect(marketer.locator('span.mark')).toHaveText('running');
  await expect.poll(() => spring.count('delivered')).toBe(953);

  // The page above has counted it.
  await marketer.goto('/webhook/sms-campaign?refresh=off');
  const line = marketer.getByRole('row', { name: /^Spring <b>/ });
  await expect(line).toContainText(/running\D*0\D*965\D*953\D*0/);
  await expectNoBarriers(marketer, marketer.url());
});

/** The same two people in a CSV file as Excel saves it on a Chinese Windows. */
const GBK =
  'yta7+rrFwussbmFtZSxvcmRlcixkYXRlDQoxMzgxMDAwMDAxNSzA7sDXLDcsNtTCM8jVDQorODYgMTM4MTAwMDAwMjUsuqvDt8O3LCJBLDgiLDbUwjTI1Q0K';

test('Excel, GBK and the Chinese form', async ({ client, marketer, openCampaign }) => {
  const campaign = await openCampaign();
  await campaign.publish();
  const files = {
    excel: await excelOf(client, [
      { 手机: 13810000015, name: '李雷', order: 7, date: '6月3日' },
      { 手机: '138 1000 0025', name: '韩梅梅', order: 'A-8', date: '6月4日' },
    ]),
    gbk: { name: 'gbk.csv', mimeType: 'text/csv', buffer: Buffer.from(GBK, 'base64') },
  };
  for (const [name, file] of Object.entries(files)) {
    await upload(marketer, name, file);
    await choose(marketer, /发货通知/);
    expect(await figuresOf(marketer), name).toMatchObject({ People: '2', 'Bad numbers': '0' });
    const text = '【云岭商城】尊敬的李雷,您的订单7已发货,预计6月3日送达。回复TD退订';
    await expect(marketer.getByText(text), name).toBeVisible();
    await expect(marketer.getByRole('button', { name: 'Start' })).toBeVisible();
  }

  await marketer.goto('/form/sms-campaign-form?lang=zh');
  await marketer.getByLabel('群发名称').fill('<b>春季');
  const none = { ...files.gbk, buffer: Buffer.from('手机号\r\n无') };
  await marketer.locator('input[type=file]').setInputFiles(none);
  await marketer.getByRole('button', { name: '下一步' }).click();
  await expect(marketer.getByText('“手机号”列中可见的单元格里没有手机号。')).toBeVisible();
  await marketer.getByRole('link', { name: '重新打开表单' }).click();
  await expect(marketer.getByLabel('群发名称')).toBeVisible();
  await expect(marketer.getByText('Name of the campaign')).toHaveCount(0);
  await marketer.getByLabel('群发名称').fill('春季');
  await marketer.locator('input[type=file]').setInputFiles(files.gbk);
  await marketer.getByRole('button', { name: '下一步' }).click();
  await expect(marketer.getByText('已读取 2 行。').first()).toBeVisible();
  await choose(marketer, /发货通知/);
  expect(marketer.url()).toContain('lang=zh');
  expect(await figuresOf(marketer)).toMatchObject({ 人数: '2' });
});

test('A program is told what is wrong with its request', async ({ client, openCampaign }) => {
  const campaign = await openCampaign();
  await campaign.publish();
  const wrong = { campaign: 'Wrong', template_id: '999', recipients: people(1) };
  await expect(client.callWebhook('sms-campaign', wrong, WITH_KEY)).rejects.toThrow(
    /400[^]*The account has no template with the ID 999\./,
  );
});

test('Clicks at the same moment count once, and Stop is the end', async ({
  marketer,
  openCampaign,
}) => {
  const campaign = await openCampaign({ portion_size: 20 }, { reportDelayMs: 3_600_000 });
  const { gateway } = campaign.account;
  await campaign.publish();
  await campaign.tables.update('sms.campaigns', { campaign: campaign.name }, { state: 'draft' });
  await campaign.insert(people(200));

  // Send one to me.
  const token = await campaign.token();
  const me = { phone: '13900001115' };
  const clicks = () => Promise.all([1, 2, 3].map(() => campaign.press('test', token, me)));
  expect((await clicks()).filter((status) => status === 303)).toHaveLength(1);
  expect(await clicks()).not.toContain(303);
  expect([...gateway.deliveries()]).toEqual([['13900001115', 1]]);

  for (const forged of ['', 'forged', token]) {
    expect(await campaign.press('start', forged)).toBe(409);
  }
  expect((await campaign.row()).state).toBe('draft');
  expect(await campaign.press('start', await campaign.token())).toBe(303);
  await expect.poll(() => gateway.deliveries().size).toBeGreaterThan(20);

  await marketer.goto(`/webhook/sms-campaign?campaign=${(await campaign.row()).id}&refresh=off`);
  await marketer.getByRole('button', { name: 'Stop' }).click();
  await expect(marketer.locator('span.mark')).toHaveText('stopped');
  await expect(marketer.locator('main button')).toHaveCount(0);
  await expect.poll(() => campaign.count('sending')).toBe(0);
  const sent = gateway.deliveries().size;
  await expect(campaign.load(people(3, 300))).rejects.toThrow();
  await campaign.tick();
  expect((await campaign.row()).state).toBe('stopped');
  expect(gateway.deliveries().size).toBe(sent);
});

test('What is unknown is sent again behind a warning', async ({ marketer, openCampaign }) => {
  const campaign = await openCampaign({}, { reportDelayMs: 3_600_000 });
  const { gateway } = campaign.account;
  gateway.fault({ kind: 'status', status: 500, path: SEND_PATH });
  await campaign.insert(people(4));
  await campaign.tick();
  await campaign.publish();
  await marketer.goto(`/webhook/sms-campaign?campaign=${(await campaign.row()).id}&refresh=off`);
  await marketer.getByRole('link', { name: 'Send the unknown again (4)' }).click();
  await expect(marketer.getByText('Up to 4 people get them a second time')).toBeVisible();
  await marketer.getByRole('button', { name: 'Send them again' }).click();
  await expect.poll(() => campaign.count('pending')).toBe(4);
  await campaign.letRest();
  await expect.poll(() => campaign.count('accepted'), { timeout: 150_000 }).toBe(4);
  expect([...gateway.deliveries().values()]).toEqual([1, 1, 1, 1]);
});

test('kill -9: no number twice, every row ends', async ({ client, n8n, openAccount, store }) => {
  test.setTimeout(15 * 60_000);
  console.log(`seed ${SEED}`);
  const random = randomNumbers(SEED);
  const account = await openAccount({ reportDelayMs: 1_000, latencyMs: 30 });
  const campaign = await Campaign.open(
    client,
    account,
    store,
    { portion_size: 300 },
    withText(readDesk('outbox'), 'Send by template', '"phoneData"', '"timeout":2000,"phoneData"'),
  );
  const { gateway } = account;
  const everybody = people(ROWS);
  const phoneAt = (index: number) => String(everybody[Math.floor(index)]?.phone);
  // The service rejects a request as a whole. A portion of nothing else would be a pause, so they are far apart.
  const rejected = new Set([0, 600, 1_200].map((from) => phoneAt(from + random() * 300)));
  const optedOut = new Set(
    Array.from({ length: 20 }, () => phoneAt(random() * ROWS)).filter(
      (phone) => !rejected.has(phone),
    ),
  );
  await campaign.optOut(...optedOut);
  gateway.fault({
    kind: 'businessCode',
    path: SEND_PATH,
    times: Infinity,
    match: ({ rawBody }) => [...rejected].some((phone) => rawBody.includes(`"${phone}"`)),
  });
  for (const nth of [3, 17, 31]) {
    gateway.fault({ kind: 'hang', path: SEND_PATH, nth });
    gateway.fault({ kind: 'hang', accept: false, path: SEND_PATH, nth: nth + 5 });
  }

  await campaign.publishParts();
  await campaign.load(everybody);
  await campaign.publish();

  for (let kill = 1; kill <= 3; kill += 1) {
    // Somewhere in the next quarter of the campaign.
    const sent = gateway.deliveries().size;
    const target = sent + Math.floor((random() * ROWS) / 4);
    await expect
      .poll(() => gateway.deliveries().size, { timeout: 240_000, intervals: [20] })
      .toBeGreaterThanOrEqual(target);
    await sleep(random() * 700);
    await n8n.restart('kill');
    await campaign.letTimePass();
    console.log(`kill ${kill} after ${gateway.deliveries().size} messages`);
  }
  const open = async () => {
    return (await campaign.count('pending')) + (await campaign.count('sending'));
  };
  await expect
    .poll(open, { message: 'rows are open', timeout: 240_000, intervals: [1_000] })
    .toBe(0);
  await expect.poll(() => gateway.state.reportsLeft, { timeout: 180_000 }).toBe(0);

  const rows = await campaign.rows();
  const deliveries = gateway.deliveries();
  expect(numbersSentTwice(gateway), 'numbers with two messages').toEqual([]);
  expect(rows.map(({ phone_number }) => phone_number).sort()).toEqual(
    everybody.map(({ phone }) => phone).sort(),
  );
  // A report that a kill has taken from the tiny inbox leaves its row accepted.
  const ends = ['accepted', 'delivered', 'opted_out', 'rejected', 'unknown'];
  expect(rows.filter(({ status }) => !ends.includes(status))).toEqual([]);
  const numbers = (wanted: string) =>
    rows.filter(({ status }) => status === wanted).map(({ phone_number }) => phone_number);
  const got = (phone: string) => deliveries.has(phone);
  expect(
    numbers('delivered').filter((phone) => !got(phone)),
    'delivered, not sent',
  ).toEqual([]);
  // A portion that a kill has cut short is unknown, with whatever was to happen to its rows.
  // The service rejects a request as a whole, and the node does not send it again.
  expect(numbers('rejected').filter(got), 'rejected, and sent').toEqual([]);
  expect(
    numbers('opted_out').filter((phone) => !optedOut.has(phone)),
    'opted out',
  ).toEqual([]);
  expect([...rejected, ...optedOut].filter(got), 'sent all the same').toEqual([]);
});

test('Executions that overlap never claim the same row', async ({ openCampaign }) => {
  const settings = { portion_size: 100, portions_at_once: 3 };
  const campaign = await openCampaign(settings, { latencyMs: 100 });
  await campaign.insert(people(300));
  const executions: Execution[] = [];
  for (let round = 0; round < 4; round += 1) {
    executions.push(...(await Promise.all([campaign.tick(), campaign.tick(), campaign.tick()])));
  }
  const claims = executions.map((each) => itemsOf(each, 'Messages').length);
  expect(sum(claims)).toBe(300);
  expect([...campaign.account.gateway.deliveries().values()]).toEqual(Array(300).fill(1));
  expect(await campaign.count('accepted')).toBe(300);
});

test('It stops below the balance, and waits for the outbox', async ({ client, openCampaign }) => {
  const campaign = await openCampaign({ stop_below_balance: 500 }, { balance: 499 });
  const { gateway } = campaign.account;
  await campaign.publishParts();
  await campaign.insert(people(5));
  await campaign.tick();
  expect(await campaign.count('pending'), 'below the balance').toBe(5);
  expect(await campaign.page()).toContain('stopped by the balance');

  gateway.state.balance = 1_000_000;
  await client.publish(campaign.workflow);
  await client.deactivate(campaign.outbox);
  await expect.poll(() => campaign.page(), { timeout: 90_000 }).toContain('could not be asked');
  expect(await campaign.count('pending'), 'nothing is lost').toBe(5);
  await client.publish(campaign.outbox);
  await expect.poll(() => campaign.count('accepted'), { timeout: 180_000 }).toBe(5);
  expect(numbersSentTwice(gateway)).toEqual([]);
});

function sum(values: number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
