import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { N8nClient, type Owner } from './client';
import { startN8n, type N8n } from './n8n';
import { installPackage } from './pack';
import { freePort } from './ports';
import { lastLines, startGroup, type ProcessGroup } from './processes';

const command = promisify(execFile);

const POSTGRES_FOLDER = '/usr/lib/postgresql';
const PASSWORD = randomBytes(12).toString('hex');
const OWNER: Owner = { email: 'queue@example.com', password: 'Queue-mode-1' };

export interface QueueMode {
  client: N8nClient;
  main: N8n;
  workers: N8n[];
  /** How many executions each worker has started so far, as their logs say. */
  spread(): number[];
  stop(): Promise<void>;
}

/**
 * n8n in queue mode on loopback: a main, workers, Redis and PostgreSQL, all with data of their own in
 * the folder. Each n8n has the package in its own user folder, as on machines of their own.
 */
export async function startQueueMode(options: {
  folder: string;
  tarball: string;
  workers: number;
}): Promise<QueueMode> {
  const { folder, tarball } = options;
  rmSync(folder, { recursive: true, force: true });
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const database = await startPostgres(path.join(folder, 'postgres.log'), stops);
    const redis = await startRedis(path.join(folder, 'redis.log'), stops);
    const env = {
      EXECUTIONS_MODE: 'queue',
      OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
      N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: '127.0.0.1',
      DB_POSTGRESDB_PORT: String(database),
      DB_POSTGRESDB_DATABASE: 'postgres',
      DB_POSTGRESDB_USER: 'postgres',
      DB_POSTGRESDB_PASSWORD: PASSWORD,
      QUEUE_BULL_REDIS_HOST: '127.0.0.1',
      QUEUE_BULL_REDIS_PORT: String(redis),
      // So that the death of a worker is noticed within seconds, and not after a minute.
      QUEUE_WORKER_LOCK_DURATION: '4000',
      QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
      QUEUE_WORKER_STALLED_INTERVAL: '2000',
    };
    const start = async (name: string, as: 'start' | 'worker') => {
      const userFolder = path.join(folder, name);
      await installPackage(tarball, userFolder);
      const logFile = path.join(folder, `${name}.log`);
      const n8n = await startN8n({ userFolder, logFile, as, env });
      stops.push(n8n.stop);
      return n8n;
    };
    // The main first: it creates the tables.
    const main = await start('main', 'start');
    const client = new N8nClient(main.url);
    await client.setUpOwner(OWNER);
    const workers: N8n[] = [];
    while (workers.length < options.workers) {
      workers.push(await start(`worker-${workers.length + 1}`, 'worker'));
    }
    const spread = () =>
      workers.map(
        ({ logFile }) => readFileSync(logFile, 'utf8').split('Worker started execution').length - 1,
      );
    return { client, main, workers, spread, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPostgres(logFile: string, stops: (() => Promise<void>)[]): Promise<number> {
  const version = existsSync(POSTGRES_FOLDER)
    ? readdirSync(POSTGRES_FOLDER).sort().at(-1)
    : undefined;
  if (!version) {
    throw new Error('PostgreSQL is not installed. On Debian or Ubuntu: apt-get install postgresql');
  }
  const tool = (name: string) => path.join(POSTGRES_FOLDER, version, 'bin', name);
  // Not below the repository: PostgreSQL refuses to run as root, and its own user may not read there.
  const data = mkdtempSync(path.join(os.tmpdir(), 'e2e-postgres-'));
  stops.push(async () => {
    rmSync(data, { recursive: true, force: true });
  });
  const passwordFile = path.join(data, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const asItself = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
  if (asItself.length > 0) {
    const id = Number((await command('id', ['-u', 'postgres'])).stdout);
    for (const file of [data, passwordFile]) chownSync(file, id, -1);
  }
  const [initdb = '', ...rest] = [
    ...asItself,
    tool('initdb'),
    ...['-D', path.join(data, 'db'), '-U', 'postgres', '-A', 'scram-sha-256'],
    ...['--pwfile', passwordFile, '-E', 'UTF8', '--no-locale', '--no-sync'],
  ];
  await command(initdb, rest, { cwd: data });

  const port = await requireFreePort();
  const [server = '', ...args] = [
    ...asItself,
    tool('postgres'),
    ...['-D', path.join(data, 'db'), '-h', '127.0.0.1', '-p', String(port), '-k', data],
    // The data of a test need not survive a power cut.
    ...['-c', 'fsync=off', '-c', 'max_connections=60'],
  ];
  const group = startGroup(server, args, { cwd: data, logFile, env: process.env });
  stops.push(group.stop);
  await untilReady('PostgreSQL', group, logFile, async () => {
    await command(tool('pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]);
  });
  return port;
}

async function startRedis(logFile: string, stops: (() => Promise<void>)[]): Promise<number> {
  const port = await requireFreePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const group = startGroup('redis-server', args, { cwd: os.tmpdir(), logFile, env: process.env });
  stops.push(group.stop);
  await untilReady('Redis (apt-get install redis-server)', group, logFile, async () => {
    if (!readFileSync(logFile, 'utf8').includes('Ready to accept connections')) throw new Error();
  });
  return port;
}

/** Waits until a check no longer throws. */
async function untilReady(
  what: string,
  group: ProcessGroup,
  logFile: string,
  check: () => Promise<void>,
): Promise<void> {
  let exit: number | string | undefined;
  void group.ended.then((how) => (exit = how));
  for (let tries = 0; tries < 300 && exit === undefined; tries += 1) {
    try {
      await check();
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`${what} does not start. Its last words:\n${lastLines(logFile)}`);
}

async function requireFreePort(): Promise<number> {
  const port = await freePort();
  if (port === undefined) throw new Error('There is no free port.');
  return port;
}
