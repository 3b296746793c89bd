/** The watchdog: it looks for something that is wrong, and tells somebody once. */
import { publishOutbox } from '../kit/publishOutbox';
import { WEBHOOK_KEY } from '../../test/kit/n8n/webhookKey';
import { readDesk, withFields } from '../../test/kit/workflows/workflowFiles';
import type { SmtpServer } from '../../test/kit/n8n/smtp';
import { expect, test } from '../../test/e2e/lib/test';
import { webhookAt } from '../../test/kit/n8n/workflow';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const subjects = ({ mails }: SmtpServer) => mails.map(({ subject }) => subject);

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

test('Watchdog: one mail when reports are missing', async ({
  client,
  n8n,
  openAccount,
  smtp,
  store,
}) => {
  test.setTimeout(10 * 60_000);
  const account = await openAccount();
  const { tables, credentials } = store;
  await publishOutbox(client, account, store);
  await tables.insert('sms.thresholds', [{ name: 'late_minutes', value: 0 }]);
  const key = await client.createCredential('Provider', 'httpHeaderAuth', WEBHOOK_KEY);
  for (const name of ['inbox-serve', 'inbox']) {
    const used = [account.credential, key, ...credentials];
    await client.publish(await client.importWorkflow(readDesk(name), used));
  }
  const mail = await client.createCredential('SMTP account', 'smtp', smtp.credential);
  const file = withFields(readDesk('watchdog'), 'Settings', {
    ...{ mail_from: 'sms@example.com', mail_to: 'ops@example.com' },
  });
  // n8n keeps the static data of production executions only: a webhook in place of the schedule starts one.
  const now = webhookAt('look', { responseMode: 'lastNode', responseData: 'noData' }, 'Every hour');
  const nodes = file.nodes.map((node) => (node.name === now.name ? now : node));
  const watchdog = await client.importWorkflow({ ...file, nodes }, [
    account.credential,
    mail,
    ...credentials,
  ]);
  await client.publish(watchdog);
  const look = () => client.callWebhook('look', {});
  await look();
  expect(smtp.mails, 'nothing was sent').toEqual([]);

  const first = sends(50, 10);
  await tables.insert('sms.outbox', [...first, { ...first[0], status: 'refused', batch_id: '' }]);
  await tables.insert('sms.inbox', first.slice(0, 2).map(reportOf));
  smtp.refuse = 2;
  await expect(look(), 'the mail server is away').rejects.toThrow('Error in workflow');
  await look();
  await look();
  await look();
  expect(subjects(smtp)).toEqual(['SMS: no delivery report for 48 of 50 messages']);
  expect(smtp.mails[0]?.to).toEqual(['ops@example.com']);
  expect(smtp.mails[0]?.text).toContain(`Open the status page: ${client.url}/webhook/sms-status`);

  await n8n.restart('kill');
  await tables.insert('sms.inbox', first.slice(2, 3).map(reportOf));
  await look();
  await look();
  expect(smtp.mails, 'one late report is no all-clear').toHaveLength(1);
  const later = sends(5, 0).map((send) => ({ ...send, sent_at: ago(0) }));
  await tables.insert('sms.outbox', later);
  await tables.insert('sms.inbox', later.slice(1).map(reportOf));
  await look();
  await look();
  expect(subjects(smtp).slice(1)).toEqual(['SMS: delivery reports come again']);
  const execution = (await client.executions(watchdog))[0];
  expect(execution?.status).toBe('success');
});
