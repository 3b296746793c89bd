import type { IDataObject } from 'n8n-workflow';

import type { N8nClient } from './client';
import type { Day } from '../desk/day';
import { deskNames, readDesk } from '../workflows/workflowFiles';

/** n8n gives out and takes at most this many rows at once. */
const PAGE = 250;
const INSERTED_AT_ONCE = 2000;

interface TableRecord {
  id: string;
  name: string;
  projectId: string;
}

/** The data tables of n8n, which all workflows of a project share. */
export class DataTables {
  private readonly paths = new Map<string, string>();

  constructor(private readonly client: N8nClient) {}

  /** Creates the tables that workflows of these names make, by default those that all share, where they are missing. */
  async createShared(by = /^upkeep$/): Promise<void> {
    const project = await this.client.call<{ id: string }>('GET', '/rest/projects/personal');
    const existing = (await this.all()).map(({ name }) => name);
    const makers = deskNames().filter((name) => by.test(name));
    for (const { parameters } of makers.flatMap((name) => readDesk(name).nodes)) {
      const { tableName: name, columns } = parameters as {
        tableName?: string;
        columns?: { column: { name: string; type: string }[] };
      };
      if (name === undefined || existing.includes(name)) continue;
      existing.push(name);
      await this.client.call('POST', `/rest/projects/${project.id}/data-tables`, {
        name,
        columns: columns?.column,
      });
    }
  }

  /** Puts a day into the shared tables, as the inbox and the senders would. */
  async fill({ sends, events }: Day): Promise<void> {
    await this.createShared();
    await this.insert('sms_outbox', sends);
    await this.insert('sms_inbox', events);
  }

  async insert(table: string, rows: readonly object[]): Promise<void> {
    const path = `${await this.pathOf(table)}/insert`;
    for (let from = 0; from < rows.length; from += INSERTED_AT_ONCE) {
      const data = rows.slice(from, from + INSERTED_AT_ONCE);
      await this.client.call('POST', path, { data, returnType: 'count' });
    }
  }

  /** The rows that have these values, oldest first. No table has no rows. */
  async rows<Row extends IDataObject = IDataObject>(
    table: string,
    values: IDataObject = {},
  ): Promise<Row[]> {
    if (!(await this.exists(table))) return [];
    const rows: Row[] = [];
    for (;;) {
      const { data, count } = await this.page<Row>(table, values, rows.length, PAGE);
      rows.push(...data);
      if (data.length === 0 || rows.length >= count) return rows;
    }
  }

  /** How many rows have these values. No table has none. */
  async count(table: string, values: IDataObject = {}): Promise<number> {
    if (!(await this.exists(table))) return 0;
    return (await this.page(table, values, 0, 1)).count;
  }

  /** Changes the rows that have these values. */
  async update(table: string, values: IDataObject, data: object): Promise<void> {
    const filter = filterOf(values);
    await this.client.call('PATCH', `${await this.pathOf(table)}/rows`, { filter, data });
  }

  /** Removes all rows of a table. */
  async clear(table: string): Promise<void> {
    const filter = { type: 'and', filters: [{ columnName: 'id', condition: 'gt', value: 0 }] };
    const query = encodeURIComponent(JSON.stringify(filter));
    await this.client.call('DELETE', `${await this.pathOf(table)}/rows?filter=${query}`);
  }

  /** Removes the tables that earlier tests have left: the given ones, or all. */
  async remove(...names: string[]): Promise<void> {
    for (const table of await this.all()) {
      if (names.length > 0 && !names.includes(table.name)) continue;
      await this.client.call('DELETE', pathTo(table));
      this.paths.delete(table.name);
    }
  }

  /** The bytes that all data tables take. */
  async size(): Promise<number> {
    const { totalBytes } = await this.client.call<{ totalBytes: number }>(
      'GET',
      '/rest/data-tables-global/limits',
    );
    return totalBytes;
  }

  /** Whether there is a table of this name. */
  async exists(name: string): Promise<boolean> {
    return this.paths.has(name) || (await this.all()).some((each) => each.name === name);
  }

  private async page<Row>(table: string, values: IDataObject, skip: number, take: number) {
    const filter = encodeURIComponent(JSON.stringify(filterOf(values)));
    return await this.client.call<{ count: number; data: Row[] }>(
      'GET',
      `${await this.pathOf(table)}/rows?filter=${filter}&skip=${skip}&take=${take}&sortBy=id:asc`,
    );
  }

  private async pathOf(name: string): Promise<string> {
    const known = this.paths.get(name);
    if (known !== undefined) return known;
    const found = (await this.all()).find((each) => each.name === name);
    if (!found) throw new Error(`There is no data table "${name}".`);
    this.paths.set(name, pathTo(found));
    return pathTo(found);
  }

  private async all(): Promise<TableRecord[]> {
    const { data } = await this.client.call<{ data: TableRecord[] }>(
      'GET',
      `/rest/data-tables-global?take=${PAGE}`,
    );
    return data;
  }
}

/** Rows that have all these values. */
function filterOf(values: IDataObject): object {
  const filters = Object.entries(values).map(([columnName, value]) => ({
    columnName,
    condition: 'eq',
    value,
  }));
  return { type: 'and', filters };
}

function pathTo({ id, projectId }: TableRecord): string {
  return `/rest/projects/${projectId}/data-tables/${id}`;
}
