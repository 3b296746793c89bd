/** The two stores of the desk: what a node does with a data table, its statement does with PostgreSQL. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { toPostgres } from '../../desk/postgres.mjs';
import { columnsOf, type Table } from '../../desk/tables.mjs';
import { errorOf, itemsOf, type WorkflowFile } from '../kit/n8n/client';
import { dataTables, postgres } from '../kit/desk/store';
import { expect, test } from './lib/test';
import { anyNode, chain, manualTrigger } from '../kit/n8n/workflow';

const ROWS_OF_ALL_KINDS = [
  {
    phone_number: '13800000001',
    key: 'a_1',
    reason: `it's "1", {{ 2 }} or $1 \\ 😀`,
    sent_at: '2026-06-03T12:00:00.123+08:00',
  },
  { phone_number: '13800000002', key: 'ab1', reason: 'INTERRUPTED', sent_at: null },
  { phone_number: '13800000001', key: null, reason: '', status: 'claimed' },
  { phone_number: '13800000003', key: '', reason: null, status: 'claimed', run: 7 },
];

/** One node for each thing that the desk does with its tables. Each gets the four rows. */
function operations(): WorkflowFile {
  const table = (name: string) => ({ __rl: true, mode: 'name', value: name });
  const all = (...conditions: [string, string, unknown?][]) => ({
    matchType: 'allConditions',
    filters: {
      conditions: conditions.map(([keyName, condition, keyValue]) => ({
        ...{ keyName, condition },
        ...(keyValue !== undefined && { keyValue }),
      })),
    },
  });
  const node = (name: string, parameters: object, flags: Partial<INode> = {}) => ({
    ...anyNode('n8n-nodes-base.dataTable', 1.1, name, parameters as INodeParameters),
    alwaysOutputData: true,
    ...flags,
  });
  const row = (name: string, operation: string, more: object, flags: Partial<INode> = {}) => {
    const inTable = { resource: 'row', operation, dataTableId: table('sms_outbox') };
    return node(name, { ...inTable, ...more }, flags);
  };
  const order = (orderByColumn: string, orderByDirection = 'ASC') => ({
    ...{ orderBy: true, orderByColumn, orderByDirection },
  });
  const once = { executeOnce: true };
  const silent = { ...once, alwaysOutputData: false };
  const given = { columns: { mappingMode: 'autoMapInputData', value: null } };
  const set = (value: object) => ({ columns: { mappingMode: 'defineBelow', value }, options: {} });
  const create = (tableName: Table) => {
    const columns = { column: columnsOf(tableName) };
    const parameters = { resource: 'table', operation: 'create', tableName, columns };
    return node(`Make ${tableName}`, { ...parameters, options: { createIfNotExists: true } }, once);
  };
  const get = (name: string, more: object, flags: Partial<INode> = once) =>
    row(name, 'get', { returnAll: true, ...more }, flags);
  const number = '={{ $json.phone_number }}';
  const sameNumber: [string, string, string] = ['phone_number', 'eq', number];
  const newest = { returnAll: false, limit: '={{ 1 }}', ...order('id', 'DESC') };
  const key = `={{ $json.key === 'ab1' ? 'ab1' : 'none' }}`;
  const rule = {
    class: number,
    per_hour: '={{ $json.run ?? 1.5 }}',
    check_opt_outs: '={{ true }}',
  };
  const ofRules = { dataTableId: table('sms_rules') };
  const strict = all(['check_opt_outs', 'isTrue'], ['per_hour', 'gt', 1]);
  const branches = [
    row('Insert', 'insert', { ...given, options: {} }),
    get('All', all()),
    get('Newest of each number', { ...all(sameNumber), ...newest }, {}),
    get('Key is null', all(['key', 'eq', '={{ null }}'])),
    get('Key is not null', all(['key', 'neq', '={{ null }}'])),
    get('Another key', { ...all(['key', 'neq', 'ab1']), ...order('phone_number', 'DESC') }),
    get('Key like', all(['key', 'like', 'a_%'])),
    get('Any case', all(['reason', 'ilike', '%rupted'])),
    get('Empty', all(['key', 'isEmpty'], ['sent_at', 'isEmpty'])),
    get('Filled', all(['key', 'isNotEmpty'], ['id', 'gte', '={{ 1 }}'])),
    get('At a time', all(['sent_at', 'eq', '2026-06-03T04:00:00.123Z'])),
    get(
      'Before',
      all(['sent_at', 'lt', '={{ $now.toISO() }}'], ['createdAt', 'lte', '={{ $now }}']),
    ),
    get('Later', all(['createdAt', 'gt', '={{ $now.plus({ minutes: 1 }).toISO() }}'])),
    get('Exact text', all(['reason', 'eq', '={{ $json.reason }}']), {}),
    get('A number as text', all(['run', 'eq', '={{ 7 }}'])),
    get(
      'Computed',
      {
        ...all(
          [
            '={{ $json.key ? "key" : "id" }}',
            '={{ $json.key ? "eq" : "lt" }}',
            '={{ $json.key || 2 }}',
          ],
          ['phone_number', 'eq', '=1380000000{{ 3 }}'],
        ),
        ...{ matchType: `={{ $json.key === 'ab1' ? 'anyCondition' : 'allConditions' }}` },
        dataTableId: table(`={{ 'sms_' + 'outbox' }}`),
      },
      {},
    ),
    row('No row', 'rowNotExists', all(['key', 'eq', key])),
    row('Change', 'update', {
      ...all(sameNumber, ['status', 'eq', 'claimed']),
      ...set({
        status: `={{ 'sent ' + $json.key }}`,
        sent_at: '={{ $json.sent_at }}',
        batch_id: '={{ undefined }}',
      }),
    }),
    row('Change nothing', 'update', { ...all(['id', 'lt', 0]), ...set({ status: 'x' }) }, silent),
    row('Upsert', 'upsert', { ...ofRules, ...all(['class', 'eq', number]), ...set(rule) }),
    get('Rules', { ...ofRules, ...strict, ...order('class') }),
    row('All at once', 'insert', { ...given, options: { optimizeBulk: true } }),
    get('Rows by now', all(['id', 'gt', 4])),
    row('Delete', 'deleteRows', { ...all(sameNumber, ['id', 'gt', 4]), options: {} }),
    node(
      'Tables',
      { resource: 'table', operation: 'list', returnAll: true, options: { filterName: 'sms_' } },
      once,
    ),
  ];
  const items = anyNode('n8n-nodes-base.set', 3.4, 'Items', {
    ...{ mode: 'raw', jsonOutput: JSON.stringify({ rows: ROWS_OF_ALL_KINDS }), options: {} },
  });
  const each = anyNode('n8n-nodes-base.splitOut', 1, 'Each', { fieldToSplitOut: 'rows' });
  const file = chain(
    'Operations',
    manualTrigger(),
    create('sms_outbox'),
    create('sms_rules'),
    items,
    each,
  );
  file.connections.Each = {
    main: [branches.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))],
  };
  branches.forEach((branch, index) => (branch.position = [1500, 200 * index]));
  return { ...file, nodes: [...file.nodes, ...branches] };
}

test('What a node does with a data table, it does with PostgreSQL', async ({
  client,
  database,
}) => {
  const file = operations();
  const stores = [
    [dataTables(client), file],
    [await postgres(client, database), toPostgres(file)],
  ] as const;
  const results: Record<string, unknown>[] = [];
  for (const [{ tables, credentials }, each] of stores) {
    await tables.remove('sms_outbox', 'sms_rules');
    const workflow = await client.importWorkflow(each, credentials);
    const execution = await client.run(workflow, 'Start');
    expect(errorOf(execution)).toBeUndefined();
    const names = file.nodes.map(({ name }) => name).filter((name) => !name.startsWith('Make'));
    results.push(Object.fromEntries(names.map((name) => [name, seen(itemsOf(execution, name))])));
  }
  const [expected, found] = results;
  for (const name of Object.keys(expected ?? {}))
    expect(found?.[name], name).toEqual(expected?.[name]);
  expect(found?.Insert).toHaveLength(4);
  expect(found?.['Change nothing']).toEqual([]);
});

/** Items without what is different in every run. Of the tables, only those of the test. */
function seen(items: ReturnType<typeof itemsOf>): IDataObject[] {
  return items
    .map(({ json: { updatedAt, ...json }, pairedItem }): IDataObject => {
      delete json.createdAt;
      if (updatedAt) expect(new Date(String(updatedAt)).toISOString()).toBe(updatedAt);
      const { id, name, projectId } = json;
      // PostgreSQL uses up an ID for each upsert.
      if ('per_hour' in json) delete json.id;
      return projectId || id === name
        ? { name }
        : { ...json, pairedItem: JSON.stringify(pairedItem) };
    })
    .filter(({ name }) => !name || ['sms_outbox', 'sms_rules'].includes(String(name)));
}
