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
import { promisify } from 'node:util';

import { getRandomPort } from 'get-port-please';

import { N8nClient, type Owner } from './client';
import { LOOPBACK, startN8n, type N8n } from './n8n';
import { installPackage } from './pack';
import { startGroup, untilReady } from './processes';

const command = promisify(execFile);

const POSTGRES_FOLDER = '/usr/lib/postgresql';
const READY_LIMIT_MS = 60_000;
const PASSWORD = randomBytes(12).toString('hex');
const OWNER: Owner = { email: 'queue@example.com', password: 'Queue-mode-1' };

/** A PostgreSQL server, and its first database. As the fields of n8n's credential. */
export interface Database {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

/** n8n in queue mode. */
export interface QueueMode {
  client: N8nClient;
  main: N8n;
  workers: N8n[];
  database: Database;
  /** How many executions each worker has started so far, counted in its log. */
  spread(): number[];
  stop(): Promise<void>;
}

/**
 * Starts n8n in queue mode on loopback: a main process, workers, Redis and PostgreSQL. Each n8n has a
 * user folder of its own with the package in it, as if it ran on a machine of its own.
 */
export async function startQueueMode(options: {
  folder: string;
  tarball: string;
  workers: number;
}): Promise<QueueMode> {
  const { folder, tarball } = options;
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const database = await startPostgres(folder, stops);
    const redis = await startRedis(path.join(folder, 'redis.log'), stops);
    const env = {
      EXECUTIONS_MODE: 'queue',
      OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
      N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: database.host,
      DB_POSTGRESDB_PORT: String(database.port),
      DB_POSTGRESDB_DATABASE: database.database,
      DB_POSTGRESDB_USER: database.user,
      DB_POSTGRESDB_PASSWORD: database.password,
      QUEUE_BULL_REDIS_HOST: LOOPBACK,
      QUEUE_BULL_REDIS_PORT: String(redis),
      // With these, n8n notices within seconds that a worker has died. By default it takes a minute.
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
    // The main process is the first, because it creates the tables.
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
    return { client, main, workers, database, spread, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts PostgreSQL on loopback. When it is stopped, it leaves a dump of its databases in the folder.
 *
 * @param stops gets what ends it. The last is to be called first.
 */
export async function startPostgres(
  folder: string,
  stops: (() => Promise<void>)[],
): Promise<Database> {
  const version = existsSync(POSTGRES_FOLDER)
    ? readdirSync(POSTGRES_FOLDER).sort().at(-1)
    : undefined;
  if (!version) {
    throw new Error('PostgreSQL is not installed. On Debian or Ubuntu: apt-get install postgresql');
  }
  const tool = (name: string) => path.join(POSTGRES_FOLDER, version, 'bin', name);
  // PostgreSQL refuses to run as root, and its own user may not be able to read the repository.
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

  const port = await getRandomPort(LOOPBACK);
  const address = ['-h', LOOPBACK, '-p', String(port)];
  const [server = '', ...args] = [
    ...asItself,
    tool('postgres'),
    ...['-D', path.join(data, 'db'), ...address, '-k', data],
    // The data of a test need not survive a power cut.
    ...['-c', 'fsync=off', '-c', 'max_connections=60'],
  ];
  const logFile = path.join(folder, 'postgres.log');
  const group = startGroup(server, args, { cwd: data, logFile, env: process.env });
  stops.push(group.stop);
  await untilReady('PostgreSQL', { group, logFile, timeout: READY_LIMIT_MS }, async () =>
    command(tool('pg_isready'), address).then(
      () => true,
      () => false,
    ),
  );
  stops.push(async () => {
    const args = [...address, '-U', 'postgres', '-f', path.join(folder, 'postgres.sql')];
    const env = { ...process.env, PGPASSWORD: PASSWORD };
    await command(tool('pg_dumpall'), args, { env });
  });
  return { host: LOOPBACK, port, database: 'postgres', user: 'postgres', password: PASSWORD };
}

async function startRedis(logFile: string, stops: (() => Promise<void>)[]): Promise<number> {
  const port = await getRandomPort(LOOPBACK);
  const args = ['--port', String(port), '--bind', LOOPBACK, '--save', '', '--appendonly', 'no'];
  const group = startGroup('redis-server', args, { cwd: os.tmpdir(), logFile, env: process.env });
  stops.push(group.stop);
  const what = 'Redis (on Debian or Ubuntu: apt-get install redis-server)';
  await untilReady(what, { group, logFile, timeout: READY_LIMIT_MS }, async () =>
    Promise.resolve(readFileSync(logFile, 'utf8').includes('Ready to accept connections')),
  );
  return port;
}
