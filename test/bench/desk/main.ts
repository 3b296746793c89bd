/**
 * `npm run bench:desk -- [sizes]`: campaigns of these sizes on PostgreSQL in queue mode with two workers, and on
 * data tables behind older rows, beside the node alone. It prints the figures. With `--million` the sizes go up
 * to a million. `--explain 1000000` looks at the statements alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import type { IDataObject } from 'n8n-workflow';
import { format } from 'prettier';

import { Outbox } from '../../kit/desk/outbox';
import { dataTables, postgres } from '../../kit/desk/store';
import { N8nClient } from '../../kit/n8n/client';
import { ensureN8n } from '../../kit/n8n/install';
import { startN8n } from '../../kit/n8n/n8n';
import { installPackage, packPackage } from '../../kit/n8n/pack';
import { stopAll } from '../../kit/n8n/processes';
import { startQueueMode } from '../../kit/n8n/queue';
import { startGateway } from '../../sandbox/gateway';
import { calls, campaign, nodeAlone, type Figures, type Stage } from './campaigns';
import { explain } from './explain';
import { report } from './report';

const ROOM = { N8N_DATA_TABLES_MAX_SIZE_BYTES: '2000000000' };

/** How many the node sends alone. */
const ALONE = 10_000;

const flag = { type: 'boolean', default: false } as const;
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ million: flag, 'answers-at-once': flag },
    /** Whether delivery reports are pulled too, and measured. */
    reports: flag,
    /** One of the two, if not both. */
    store: { type: 'string', default: 'postgres,tables' },
    /** By default 5,000 on PostgreSQL, and on data tables 100, as it is set. */
    portion: { type: 'string' },
    /** Older rows of data tables. */
    older: { type: 'string', default: '0,50000,200000' },
    /** Nothing is sent: it says what PostgreSQL does for each statement, in tables of so many rows. */
    explain: { type: 'string' },
  },
});
const WHOLE = [1_000, 10_000, 100_000, 1_000_000];
const asked = positionals.length > 0 ? positionals.map(Number) : WHOLE.slice(0, 2);
const sizes = given.million ? WHOLE : asked;
const latencyMs = given['answers-at-once'] ? 0 : 20;

const folder = mkdtempSync(path.join(os.tmpdir(), 'sms-bench-desk-'));
const rows: Figures[] = [];

async function main(): Promise<void> {
  if (given.explain) return await explain(Number(given.explain));
  await ensureN8n(path.join(folder, 'install.log'), console.log);
  const tarball = await packPackage(folder, console.log);
  if (given.store.includes('postgres')) await onPostgres(tarball);
  if (given.store.includes('tables')) await onTables(tarball);
  console.log(`\n${await format(report(rows, latencyMs), { parser: 'markdown' })}`);
}

/** In queue mode, with two workers. */
async function onPostgres(tarball: string): Promise<void> {
  const queueMode = await startQueueMode({ folder, tarball, workers: 2, more: ROOM });
  const desk = await Outbox.create(queueMode.postgres.database, 'desk');
  const stage = await stageIn(queueMode.client, 'PostgreSQL, two workers');
  const store = await postgres(stage.client, desk);
  await play({ ...stage, store }, { sizes, older: [0], portion: 5_000 });
  await desk.close();
  await queueMode.stop();
}

/** In one n8n. */
async function onTables(tarball: string): Promise<void> {
  const userFolder = path.join(folder, 'one');
  await installPackage(tarball, userFolder);
  const n8n = await startN8n({ userFolder, logFile: path.join(folder, 'one.log'), env: ROOM });
  const client = new N8nClient(n8n.url);
  await client.setUpOwner({ email: 'bench@example.com', password: 'Bench-of-the-desk-1' });
  const stage = await stageIn(client, 'data tables');
  const older = given.older.split(',').map(Number);
  await play(stage, { sizes: sizes.slice(0, 1), older, portion: 100 });
  await n8n.stop();
}

async function stageIn(client: N8nClient, name: string): Promise<Stage> {
  const options = { latencyMs, recordRequests: false, validate: false, balance: 1e9 };
  const gateway = await startGateway(options);
  const data = gateway.credential() as IDataObject;
  const credential = await client.createCredential('Account', 'smsMessagingServiceApi', data);
  return { name, client, account: { gateway, credential }, store: dataTables(client) };
}

async function play(
  stage: Stage,
  what: { sizes: number[]; older: number[]; portion: number },
): Promise<void> {
  const add = (...figures: Figures[]) => {
    for (const each of figures) console.log(JSON.stringify(each));
    rows.push(...figures);
  };
  const portion = Number(given.portion ?? what.portion);
  add(await nodeAlone(stage, ALONE));
  if (what.older.length > 1) {
    for (const older of what.older) add(await calls(stage, older));
  }
  for (const size of what.sizes) {
    for (const older of what.older) {
      add(...(await campaign(stage, { size, older, portion, reports: given.reports })));
    }
  }
  await stage.account.gateway.close();
}

void main()
  .catch((error: Error) => {
    console.error(`The bench did not finish: ${error.stack ?? error.message}`);
    process.exitCode = 1;
  })
  .then(stopAll)
  .finally(() => rmSync(folder, { recursive: true, force: true }));
