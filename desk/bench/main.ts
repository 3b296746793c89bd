/**
 * `npm run bench:desk -- [sizes]`: campaigns of these sizes in queue mode with two workers, beside the node alone. It
 * prints the figures. With `--million` the sizes go up to a million. `--explain 1000000` looks at the statements alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import type { IDataObject } from 'n8n-workflow';
import { format } from 'prettier';

import { Outbox } from '../kit/outbox';
import { storeIn } from '../kit/store';
import { ensureN8n } from '../../test/kit/n8n/install';
import { packPackage } from '../../test/kit/n8n/pack';
import { stopAll } from '../../test/kit/n8n/processes';
import { startQueueMode } from '../../test/kit/n8n/queue';
import { startGateway } from '../../test/sandbox/gateway';
import { calls, campaign, nodeAlone, type Figures, type Stage } from './campaigns';
import { explain } from './explain';
import { report } from './report';

/** How many the node sends alone. */
const ALONE = 10_000;

const flag = { type: 'boolean', default: false } as const;
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ million: flag, 'answers-at-once': flag },
    /** Whether delivery reports are pulled too, and measured. */
    reports: flag,
    portion: { type: 'string', default: '5000' },
    /** Rows of the past. */
    older: { type: 'string', default: '0' },
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
  await inQueueMode(tarball);
  console.log(`\n${await format(report(rows, latencyMs), { parser: 'markdown' })}`);
}

/** In queue mode, with two workers. */
async function inQueueMode(tarball: string): Promise<void> {
  const queueMode = await startQueueMode({ folder, tarball, workers: 2 });
  const { client } = queueMode;
  const desk = await Outbox.create(queueMode.postgres.database, 'desk');
  const options = { latencyMs, recordRequests: false, validate: false, balance: 1e9 };
  const gateway = await startGateway(options);
  const data = gateway.credential() as IDataObject;
  const credential = await client.createCredential('Account', 'smsMessagingServiceApi', data);
  const store = await storeIn(client, desk);
  await play({ name: 'two workers', client, account: { gateway, credential }, store });
  await desk.close();
  await queueMode.stop();
}

async function play(stage: Stage): Promise<void> {
  const add = (...figures: Figures[]) => {
    for (const each of figures) console.log(JSON.stringify(each));
    rows.push(...figures);
  };
  const portion = Number(given.portion);
  const behind = given.older.split(',').map(Number);
  add(await nodeAlone(stage, ALONE));
  if (behind.length > 1) {
    for (const older of behind) add(await calls(stage, older));
  }
  for (const size of sizes) {
    for (const older of behind) {
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
