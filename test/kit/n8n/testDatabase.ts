/** A real PostgreSQL for tests that run without n8n, which would bring a client. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { startPostgres } from './postgres';

const command = promisify(execFile);

/** Whether it is installed. On Debian or Ubuntu: apt-get install postgresql */
export const HAS_POSTGRES = existsSync('/usr/lib/postgresql');

export interface TestDatabase {
  /** What belongs to it, until it is stopped. */
  folder: string;
  /** How psql finds it. */
  address: string[];
  env: NodeJS.ProcessEnv;
  /** Runs statements in one transaction, as n8n does, and returns what they print. */
  run(statements: string, name?: string): Promise<string>;
  /** Makes a database, without a transaction. */
  make(name: string, how: string): Promise<void>;
  /** Everything that a database has, as statements. */
  dump(name: string): Promise<string>;
  rows<Row = Record<string, unknown>>(query: string): Promise<Row[]>;
  /** Removes everything. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTestDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'templates-postgres-'));
  const stops: (() => Promise<void>)[] = [];
  const {
    database: { host, port, database, user, password },
  } = await startPostgres(folder, stops);
  const address = ['-h', host, '-p', String(port), '-U', user];
  const env = {
    ...process.env,
    PGPASSWORD: password,
    PGOPTIONS: '-c client_min_messages=warning -c timezone=UTC',
  };
  const run = async (statements: string, name = database) => {
    const args = [...address, '-d', name, '-qAtX', '-v', 'ON_ERROR_STOP=1', '-1', '-f', '-'];
    const running = command('psql', args, { env, maxBuffer: 1e8 });
    running.child.stdin?.end(statements);
    return (await running).stdout.trim();
  };
  return {
    ...{ folder, address, env },
    run,
    rows: async (query) => {
      const text = await run(`select coalesce(json_agg(q), '[]') from (${query}) as q`);
      return JSON.parse(text) as never;
    },
    make: async (name, how) => {
      const sql = `create database ${name} template template0 ${how}`;
      await command('psql', [...address, '-d', database, '-c', sql], { env });
    },
    dump: async (name) =>
      (await command('pg_dump', [...address, '-d', name], { env, maxBuffer: 1e8 })).stdout,
    empty: async () => void (await run('drop schema public cascade; create schema public')),
    stop: async () => {
      for (const stop of stops.reverse()) await stop();
      rmSync(folder, { recursive: true });
    },
  };
}
