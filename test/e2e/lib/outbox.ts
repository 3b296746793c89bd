import { createRequire } from 'node:module';
import path from 'node:path';

import { deskNames, readDesk } from './workflowFiles';
import { n8nFolder } from './paths';
import { startPostgres, type Database } from './postgres';

/** A connection of pg-promise, with which n8n's Postgres node works too. */
export interface Connection {
  any<Row>(query: string, values?: unknown[]): Promise<Row[]>;
}

type Task<T> = (connection: Connection) => Promise<T>;

interface Server extends Connection {
  task<T>(task: Task<T>): Promise<T>;
  tx<T>(task: Task<T>): Promise<T>;
  $pool: { end(): Promise<void> };
}

const connect = (
  createRequire(path.join(n8nFolder, 'package.json'))('pg-promise') as (
    options: object,
  ) => (database: object) => Server
)({ noWarnings: true });

export type Counts = Record<string, number>;

/** The SQL of a node of the desk. */
export function sqlOf(node: string): string {
  const found = deskNames()
    .filter((name) => name.startsWith('campaign-postgres'))
    .flatMap((name) => readDesk(name).nodes)
    .find(({ name }) => name === node);
  if (found?.parameters.query === undefined) throw new Error(`No SQL in "${node}".`);
  return String(found.parameters.query);
}

/** A database of its own for the tables of the workflow. */
export class Outbox {
  private constructor(
    /** The data of n8n's credential, too. */
    readonly database: Database,
    readonly server: Server,
  ) {}

  /** Creates the database. */
  static async create(first: Database, name: string): Promise<Outbox> {
    const server = connect(first);
    await server.any(`CREATE DATABASE ${name}`);
    await server.$pool.end();
    return Outbox.connect({ ...first, database: name });
  }

  static connect(database: Database): Outbox {
    return new Outbox(database, connect(database));
  }

  /** Starts a server with such a database, and stops it when it has been used. */
  static async use(
    folder: string,
    name: string,
    use: (outbox: Outbox) => Promise<void>,
    settings?: string[],
  ): Promise<void> {
    const stops: (() => Promise<void>)[] = [];
    try {
      const outbox = await Outbox.create(await startPostgres(folder, stops, settings), name);
      stops.push(() => outbox.close());
      await use(outbox);
    } finally {
      for (const each of stops.reverse()) await each();
    }
  }

  /** Runs the SQL of a node, with its query parameters. */
  async run<Row = Record<string, unknown>>(
    node: string,
    values: unknown[] = [],
    connection: Connection = this.server,
  ): Promise<Row[]> {
    return await connection.any<Row>(sqlOf(node), values);
  }

  /** How many rows are in each state. */
  async counts(): Promise<Counts> {
    const rows = await this.server.any<{ status: string; count: number }>(
      'SELECT status, count(*)::int AS count FROM sms_outbox GROUP BY status',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** The phone numbers of the rows in some states. */
  async numbers(...states: string[]): Promise<string[]> {
    const rows = await this.server.any<{ phone_number: string }>(
      'SELECT phone_number FROM sms_outbox WHERE status = ANY($1) ORDER BY 1',
      [states],
    );
    return rows.map((row) => row.phone_number);
  }

  /** What this database, or another one of the server, takes on disk, in MB. */
  async megabytes(name = this.database.database): Promise<number> {
    const [row] = await this.server.any<{ bytes: number }>(
      'SELECT pg_database_size($1)::float AS bytes',
      [name],
    );
    return Math.round((row?.bytes ?? 0) / 1e6);
  }

  async close(): Promise<void> {
    await this.server.$pool.end();
  }
}
