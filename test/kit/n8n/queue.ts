import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { N8nClient, type Owner } from './client';
import { freePort, LOOPBACK, startN8n, type N8n } from './n8n';
import { installPackage } from './pack';
import { startPostgres, type Postgres } from './postgres';
import { startGroup, untilReady } from './processes';

const READY_LIMIT_MS = 60_000;
const OWNER: Owner = { email: 'queue@example.com', password: 'Queue-mode-1' };

/** With these, n8n notices within seconds that a worker has died. By default it takes a minute. */
const NOTICE_SOON = {
  QUEUE_WORKER_LOCK_DURATION: '4000',
  QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
  QUEUE_WORKER_STALLED_INTERVAL: '2000',
};

/** n8n in queue mode. */
export interface QueueMode {
  client: N8nClient;
  /** The process that runs now. */
  readonly main: N8n;
  workers: N8n[];
  /** n8n's database is in it. */
  postgres: Postgres;
  /** How many executions each worker has started so far, counted in its log. */
  spread(): number[];
  /** Stops or kills the main process, and starts it on the same port. */
  restartMain(how: 'stop' | 'kill'): Promise<void>;
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
  /** Settings of every n8n. */
  more?: Record<string, string>;
}): Promise<QueueMode> {
  const { folder, tarball } = options;
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const postgres = await startPostgres(folder, stops);
    stops.push(() => postgres.dump());
    const { database } = postgres;
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
      ...(options.more ?? NOTICE_SOON),
    };
    const start = async (name: string, as: 'start' | 'worker', port?: number) => {
      const userFolder = path.join(folder, name);
      if (!port) await installPackage(tarball, userFolder);
      const logFile = path.join(folder, `${name}-${Date.now()}.log`);
      const n8n = await startN8n({ userFolder, logFile, as, port, env });
      stops.push(n8n.stop);
      return n8n;
    };
    // The main process is the first, because it creates the tables.
    let main = await start('main', 'start');
    const restartMain = async (how: 'stop' | 'kill') => {
      await main[how]();
      main = await start('main', 'start', Number(new URL(main.url).port));
    };
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
    return {
      ...{ client, workers, postgres, spread, restartMain, stop },
      get main() {
        return main;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis(logFile: string, stops: (() => Promise<void>)[]): Promise<number> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', LOOPBACK, '--save', '', '--appendonly', 'no'];
  const group = startGroup('redis-server', args, { cwd: os.tmpdir(), logFile, env: process.env });
  stops.push(group.stop);
  const what = 'Redis (on Debian or Ubuntu: apt-get install redis-server)';
  await untilReady(what, { group, logFile, timeout: READY_LIMIT_MS }, async () =>
    Promise.resolve(readFileSync(logFile, 'utf8').includes('Ready to accept connections')),
  );
  return port;
}
