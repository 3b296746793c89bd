/** The workflows that look for something that is wrong, and tell somebody once. */
import type { IDataObject } from 'n8n-workflow';

import { FULL, publishLook, publishOutbox, type Look } from './lib/alerts';
import { errorOf, itemsOf, type Credential, type N8nClient } from './lib/client';
import { DataTables } from './lib/dataTables';
import { readDesk } from './lib/workflowFiles';
import { withFields } from './lib/fields';
import { startSmtp, type SmtpServer } from './lib/smtp';
import { expect, test as base, type Account } from './lib/test';
import { WEBHOOK_KEY, WITH_KEY } from './lib/webhookKey';
import type { Template } from '../sandbox/gateway';

const test = base.extend<{ smtp: SmtpServer }>({
  smtp: async ({ client }, use) => {
    await new DataTables(client).remove();
    const smtp = await startSmtp();
    await use(smtp);
    await smtp.close();
  },
});

async function credentialsFor(
  client: N8nClient,
  smtp: SmtpServer,
  { credential }: Account,
): Promise<Credential[]> {
  return [credential, await client.createCredential('SMTP account', 'smtp', smtp.credential)];
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const subjects = ({ mails }: SmtpServer) => mails.map(({ subject }) => subject);

async function looks(times: number, { look }: Look): Promise<void> {
  for (let time = 0; time < times; time += 1) await look();
}

function sends(count: number, minutes: number) {
  return Array.from({ length: count }, (_, index) => ({
    batch_id: `b${minutes}-${index}`,
    phone_number: `1381000${1000 + index}`,
    status: 'accepted',
    sent_at: ago(minutes + index / 60),
  }));
}

function reportOf({ batch_id, phone_number }: ReturnType<typeof sends>[number]) {
  const row = { batch_id, phone_number, status: 'DELIVRD', time: ago(1) };
  return { event: 'deliveryReport', ...row };
}

test('Watchdog: one mail when most reports are missing, also while the tables are full, and one when they come again', async ({
  client,
  n8n,
  openAccount,
  smtp,
}) => {
  test.setTimeout(10 * 60_000);
  const account = await openAccount();
  const tables = new DataTables(client);
  await publishOutbox(client, account);
  const credentials = await credentialsFor(client, smtp, account);
  const file = withFields(readDesk('watchdog'), 'Settings', { patience: 0 });
  const watchdog = await publishLook(client, file, 'Every hour', credentials);
  await watchdog.look();
  expect(smtp.mails, 'nothing was sent').toEqual([]);

  const first = sends(50, 10);
  await tables.insert('sms_outbox', [...first, { ...first[0], status: 'refused', batch_id: '' }]);
  await tables.insert('sms_inbox', first.slice(0, 2).map(reportOf));
  await n8n.restart('stop', FULL);
  await expect(tables.insert('sms_inbox', first.map(reportOf))).rejects.toThrow('limit exceeded');
  smtp.refuse = 2;
  await expect(watchdog.look(), 'the mail server is away').rejects.toThrow('Error in workflow');
  await looks(3, watchdog);
  expect(subjects(smtp)).toEqual(['SMS: no delivery report for 48 of 50 messages']);
  expect(smtp.mails[0]?.to).toEqual(['ops@example.com']);
  expect(smtp.mails[0]?.text).toContain(`Open the status page: ${client.url}/webhook/sms-status`);

  await n8n.restart('kill');
  await tables.insert('sms_inbox', first.slice(2, 3).map(reportOf));
  await looks(2, watchdog);
  expect(smtp.mails, 'one late report is no all-clear').toHaveLength(1);
  const later = sends(5, 0).map((send) => ({ ...send, sent_at: ago(0) }));
  await tables.insert('sms_outbox', later);
  await tables.insert('sms_inbox', later.slice(1).map(reportOf));
  await looks(2, watchdog);
  expect(subjects(smtp).slice(1)).toEqual(['SMS: delivery reports come again']);
  const execution = (await client.executions(watchdog.workflow))[0];
  expect(execution?.status).toBe('success');
});

test('Watchdog: a subscriber that waits, what others have written, and the canary', async ({
  client,
  openAccount,
  smtp,
}) => {
  const account = await openAccount();
  const tables = new DataTables(client);
  await publishOutbox(client, account);
  const create = async (name: string, columns: Record<string, string>) => {
    const project = await client.call<{ id: string }>('GET', '/rest/projects/personal');
    const list = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
    await client.call('POST', `/rest/projects/${project.id}/data-tables`, { name, columns: list });
  };
  await tables.remove('sms_subscribers', 'sms_deliveries', 'sms_alarms');
  await create('sms_subscribers', { workflow_id: 'string', name: 'string', wants: 'string' });
  await create('sms_deliveries', { workflow_id: 'string', reason: 'string' });
  const text = { name: 'string', reason: 'string' };
  await create('sms_alarms', { ...text, since: 'date', mailed: 'date' });
  await tables.insert('sms_subscribers', [{ workflow_id: 'w1', name: 'Campaign', wants: 'reply' }]);
  await tables.insert('sms_deliveries', [{ workflow_id: 'w1', reason: 'It is not active' }]);
  const filling = { name: 'The tables are filling', reason: '81 % are used.', since: ago(5) };
  await tables.insert('sms_alarms', [filling]);

  const settings = withFields(readDesk('watchdog'), 'Settings', { patience: 0 });
  const canary = { hour: '={{ $now.hour }}', phone: '+86 138 1000 0077' };
  const file = withFields(settings, 'Canary', {
    ...canary,
    template_id: '303',
    signature_id: '201',
  });
  const credentials = await credentialsFor(client, smtp, account);
  const watchdog = await publishLook(client, file, 'Every hour', credentials);
  await watchdog.look();
  expect(subjects(smtp)).toEqual([
    'SMS: “Campaign” does not get its records; SMS: The tables are filling',
  ]);
  expect(smtp.mails[0]?.text).toContain('The last try: It is not active');
  expect(smtp.mails[0]?.text).toContain(`${client.url}/workflow/w1`);
  const [row] = await tables.rows('sms_alarms');
  expect(row?.mailed, 'the row is marked').toBeTruthy();
  expect([...account.gateway.deliveries()], 'the canary went out').toEqual([['13810000077', 1]]);

  await tables.clear('sms_deliveries');
  await looks(2, watchdog);
  expect(subjects(smtp).slice(1)).toEqual([
    'SMS: no delivery report for 1 of 1 message; SMS: “Campaign” gets its records again',
  ]);
  expect([...account.gateway.deliveries()], 'one canary a day').toEqual([['13810000077', 1]]);
});

test('Review alert: one mail for each change, also while the tables are full; none for a list that is empty or away', async ({
  client,
  n8n,
  openAccount,
  smtp,
}) => {
  const account = await openAccount();
  const { state } = account.gateway;
  const credentials = await credentialsFor(client, smtp, account);
  const file = readDesk('review-alert');
  const alert = await publishLook(client, file, 'Every 30 minutes', credentials);
  await n8n.restart('stop', FULL);
  await looks(2, alert);
  expect(subjects(smtp), 'the first run only remembers').toEqual([]);

  const template = state.templates.get(304) as Template;
  Object.assign(template, { audit_status: 2, status: true });
  smtp.refuse = 2;
  await expect(alert.look(), 'no mail').rejects.toThrow('Error in workflow');
  await looks(2, alert);
  expect(subjects(smtp), 'told once').toEqual(['SMS review: 会员活动(审核中) has changed']);
  expect(smtp.mails[0]?.text).toContain(
    '(ID 304): disabled → enabled, review status 1 → review status 2',
  );

  // A list that is empty, and one that cannot be read. The other list is looked at nevertheless.
  const templates = [...state.templates];
  state.templates.clear();
  await alert.look();
  for (const [id, each] of templates) state.templates.set(id, each);
  await looks(2, alert);
  expect(subjects(smtp)).toHaveLength(1);
  (state.templates.get(301) as Template).status = false;
  account.gateway.fault({ kind: 'status', path: '/openapi/sign/info', times: Infinity });
  await expect(alert.look()).rejects.toThrow('Error in workflow');
  const [failed] = await client.executions(alert.workflow);
  expect(errorOf(await client.execution(failed?.id ?? ''))).toContain(
    'The signatures could not be listed',
  );
  expect(subjects(smtp).slice(1)).toEqual(['SMS review: 登录验证码 has changed']);
  expect(smtp.mails[1]?.text).toContain('enabled → disabled');
  account.gateway.clearFaults();
  await alert.look();
  expect(subjects(smtp)).toHaveLength(2);
  await n8n.restart('stop');
});

test('Balance alert: an SMS at each step down, once a day, and a mail when no SMS goes out', async ({
  client,
  n8n,
  openAccount,
  smtp,
}) => {
  const account = await openAccount({ balance: 50_000 });
  const { gateway } = account;
  await publishOutbox(client, account);
  const phones = '13810000020, +86 138 1000 0021';
  const ids = { template_id: '305', signature_id: '201' };
  const open = async (phone: string) =>
    await publishLook(
      client,
      withFields(readDesk('balance-alert'), 'Settings', { threshold: 10_000, phone, ...ids }),
      'Every hour',
      await credentialsFor(client, smtp, account),
    );
  const unset = await open('');
  await unset.look();
  expect(smtp.mails, 'there is enough').toEqual([]);
  gateway.state.balance = 5_000;
  smtp.refuse = 2;
  await expect(unset.look(), 'nobody was told').rejects.toThrow('Error in workflow');
  const [failed] = await client.executions(unset.workflow);
  expect(errorOf(await client.execution(failed?.id ?? ''))).toContain('and nobody was told: ');
  await looks(2, unset);
  expect(subjects(smtp)).toEqual(['SMS: the balance is below the threshold: 5000']);
  expect(smtp.mails[0]?.text).toContain('no phone is entered in Settings');
  smtp.mails.length = 0;
  gateway.state.balance = 50_000;

  const alert = await open(phones);
  const sent = () => [...gateway.deliveries().values()];
  await looks(2, alert);
  expect(sent(), 'there is enough').toEqual([]);
  gateway.state.balance = 5_000;
  await looks(2, alert);
  expect(Object.fromEntries(gateway.deliveries())).toEqual({ '13810000020': 1, '13810000021': 1 });
  const send = gateway.requests.find(({ path }) => path === '/sendsms/template/send');
  expect(JSON.stringify(send?.body)).toContain('"threshold":"10000"');
  gateway.state.balance = 500;
  await looks(2, alert);
  gateway.state.balance = 5_000;
  await looks(2, alert);
  expect(sent(), 'a tenth, once; the step up is no news').toEqual([2, 2]);
  expect(smtp.mails).toEqual([]);

  // Nothing is left to send it with, and no row can be stored.
  gateway.state.balance = 0;
  await n8n.restart('stop', FULL);
  await looks(3, alert);
  expect(subjects(smtp)).toEqual(['SMS: the balance is used up: 0']);
  expect(smtp.mails[0]?.text).toContain('Top up the account');
  expect(sent()).toEqual([2, 2]);
  await n8n.restart('stop');
});

/** An order. Its name is also in its number and in its mail address. */
function order(name: string, phone: string, email = `${name}@example.com`): IDataObject {
  return { phone, email, name, order: `B-${name}`, date: 'June 3' };
}

/** The workflows not-delivered-other-channel, with the outbox. */
async function openOrders(client: N8nClient, smtp: SmtpServer, account: Account) {
  await publishOutbox(client, account);
  const ids = { template_id: '302', signature_id: '202' };
  const file = withFields(readDesk('not-delivered-other-channel'), 'Settings', {
    minutes: 0,
    ...ids,
  });
  await client.publish(await client.importWorkflow(file, []));
  const key = await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY);
  const webhook = readDesk('not-delivered-other-channel-webhook');
  await client.publish(await client.importWorkflow(webhook, [key]));
  const mail = readDesk('not-delivered-other-channel-mail');
  const credentials = await credentialsFor(client, smtp, account);
  const orders = await publishLook(client, mail, 'Every minute', credentials);
  const tell = async (list: IDataObject[]) =>
    JSON.parse(await client.callWebhook('orders-to-tell', { orders: list }, WITH_KEY)) as object;
  const executions = async () =>
    await Promise.all(
      (await client.executions(orders.workflow)).map(({ id }) => client.execution(id)),
    );
  return { ...orders, tell, executions };
}

/** Puts what the gateway reports into the table of the inbox. */
async function storeReports(client: N8nClient, { gateway }: Account, phones: RegExp) {
  const reports = [...gateway.state.reports].filter(({ phone_number }) =>
    phones.test(phone_number),
  );
  await new DataTables(client).insert(
    'sms_inbox',
    reports.map(({ phone_number, status, status_desc, batch_id, phone_data }) => ({
      ...{ event: 'deliveryReport', content: '', run: '' },
      ...{ phone_number, status, status_desc, batch_id, phone_data },
    })),
  );
}

test('Not delivered: a mail for each order that the SMS has not reached, once', async ({
  client,
  openAccount,
  smtp,
}) => {
  const account = await openAccount();
  const { gateway } = account;
  const tables = new DataTables(client);
  const { executions, look, tell } = await openOrders(client, smtp, account);
  const lost = ({ rawBody }: { rawBody: string }) => rawBody.includes('13810000405');
  gateway.fault({ kind: 'resetAfterAccept', path: '/sendsms/template/send', match: lost });
  expect(await tell([order('unknown', '13810000405')])).toEqual({ stored: 1 });
  await expect.poll(() => tables.count('sms_outbox', { status: 'unknown' })).toBe(1);
  const orders = [
    order('delivered', '13810000401'),
    order('failed', '13810000001'),
    order('missing', '13810000403'),
    order('wrong', 'abc'),
    order('nobody', '13810000406', 'refused@example.com'),
  ];
  expect(await tell(orders)).toEqual({ stored: 5 });
  await expect.poll(() => tables.count('sms_outbox', { status: 'accepted' })).toBe(4);
  await storeReports(client, account, /40[15]$|001$/);
  await look();
  await look();

  const why = new Map(
    smtp.mails.map(({ to, text }) => [to[0], text.trim().split('has not reached you. ')[1]]),
  );
  expect(Object.fromEntries(why)).toEqual({
    'failed@example.com': 'The SMS was not delivered: UNDELIV, 空号.',
    'missing@example.com': 'No delivery report came within 0 minutes.',
    'wrong@example.com': 'The SMS was not sent.',
  });
  expect(smtp.mails).toHaveLength(3);
  const told = (await executions()).flatMap((each) => itemsOf(each, 'Delivered'));
  expect(told.map(({ json }) => json.order).sort()).toEqual(['B-delivered', 'B-unknown']);
  const left = await tables.rows('sms_orders');
  expect(
    left.map(({ order_number }) => order_number),
    'its mail is tried again',
  ).toEqual(['B-nobody']);

  // Orders that come again, also one that waits for its mail.
  expect(await tell([order('delivered', '13810000401'), ...orders.slice(-1)])).toEqual({
    stored: 2,
  });
  await expect.poll(() => tables.count('sms_orders')).toBe(1);
  await look();
  expect(smtp.mails).toHaveLength(3);
  expect([...gateway.deliveries().values()]).toEqual([1, 1, 1, 1, 1]);
});

test('Not delivered: after a kill behind the acceptance, the customer is told by mail, and the order is not sent again', async ({
  client,
  n8n,
  openAccount,
  smtp,
}) => {
  const account = await openAccount();
  const { gateway } = account;
  const tables = new DataTables(client);
  const { look, tell } = await openOrders(client, smtp, account);
  const killed = order('killed', '13810000411');
  gateway.fault({ kind: 'slow', path: '/sendsms/template/send', delayMs: 10_000 });
  const unanswered = tell([killed]).catch(() => undefined);
  await expect.poll(() => gateway.deliveries().size).toBe(1);
  await n8n.restart('kill');
  await unanswered;
  const claimed = await tables.rows('sms_outbox');
  expect(claimed.map(({ status }) => status)).toEqual(['claimed']);
  await look();
  expect(smtp.mails, 'it may be on its way').toEqual([]);

  // Ten minutes later, the outbox says that it was interrupted, and the order is looked at again.
  await tables.remove('sms_outbox');
  await tables.createShared();
  const given = { phone_number: '13810000411', key: 'told-B-killed', reference: 'B-killed' };
  const reason = 'An earlier execution was interrupted: it may have been sent.';
  await tables.insert('sms_outbox', [{ ...given, status: 'unknown', reason, sent_at: ago(20) }]);
  const [row] = await tables.rows('sms_orders');
  await tables.clear('sms_orders');
  await tables.insert('sms_orders', [{ ...dataOf(row), next_look: ago(1) }]);
  await look();
  await look();
  expect(smtp.mails.map(({ to }) => to[0])).toEqual(['killed@example.com']);
  await tell([killed]);
  await expect.poll(() => tables.count('sms_orders')).toBe(0);
  expect([...gateway.deliveries().values()]).toEqual([1]);
});

function dataOf({ order_number, name, email, minutes }: IDataObject = {}): IDataObject {
  return { order_number, name, email, minutes };
}
