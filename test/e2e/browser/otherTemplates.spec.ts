/**
 * Each template of examples/, alone in an n8n that has credentials and nothing else: imported by the menu,
 * its choices made by clicks, published, and then used. Here are those that send, and those that look.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from '../lib/test';
import { WITH_KEY } from '../../kit/n8n/webhookKey';
import { anyNode, callTo, chain, itemsOfBody, webhookAt } from '../../kit/n8n/workflow';
import { withFields } from '../../kit/workflows/workflowFiles';
import { template } from '../../sandbox/seeds';
import { SHEET_FILES } from '../../kit/sheets/sheetFiles';
import { pictureFile } from '../../kit/n8n/paths';
import { openForm } from './openForm';
import { FROM, MAIL, OWN, PHONES, SHIPPED, test } from './templateTest';

const [PHONE, VISITOR] = PHONES;

const HOUR_MS = 3_600_000;

test('order-sms @shown', async ({ client, openTemplate }) => {
  const { gateway, publish, setUp } = await openTemplate('order-sms');
  await setUp({ 'Send the SMS': SHIPPED });
  await publish();

  const order = { order: 'A-1001', phone: PHONE, name: 'Li Lei', date: 'June 3' };
  const post = async (): Promise<unknown> =>
    JSON.parse(await client.callWebhook('order-sms', order, WITH_KEY));
  // Of two at the same moment n8n may refuse one.
  const both = await Promise.all([post(), post()].map((each) => each.catch(() => undefined)));
  const accepted = { status: 'accepted', batch_id: expect.any(String) };
  expect(both).toContainEqual(expect.objectContaining(accepted));
  expect(await post(), 'the outcome of the first time').toMatchObject(accepted);
  expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
});

test('first-sms', async ({ editor, openTemplate }) => {
  const { execute, gateway, setUp, user } = await openTemplate('first-sms');
  const { signatureId, templateId } = { signatureId: '青禾科技', templateId: '登录验证码' };
  await setUp({
    'Send the SMS': { signatureId, templateId, phoneNumbers: PHONE, code: '4821', minutes: '5' },
  });
  const before = gateway.requests.length;
  await execute();
  // The check asks for the template.
  await expect.poll(() => gateway.requests.length).toBeGreaterThan(before);
  expect(gateway.deliveries().size, 'Check Only is on').toBe(0);

  await user.open('Send the SMS');
  const checkOnly = editor.panel.getByTestId('parameter-input-checkOnly').locator('.el-switch');
  await user.click('Check Only', checkOnly);
  await user.close();
  await execute();
  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);
});

test('form-sms', async ({ client, editor, openTemplate }) => {
  const text = '${name}您好,我们会联系您。';
  const { gateway, publish, setUp, tables } = await openTemplate('form-sms', { text });
  const lead = { name: '新线索', content: '新线索:${name},${phone}', sign_id: 202 };
  gateway.state.templates.set(311, template(311, lead));
  await setUp(
    { 'Text the owner': { ...OWN, templateId: '新线索', phoneNumbers: PHONE } },
    { 'Text the visitor': OWN },
  );
  await publish();

  const { page } = editor;
  await page.goto(`${client.url}/form/form-sms`);
  await page.getByLabel('Name').fill('Li Lei');
  await page.getByLabel('Phone').fill(VISITOR);
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('Thank you')).toBeVisible();
  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);

  await client.callWebhook('lead-sms', { id: 'L-1', name: 'Li Lei', phone: VISITOR }, WITH_KEY);
  expect([...gateway.deliveries()]).toEqual([
    [PHONE, 2],
    [VISITOR, 1],
  ]);
  expect(await tables.rows('sms_leads')).toMatchObject([
    { source: 'form', owner: 'accepted' },
    { source: 'system', owner: 'accepted', visitor: 'accepted' },
  ]);
});

test('verification-code', async ({ client, openTemplate }) => {
  const trial = await openTemplate('verification-code');
  const { gateway, publish, saved, setUp, tables, user } = trial;
  await setUp({ 'Send the code': { signatureId: '青禾科技', templateId: '登录验证码' } });
  await user.keepNoExecutions();
  await publish();

  const post = async (what: string, body: object): Promise<unknown> =>
    JSON.parse(await client.callWebhook('verification-code', { do: what, ...body }, WITH_KEY));
  expect(await post('send', { phone: PHONE })).toEqual({ sent: true });
  const [message] = gateway.state.messages.get(PHONE) ?? [];
  const [code = ''] = /\d{6}/.exec(JSON.stringify(message)) ?? [];
  const wrong = code === '100000' ? '100001' : '100000';
  expect(await post('check', { phone: PHONE, code: wrong })).toEqual({ valid: false });
  // With tries that are counted behind the comparison, a wrong code beside the right one takes its try.
  const entered = [wrong, code, wrong];
  const checks = await Promise.all(
    entered.map((each) => post('check', { phone: PHONE, code: each })),
  );
  expect(checks).toEqual(entered.map((each) => ({ valid: each === code })));
  expect(await post('check', { phone: PHONE, code }), 'a second time').toEqual({ valid: false });
  const rows = await tables.rows('sms_login_codes');
  for (const { hash } of rows) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(await client.executions(await saved()), 'they would have the codes').toEqual([]);
});

test('balance-low', async ({ client, editor, openTemplate }) => {
  const { execute, gateway, publish, saved, setUp, smtp } = await openTemplate('balance-low', {
    gateway: { balance: 500 },
    text: '短信余额仅剩${balance}条,请及时充值。',
  });
  await setUp({ 'Send an SMS': { ...OWN, phoneNumbers: PHONE }, 'Send a mail': FROM });
  await publish();

  // It rings by day only, and this test runs at any hour.
  const file = await saved();
  const { nodes } = withFields(file, 'Settings', { from: 0, until: 24 });
  await client.updateWorkflow(file.id, { nodes });
  await editor.open(file.id);

  await execute();
  await expect
    .poll(() => smtp.mails)
    .toMatchObject([{ to: [MAIL], subject: 'SMS: the balance is 500' }]);
  expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
});

test('watch', async ({ client, openTemplate }) => {
  const { gateway, publish, saved, setUp, smtp } = await openTemplate('watch', {
    text: '监控提醒:${what}在${time}${state}。',
  });
  let isDown = true;
  const page = createServer((_, answer) => answer.writeHead(isDown ? 503 : 200).end('ok'));
  await once(page.listen(0, '127.0.0.1'), 'listening');
  const { port } = page.address() as AddressInfo;
  await setUp(
    { 'Look at it': { url: `http://127.0.0.1:${port}` } },
    { 'Tell whoever is on call': { ...OWN, phoneNumbers: PHONE } },
    { 'Mail it instead': FROM },
  );
  await publish();

  const watch = await saved();
  const look = async () => await client.run(watch, 'Every 5 minutes');
  const told = () => JSON.stringify(gateway.state.messages.get(PHONE) ?? []);
  await look();
  await look();
  expect([...gateway.deliveries()]).toEqual([[PHONE, 1]]);
  expect(told()).toContain('官网');

  /** Publishes a workflow that fails, and calls it so many times at once. */
  const fail = async (name: string, times: number) => {
    const fails = anyNode('n8n-nodes-base.stopAndError', 1, 'Fails', {
      errorMessage: 'as it must',
    });
    const file = chain(name, webhookAt(name), fails);
    const settings = { ...file.settings, errorWorkflow: watch.id };
    const failing = await client.importWorkflow({ ...file, settings }, []);
    await client.publish(failing);
    const calls = Array.from({ length: times }, () => client.callWebhook(name, {}));
    await Promise.all(calls);
    return failing;
  };
  const ended = async () =>
    (await client.executions(watch)).filter(({ status }) => status === 'success').length;
  const { id } = await fail('fails', 6);
  await expect.poll(ended).toBe(8);
  isDown = false;
  await look();
  await look();
  expect([...gateway.deliveries()]).toEqual([[PHONE, 2]]);
  expect(told()).toContain(id);

  gateway.state.balance = 0;
  await fail('empty', 1);
  await expect.poll(ended).toBe(11);
  await look();
  await look();
  expect(smtp.mails.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Down: 工作流/),
  ]);
  page.close();
});

test('send-unless-opted-out', async ({ client, openTemplate }) => {
  const { gateway, publish, saved, setUp, tables } = await openTemplate('send-unless-opted-out', {
    text: '${name}，订单${order}已发货。',
  });
  await setUp({ Send: OWN });
  await publish();

  const answers = { responseMode: 'lastNode', responseData: 'allEntries' };
  const caller = chain(
    'caller',
    webhookAt('caller', answers),
    itemsOfBody('people'),
    callTo(await saved()),
  );
  await client.publish(await client.importWorkflow(caller, []));
  const people = [...PHONES.slice(0, 2), `${PHONE},${PHONES[2]}`].map((phone) => ({
    ...{ phone, key: 'A-1001', name: '王芳', order: 'A-1001' },
  }));
  const outcomes = async () => {
    const all = JSON.parse(await client.callWebhook('caller', { people })) as Outcome[];
    return Object.fromEntries(all.map(({ phone, status, msg }) => [phone, `${status} ${msg}`]));
  };
  // The first call makes the table.
  await outcomes();
  expect([...gateway.deliveries()]).toEqual(PHONES.slice(0, 2).map((phone) => [phone, 1]));
  await tables.insert('sms_opt_outs', [{ phone_number: '138 1000-0010', word: '', since: '' }]);
  expect(await outcomes()).toEqual({
    [PHONE]: 'rejected The number has opted out.',
    [PHONES[1]]: expect.stringMatching(/^skipped/) as unknown,
    [`${PHONE},${PHONES[2]}`]: 'rejected The field phone is not one mobile number.',
  });
});

interface Outcome {
  phone: string;
  status: string;
  msg: string;
}

// The calendar needs Google, and was not run.
test('appointment-reminder, by its data table', async ({ client, editor, openTemplate }) => {
  const text = '${name}您好,提醒您明天${time}的预约。';
  const trial = await openTemplate('appointment-reminder', { text });
  const { execute, gateway, publish, saved, setUp, smtp, tables } = trial;
  await setUp({ Remind: OWN }, { 'Not reminded': FROM });
  await publish();

  // Nothing is sent at night, so this test goes where it is noon.
  const file = await saved();
  const ahead = 12 - new Date().getUTCHours();
  const timezone = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
  const { nodes } = withFields(file, 'Zone and hours', { zone: timezone });
  await client.updateWorkflow(file.id, { nodes });
  await editor.open(file.id);
  await execute();
  await expect.poll(() => tables.exists('sms_appointments')).toBe(true);
  const tomorrow = new Date(Date.now() + (ahead + 24) * HOUR_MS).toISOString().slice(0, 10);
  await tables.insert('sms_appointments', [
    { phone: PHONE, name: '王芳', date: tomorrow, time: '09:30' },
    { phone: PHONES[1], name: '李雷', date: '2026-01-01', time: '09:30' },
    { phone: PHONES[1], name: '李雷', date: '06/03', time: '09:30' },
  ]);
  await execute();
  const subject = 'Not reminded, or not surely: 1';
  await expect.poll(() => smtp.mails).toMatchObject([{ to: [MAIL], subject }]);
  const status = 'its date cannot be read';
  await expect.poll(() => tables.rows('sms_not_reminded')).toMatchObject([{ status }]);
  await expect.poll(() => [...gateway.deliveries()]).toEqual([[PHONE, 1]]);
});

test('file-sms', async ({ client, editor, n8n, openTemplate }) => {
  const { gateway, publish, setUp } = await openTemplate('file-sms');
  await setUp({ 'Send the SMS': SHIPPED });
  await publish();

  const { page } = editor;
  /** Uploads a file, and waits for the page behind the form. */
  const upload = async (name: string, buffer: Buffer): Promise<void> => {
    await openForm(page, `${client.url}/form/file-sms`, 'Next');
    const file = { name, mimeType: 'application/vnd.ms-excel', buffer };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Next' }).click();
  };
  /** Answers the question, and returns the rows of the file that comes back. */
  const answer = async (option: string): Promise<string[]> => {
    await page.getByLabel('Send them?').selectOption(option);
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'OK' }).click();
    return readFileSync(await (await downloaded).path(), 'utf8').split('\r\n');
  };
  const known = async (name: string, ...says: string[]): Promise<void> => {
    const { fileName = '', bytes = '' } = SHEET_FILES[name] ?? {};
    await upload(fileName, Buffer.from(bytes, 'base64'));
    for (const each of says) await expect(page.getByText(each)).toBeVisible();
  };
  const lines = [
    'phone,name,order,date',
    `${PHONES[2]},<b>Li</b> Lei,A-1001,June 3`,
    '1381000,王芳,A-1002,June 3',
  ];
  const orders = Buffer.from(lines.join('\n'));
  await upload('orders.csv', orders);
  for (const says of [
    'Send 1 SMS?',
    `First: row 2, phone ${PHONES[2]}, name <b>Li</b> Lei, order A-1001`,
    'Row 3: Its phone 1381000 is no mobile number.',
  ])
    await expect(page.getByText(says)).toBeVisible();
  await page.screenshot({ path: pictureFile('file-sms asks') });
  expect(gateway.requests.filter(({ path }) => path.endsWith('/send'))).toEqual([]);
  // The question outlives n8n.
  await n8n.restart('kill');
  const [, declined] = await answer('No');
  expect(declined).toMatch(/,rejected,You chose to send nothing\.$/);
  expect([...gateway.deliveries()]).toEqual([]);

  await upload('orders.csv', orders);
  const [, accepted, rejected] = await answer('Yes, send them');
  await expect(page.getByText('Sent: 1 of 2 rows')).toBeVisible();
  expect(accepted).toBe(`${PHONES[2]},<b>Li</b> Lei,A-1001,June 3,accepted,`);
  expect(rejected).toMatch(/^1381000,王芳,A-1002,June 3,rejected,.+/);
  expect([...gateway.deliveries()]).toEqual([[PHONES[2], 1]]);

  await upload('orders.csv', orders);
  const [, skipped] = await answer('Yes, send them');
  expect(skipped).toMatch(/,skipped,.+/);
  await known('GBK', 'Send 2 SMS?');
  await answer('Yes, send them');
  expect(JSON.stringify(gateway.state.messages.get(PHONES[1]))).toContain('李喆');
  await known('no phone column', 'Nothing was sent', 'No column is called phone');
  await known('Excel of before 2007', 'Send 1 SMS?');
  await known('Excel, with orders that are numbers', 'read as digits: order 1001');
});
