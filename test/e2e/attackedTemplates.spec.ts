/** records-postgres where it counts: while n8n or the database is down. */
import type { N8nClient } from '../kit/n8n/client';
import { PAGE, TICK_LIMIT_MS } from './lib/drains';
import { Outbox } from '../kit/desk/outbox';
import { expect, test } from './lib/test';
import { readExample } from '../kit/workflows/workflowFiles';

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

test('records-postgres: without a database', async ({ client, database, openAccount }) => {
  const data = { ...database.database, database: 'later', ssl: 'disable' };
  const { gateway, credential } = await openAccount();
  // More than the pages that may wait for the end of their executions.
  gateway.queueReports(15 * PAGE);
  const workflow = await client.importWorkflow(readExample('records-postgres'), [
    credential,
    await client.createCredential('Postgres account', 'postgres', data),
  ]);
  await client.publish(workflow);
  const states = async () => (await client.executions(workflow)).map(({ status }) => status);
  await expect.poll(states, { timeout: TICK_LIMIT_MS }).toContain('error');
  // The service keeps the rest.
  expect(gateway.state.reportsLeft).toBeGreaterThanOrEqual(5 * PAGE);

  await database.server.any('CREATE DATABASE later');
  const later = Outbox.connect({ ...database.database, database: 'later' });
  const rows = async () => (await later.server.any('SELECT 1 FROM sms_records')).length;
  await expect.poll(() => rows().catch(() => 0), { timeout: 2 * TICK_LIMIT_MS }).toBe(15 * PAGE);
  await later.close();
});
