import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import { tablesOf, toPostgres } from '../../../desk/postgres.mjs';
import type { Credential, N8nClient, Workflow, WorkflowFile } from '../n8n/client';
import { DataTables } from '../n8n/dataTables';
import type { Outbox } from './outbox';
import { repository } from '../n8n/paths';
import { deskNames, readDesk } from '../workflows/workflowFiles';

/** The tables of the desk, as a test looks at them and changes them. */
export type Tables = Pick<
  DataTables,
  'clear' | 'count' | 'createShared' | 'exists' | 'insert' | 'remove' | 'rows' | 'update'
>;

/** Where the desk keeps its tables, and its workflows for that. */
export interface Store {
  tables: Tables;
  read: (name: string) => WorkflowFile;
  credentials: Credential[];
}

/** n8n's data tables. */
export const dataTables = (client: N8nClient): Store => ({
  tables: new DataTables(client),
  read: readDesk,
  credentials: [],
});

/** A database, which gets a credential in n8n. */
export async function postgres(client: N8nClient, database: Outbox): Promise<Store> {
  const data = { ...database.database, ssl: 'disable', maxConnections: 10 } as IDataObject;
  const known = tablesOf(deskNames().map(readDesk));
  return {
    tables: new PostgresTables(database),
    read: (name) => toPostgres(readDesk(name), known),
    credentials: [await client.createCredential('Desk', 'postgres', data)],
  };
}

/** Makes an API key with which `npm run desk` can do its work. */
export async function deskKey(client: N8nClient): Promise<string> {
  const scopes = [
    ...['create', 'read', 'update', 'list', 'activate', 'delete'].map((each) => `workflow:${each}`),
    ...['credential:list', 'credential:create', 'tag:list', 'tag:create', 'workflowTags:update'],
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

/** The same in a database. */
class PostgresTables implements Tables {
  constructor(readonly database: Outbox) {}

  /** Creates the tables that inbox and outbox make, as they do. */
  async createShared(): Promise<void> {
    const files = deskNames().map(readDesk);
    const makers = files.filter(({ id }) => id === 'sms-upkeep');
    const creates = (node: WorkflowFile['nodes'][number]) => node.parameters.operation === 'create';
    for (const file of makers) {
      const names = file.nodes.filter(creates).map(({ name }) => name);
      for (const { name, parameters } of toPostgres(file, tablesOf(files)).nodes) {
        if (names.includes(name)) await this.database.server.any(String(parameters.query));
      }
    }
  }

  async exists(name: string): Promise<boolean> {
    const [row] = await this.database.server.any<{ is: boolean }>(
      'SELECT to_regclass($1) IS NOT NULL AS is',
      [name],
    );
    return row?.is === true;
  }

  async remove(...names: string[]): Promise<void> {
    for (const name of names) await this.database.server.any(`DROP TABLE IF EXISTS ${name}`);
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
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].join(', ');
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
