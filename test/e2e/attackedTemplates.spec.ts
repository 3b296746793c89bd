/** records-postgres where it counts: while n8n or the database is down. */
import type { N8nClient } from '../kit/n8n/client';
import { reply } from '../sandbox/records';
import { failures } from './lib/attacks';
import { PAGE, TICK_LIMIT_MS } from './lib/drains';
import { DataTables } from '../kit/n8n/dataTables';
import { Outbox } from '../../desk/kit/outbox';
import { expect, test } from './lib/test';
import { readExample, SHIPPED, withChoices } from '../kit/workflows/workflowFiles';

/** How many executions go on. */
async function openExecutions(client: N8nClient): Promise<number> {
  const filter = encodeURIComponent(JSON.stringify({ status: ['new', 'running'] }));
  const { results } = await client.call<{ results: unknown[] }>(
    'GET',
    `/rest/executions?filter=${filter}&limit=100`,
  );
  return results.length;
}

/** So many pages that n8n is killed between two of them. */
const BACKLOG = 5 * PAGE;

test('records-postgres: kill -9 makes no record two rows', async ({
  client,
  database,
  drains,
  n8n,
}) => {
  const data = { ...database.database, ssl: 'disable' };
  const drain = await drains.underWay({
    file: readExample('records-postgres'),
    credentials: [await client.createCredential('Postgres account', 'postgres', data)],
    afterPage: 2,
    backlog: BACKLOG,
  });
  await n8n.restart('kill');
  await drains.drained(drain);
  // A page that was at work is handed over again: what counts is what is stored.
  const stored = async () => {
    const [row] = await database.server.any<Record<'rows' | 'records', number>>(
      'SELECT count(*)::int AS rows, count(DISTINCT batch_id)::int AS records FROM sms_records',
    );
    return row ?? { rows: 0, records: 0 };
  };
  await expect
    .poll(async () => (await stored()).records, { timeout: TICK_LIMIT_MS })
    .toBeGreaterThanOrEqual(BACKLOG - PAGE);
  await expect.poll(() => openExecutions(client)).toBe(0);
  const { rows, records } = await stored();
  console.log(`${records} of ${BACKLOG} records are stored, in ${rows} rows`);
  expect(rows).toBe(records);
});

test('records-postgres: PostgreSQL is away for minutes, and n8n is killed meanwhile', async ({
  client,
  database,
  n8n,
  openAccount,
}) => {
  test.setTimeout(15 * 60_000);
  const data = { ...database.database, database: 'later', ssl: 'disable' };
  const { gateway, credential } = await openAccount();
  gateway.queueReports(15 * PAGE);
  const workflow = await client.importWorkflow(readExample('records-postgres'), [
    credential,
    await client.createCredential('Postgres account', 'postgres', data),
  ]);
  await client.publish(workflow);
  // After three tries.
  const states = async () => (await client.executions(workflow)).map(({ status }) => status);
  await expect.poll(states, { timeout: TICK_LIMIT_MS }).toContain('error');
  const said = async () => (await failures(client, workflow)).join('\n');
  await expect
    .poll(said, { timeout: 6 * TICK_LIMIT_MS, intervals: [10_000] })
    .toMatch(/No execution with delivery reports has succeeded since/);
  await n8n.restart('kill');
  // The service keeps the rest.
  expect(gateway.state.reportsLeft).toBeGreaterThanOrEqual(5 * PAGE);

  await database.server.any('CREATE DATABASE later');
  const later = Outbox.connect({ ...database.database, database: 'later' });
  const rows = async () => (await later.server.any('SELECT 1 FROM sms_records')).length;
  await expect.poll(() => rows().catch(() => 0), { timeout: 4 * TICK_LIMIT_MS }).toBe(15 * PAGE);
  await later.close();
});

test('reply-keyword: a mail server that refuses one of three mails holds up no other', async ({
  client,
  n8n,
  openAccount,
  smtp,
}) => {
  test.setTimeout(10 * 60_000);
  const tables = new DataTables(client);
  await tables.remove('sms_opt_outs');
  smtp.refuses = ({ text }) => text.startsWith('refuse me');
  const says = (...contents: string[]) =>
    gateway.queueReplies(
      contents.map((content, index) => reply({ content, mobile: 13_900_000_000 + index })),
    );
  const mailsOf = (content: string) =>
    smtp.mails.filter(({ text }) => text.startsWith(content)).length;
  const isMailed = async (content: string) => {
    await expect.poll(() => mailsOf(content), { timeout: TICK_LIMIT_MS }).toBeGreaterThan(0);
  };
  const { gateway, credential } = await openAccount();
  says('one', 'refuse me', 'three');
  const file = withChoices(readExample('reply-keyword'), {
    Answer: SHIPPED,
    'To a person': { fromEmail: 'sms@example.com' },
  });
  const workflow = await client.importWorkflow(file, [
    credential,
    await client.createCredential('SMTP account', 'smtp', smtp.credential),
  ]);
  await client.publish(workflow);
  await isMailed('three');
  says('TD', 'four');
  await isMailed('four');
  await expect.poll(() => tables.count('sms_opt_outs')).toBe(1);
  await n8n.restart('kill');
  says('five');
  await isMailed('five');
  const counts = ['one', 'three', 'four', 'five'].map(mailsOf);
  console.log(`${counts.join(', ')} mails, and ${smtp.refused.length} refused`);
  // Once in the page that failed, once alone.
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  expect(smtp.refused.length).toBeLessThan(10);
});
