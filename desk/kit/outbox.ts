import { createRequire } from 'node:module';
import path from 'node:path';

import { n8nFolder } from '../../test/kit/n8n/paths';
import type { Database } from '../../test/kit/n8n/postgres';

/** A connection of pg-promise, with which n8n's Postgres node works too. */
interface Server {
  any<Row>(query: string, values?: unknown[]): Promise<Row[]>;
  $pool: { end(): Promise<void> };
}

let pgPromise: ((database: object) => Server) | undefined;

/** n8n brings pg-promise, so it is loaded when n8n is there: the demo and the tests install n8n first. */
function connect(database: Database): Server {
  const load = createRequire(path.join(n8nFolder, 'package.json'));
  pgPromise ??= (load('pg-promise') as (options: object) => (database: object) => Server)({
    noWarnings: true,
  });
  return pgPromise(database);
}

/** A database of its own for the tables of workflows. */
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

  async close(): Promise<void> {
    await this.server.$pool.end();
  }
}
