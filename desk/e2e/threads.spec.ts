/** The page of conversations: what was sent to a number and what came back, and its reply box. */
import type { Page } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import type { Tables } from '../kit/store';
import { readDesk } from '../../test/kit/workflows/workflowFiles';
import { pictureFile } from '../../test/kit/n8n/paths';
import { publishOutbox } from '../kit/publishOutbox';
import { ATTACK, expectLogin, expectNoBarriers, LOGIN, postForm } from '../kit/pages';
import type { Account } from '../../test/kit/n8n/client';
import { expect, test as base } from '../../test/e2e/lib/test';

const CUSTOMER = '13810002001';
const OTHER = '13810002002';
const OPTED_OUT = '13810003003';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

function sent(fields: IDataObject): IDataObject {
  const empty = { reason: '', batch_id: '', text: '', parameters: '', reference: '', key: '' };
  const others = { class: 'notice', status: 'accepted', template: '302', signature: '202' };
  const row = { ...empty, ...others, source: 'Shop', phone_data: '', run: 'made up' };
  return { ...row, phone_number: CUSTOMER, sent_at: ago(60), ...fields };
}

function came(fields: IDataObject): IDataObject {
  const empty = { status: '', status_desc: '', content: '', batch_id: '', user_data: '' };
  const row = { ...empty, phone_data: '', run: 'made up', event: 'reply' };
  return { ...row, phone_number: CUSTOMER, time: ago(30), ...fields };
}

/** A bad day: every status, a code, replies, an attack, and who has opted out. */
const SENT = [
  sent({ batch_id: 'b1', text: '【云岭商城】Your order A-1 is on its way.', sent_at: ago(300) }),
  sent({ batch_id: 'b2', text: '【云岭商城】Tomorrow.', sent_at: ago(200) }),
  sent({ batch_id: 'b3', class: 'code', template: '301', sent_at: ago(150) }),
  sent({
    status: 'refused',
    reason: 'It has had enough.',
    text: '【云岭商城】No.',
    sent_at: ago(100),
  }),
  sent({ phone_number: OTHER, text: '【云岭商城】To another one.', sent_at: ago(50) }),
  sent({ phone_number: OPTED_OUT, text: '【云岭商城】Sale!', sent_at: ago(45) }),
];
const CAME = [
  came({ event: 'deliveryReport', batch_id: 'b1', status: 'DELIVRD', time: ago(299) }),
  came({ event: 'deliveryReport', batch_id: 'b2', status: 'EXPIRED', status_desc: '关机' }),
  came({ content: ATTACK, time: ago(20) }),
  came({ phone_number: OPTED_OUT, content: 'TD', says: 'stop', time: ago(40) }),
];

interface Conversations {
  account: Account;
  tables: Tables;
  address: string;
  open: (query?: string) => Promise<Page>;
  /** Posts a form as the browser does, with the login or without. */
  post: (form: Record<string, string>, login?: typeof LOGIN) => Promise<number>;
  /** The texts that the phones got. */
  arrived: () => number;
}

const test = base.extend<{ conversations: Conversations }>({
  conversations: async ({ client, openAccount, openPage, store }, use) => {
    const account = await openAccount();
    const { tables } = store;
    await publishOutbox(client, account, store);
    await tables.insert('sms.outbox', SENT);
    await tables.insert('sms.inbox', CAME);
    await tables.insert('sms.opt_outs', [{ phone_number: OPTED_OUT, word: 'TD', since: ago(40) }]);
    const login = await client.createCredential('Conversations login', 'httpBasicAuth', LOGIN);
    const credentials = [account.credential, login, ...store.credentials];
    await client.publish(await client.importWorkflow(readDesk('conversations'), credentials));
    const address = `${client.url}/webhook/sms-conversations`;
    await use({
      account,
      tables,
      address,
      open: (query = '') => openPage(address + query),
      post: (form, login) => postForm(client, 'sms-conversations-reply', form, login),
      arrived: () =>
        [...account.gateway.deliveries().values()].reduce((sum, count) => sum + count, 0),
    });
  },
});

/** Fills in the form of the second step, and returns what the browser would post. */
async function formIn(page: Page): Promise<Record<string, string>> {
  for (const field of await page.locator('.reply input[required]').all()) await field.fill('7');
  return Object.fromEntries(
    await page
      .locator('form[method=post] input')
      .evaluateAll((all) =>
        all.map((each) => [(each as HTMLInputElement).name, (each as HTMLInputElement).value]),
      ),
  ) as Record<string, string>;
}

test('A conversation is answered by clicks, once', async ({ conversations }) => {
  const { account, address, arrived, open, tables } = conversations;
  await expectLogin(address);
  const page = await open();
  const lines = page.locator('.threads li');
  await expect(lines).toHaveCount(3);
  await expect(lines.first()).toContainText('138 •••• 2001');
  await expect(lines.first(), 'the attack is text').toContainText(ATTACK);
  await expect(page.locator('.threads .mark'), 'who opted out needs no answer').toHaveCount(1);
  expect(await page.content(), 'numbers are masked').not.toContain(CUSTOMER);

  await page.getByRole('searchbox').fill(`+86 ${CUSTOMER}`);
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('heading', { name: CUSTOMER })).toBeVisible();
  expect(page.url()).toMatch(/\?row=[oi]\d+#end$/);

  const bubbles = page.locator('.chat li');
  await expect(bubbles).toHaveText([
    /order A-1 .*Delivered/s,
    /Tomorrow\..*Not delivered: EXPIRED · 关机/s,
    /Verification code, text not stored.*Accepted/s,
    /No\..*Refused: It has had enough\./s,
    /stolen/,
  ]);
  await expect(page.locator('script, img, iframe, .chat svg')).toHaveCount(0);
  await page.getByRole('link', { name: 'Answer' }).click();
  await expect(page.locator('meta[http-equiv=refresh]'), 'the box stays open').toHaveCount(0);
  await page.locator('select[name=template]').selectOption('302');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.locator('blockquote')).toContainText(
    '【云岭商城】尊敬的{name},您的订单{order}',
  );
  await page.locator('[name=p0]').fill('Han <b>');
  await page.locator('[name=p1]').fill('A-7');
  await page.locator('[name=p2]').fill('6月3日');
  await page.screenshot({ path: pictureFile('conversations-reply'), fullPage: true });
  await page.getByRole('button', { name: 'Send' }).dblclick();
  await expect(page.locator('#end .notice.green')).toContainText('Accepted');
  expect(page.url()).toMatch(/\?row=[oi]\d+&sent=\d+#end$/);
  const text = '【云岭商城】尊敬的Han <b>,您的订单A-7已发货,预计6月3日送达。回复TD退订';
  await expect(bubbles.last()).toContainText(text);
  expect([arrived(), account.gateway.deliveries().get(CUSTOMER)]).toEqual([1, 1]);
  const [row] = await tables.rows('sms.outbox', { source: 'SMS · Conversations' });
  expect(row).toMatchObject({ phone_number: CUSTOMER, class: 'notice', status: 'accepted' });
  await page.getByRole('link', { name: 'All conversations' }).click();
  await expect(page.locator('.threads .mark'), 'it is answered').toHaveCount(0);
});

test('No form is taken twice, and none that the page has not made', async ({ conversations }) => {
  const { arrived, open, post, tables } = conversations;
  const box = '&reply=1&template=302';
  const customer = await formIn(await open(`?row=o1${box}`));
  const other = await formIn(await open(`?row=o5${box}`));

  expect([401, 403]).toContain(await post(customer, { user: 'ops', password: 'wrong' }));
  const elsewhere = { ...customer, row: 'o5' };
  for (const form of [{ ...customer, token: '' }, elsewhere]) expect(await post(form)).toBe(409);
  expect(arrived()).toBe(0);

  const clicks = await Promise.all([post(customer), post(customer), post(customer)]);
  expect(clicks, 'all lead to the one message').toEqual([303, 303, 303]);
  expect(arrived()).toBe(1);
  expect(await post(customer), 'sent again later').toBe(303);
  expect(arrived()).toBe(1);

  const tabs = [other, await formIn(await open(`?row=o5${box}`))];
  const answers = await Promise.all(tabs.map((form) => post(form)));
  expect(answers.sort(), 'one window wins').toEqual([303, 409]);
  expect(arrived()).toBe(2);

  const page = await open(`?row=i4${box}`);
  await expect(page.locator('.notice.red')).toContainText('has opted out');
  const refused = await formIn(page);
  expect(await post(refused)).toBe(303);
  await expect.poll(() => tables.count('sms.outbox', { status: 'refused' })).toBe(2);
  expect(arrived()).toBe(2);
  expect(await tables.count('sms.tokens'), 'used ones are gone').toBe(0);
});

test('Nothing on the page keeps anybody out, in English and Chinese', async ({ conversations }) => {
  const views = ['', 'row=o1', 'row=i4&reply=1', 'row=o1&reply=1&template=302', 'bad=search'];
  const addresses = views.map((view) => `${conversations.address}?${view}`);
  await expectNoBarriers(await conversations.open(), ...addresses);
});
