import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import { SCHEMA } from '../src/declare';
import type { Credential, N8nClient, Workflow } from '../../test/kit/n8n/client';
import type { Day } from './day';
import type { Outbox } from './outbox';
import { repository } from '../../test/kit/n8n/paths';
import { readDesk } from '../../test/kit/workflows/workflowFiles';

/** Where the desk keeps its tables: a database, which has a credential in n8n. */
export interface Store {
  tables: Tables;
  credentials: Credential[];
}

/** A store in a database. */
export async function storeIn(client: N8nClient, database: Outbox): Promise<Store> {
  const data = { ...database.database, ssl: 'disable', maxConnections: 10 } as IDataObject;
  return {
    tables: new Tables(database),
    credentials: [await client.createCredential('Postgres account', 'postgres', data)],
  };
}

/** Makes an API key with which `npm run desk` can do its work. */
export async function deskKey(client: N8nClient): Promise<string> {
  const scopes = [
    ...['create', 'read', 'update', 'list', 'activate', 'deactivate', 'delete'].map(
      (each) => `workflow:${each}`,
    ),
    ...[
      'dataTable:list',
      'credential:list',
      'credential:create',
      'tag:list',
      'tag:create',
      'execution:list',
      'execution:read',
      'workflowTags:update',
    ],
  ];
  const { rawApiKey } = await client.call<{ rawApiKey: string }>('POST', '/rest/api-keys', {
    ...{ label: 'set-up', scopes, expiresAt: null },
  });
  return rawApiKey;
}

/** Runs `npm run desk`, and returns what it prints. */
export async function installDesk(
  { url }: N8nClient,
  key: string,
  ...more: string[]
): Promise<string> {
  const script = path.join(repository, 'desk/install.mjs');
  const args = [script, '--url', url, '--key', key, ...more];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

/** The workflows of the desk as they are in n8n, by the names of their files. */
export async function deskWorkflows(client: N8nClient): Promise<(name: string) => Workflow> {
  const all = await client.call<Workflow[]>('GET', '/rest/workflows');
  return (name) => {
    const file = readDesk(name);
    const { id = '' } = all.find((each) => each.name === file.name) ?? {};
    return { ...file, id, versionId: '' };
  };
}

/** The tables of the desk, as a test looks at them and changes them. */
export class Tables {
  constructor(readonly database: Outbox) {}

  /** Creates them, as the desk does. */
  async create(): Promise<void> {
    await this.database.server.any(SCHEMA);
  }

  /** Puts a day into the tables, as the inbox and the senders would. */
  async fill({ sends, events }: Day): Promise<void> {
    await this.create();
    await this.insert('sms.outbox', sends);
    await this.insert('sms.inbox', events);
    const now = new Date();
    const said = { what: 'balance', balance: 1_000_000, asked: now, answered: now, error: '' };
    // The balance has one row, whichever day is the latest.
    await this.clear('sms.service');
    await this.insert('sms.service', [said]);
  }

  /** Takes tables away, until `show` brings them back. */
  async hide(...names: string[]): Promise<void> {
    for (const name of names)
      await this.database.server.any(`ALTER TABLE ${name} RENAME TO away_${name.slice(4)}`);
  }

  async show(...names: string[]): Promise<void> {
    for (const name of names)
      await this.database.server.any(
        `ALTER TABLE sms.away_${name.slice(4)} RENAME TO ${name.slice(4)}`,
      );
  }

  /** Creates them anew. */
  async anew(): Promise<void> {
    await this.database.server.any('DROP SCHEMA IF EXISTS sms CASCADE');
    await this.create();
  }

  async rows<Row extends IDataObject = IDataObject>(
    table: string,
    values: IDataObject = {},
  ): Promise<Row[]> {
    const rows = await this.database.server.any(
      `SELECT * FROM ${table} WHERE ${where(values)} ORDER BY id`,
      Object.values(values),
    );
    // With times as texts, as n8n gives them out.
    return JSON.parse(JSON.stringify(rows)) as Row[];
  }

  async count(table: string, values: IDataObject = {}): Promise<number> {
    const [row] = await this.database.server.any<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${where(values)}`,
      Object.values(values),
    );
    return row?.count ?? 0;
  }

  async insert(table: string, rows: readonly object[]): Promise<void> {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const columns = names.map((name) => `"${name}"`).join(', ');
    await this.database.server.any(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  }

  async update(table: string, values: IDataObject, data: object): Promise<void> {
    const set = Object.keys(data).map(
      (name, index) => `${name} = $${Object.keys(values).length + index + 1}`,
    );
    await this.database.server.any(`UPDATE ${table} SET ${set.join(', ')} WHERE ${where(values)}`, [
      ...Object.values(values),
      ...(Object.values(data) as unknown[]),
    ]);
  }

  async clear(table: string): Promise<void> {
    await this.database.server.any(`DELETE FROM ${table}`);
  }
}

const where = (values: IDataObject) =>
  ['true', ...Object.keys(values).map((name, index) => `${name} = $${index + 1}`)].join(' AND ');
