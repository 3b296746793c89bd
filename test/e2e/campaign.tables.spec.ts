/** The two stores of the desk: what a node does with a data table, its statement does with PostgreSQL. */
import type { IDataObject, INode } from 'n8n-workflow';

import {
  AS_GIVEN,
  get as rowsOf,
  insert,
  insertAll,
  listTables,
  makeTables,
  missing,
  onPostgres,
  remove,
  update,
  upsert,
  type Node,
  type Where,
} from '../../desk/src/parts';
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
function operations(as: (step: Node) => object): WorkflowFile {
  const each = { always: true };
  const once = { ...each, once: true };
  const phone_number = '={{ $json.phone_number }}';
  const get = (name: string, where: Where<'sms_outbox'>, more: object = once) =>
    rowsOf(name, 'sms_outbox', where, more);
  const branches = [
    insert('Insert', 'sms_outbox', AS_GIVEN, each),
    get('All', {}),
    get(
      'Newest of each number',
      { phone_number },
      { ...each, order: 'id desc', limit: '={{ 1 }}' },
    ),
    get('Key is null', { key: '={{ null }}' }),
    get('Key is not null', { 'key !=': '={{ null }}' }),
    get('Another key', { 'key !=': 'ab1' }, { ...once, order: 'phone_number desc' }),
    get('Key like', { 'key like': 'a_%' }),
    get('Key between', { 'key >=': 'a_', 'key <': 'a_\u{10ffff}' }),
    get('Any case', { 'reason ilike': '%rupted' }),
    get('Empty', { 'key empty': true, 'sent_at empty': true }),
    get('Filled', { 'key filled': true, 'id >=': '={{ 1 }}' }),
    get('At a time', { sent_at: '2026-06-03T04:00:00.123Z' }),
    get('Before', { 'sent_at <': '={{ $now.toISO() }}', 'createdAt <=': '={{ $now }}' }),
    get('Later', { 'createdAt >': '={{ $now.plus({ minutes: 1 }).toISO() }}' }),
    get('Exact text', { reason: '={{ $json.reason }}' }, each),
    get('A number as text', { run: '={{ 7 }}' }),
    rowsOf(
      'Computed',
      `={{ 'sms_' + 'outbox' }}`,
      {
        '={{ $json.key ? "key" : "id" }} ={{ $json.key ? "eq" : "lt" }}': '={{ $json.key || 2 }}',
        phone_number: '=1380000000{{ 3 }}',
      },
      {
        ...{ ...each, match: `={{ $json.key === 'ab1' ? 'anyCondition' : 'allConditions' }}` },
        choices: ['key eq anyCondition', 'key eq allConditions', 'id lt allConditions'].map(
          (choice) => `sms_outbox ${choice}`,
        ),
      },
    ),
    missing('No row', 'sms_outbox', { key: `={{ $json.key === 'ab1' ? 'ab1' : 'none' }}` }, each),
    update(
      'Change',
      'sms_outbox',
      { phone_number, status: 'claimed' },
      {
        status: `={{ 'sent ' + $json.key }}`,
        sent_at: '={{ $json.sent_at }}',
        batch_id: '={{ undefined }}',
      },
      each,
    ),
    update('Change nothing', 'sms_outbox', { 'id <': 0 }, { status: 'x' }, { once: true }),
    upsert(
      'Upsert',
      'sms_rules',
      { class: phone_number, per_hour: '={{ $json.run ?? 1.5 }}', check_opt_outs: '={{ true }}' },
      each,
    ),
    rowsOf('Rules', 'sms_rules', { 'per_hour >': 1 }, { ...once, order: 'class' }),
    insertAll('All at once', 'sms_outbox', each),
    get('Rows by now', { 'id >': 4 }),
    remove('Delete', 'sms_outbox', { phone_number, 'id >': 4 }, each),
    listTables('Tables', 'sms_', each),
  ];
  const nodeOf = (step: Node): INode => {
    const { type, version, name, config } = step;
    return { ...anyNode(type, Number(version), name), ...(config as object), ...as(step) };
  };
  const items = anyNode('n8n-nodes-base.set', 3.4, 'Items', {
    ...{ mode: 'raw', jsonOutput: JSON.stringify({ rows: ROWS_OF_ALL_KINDS }), options: {} },
  });
  const split = anyNode('n8n-nodes-base.splitOut', 1, 'Each', { fieldToSplitOut: 'rows' });
  const made = makeTables({ 'Make the outbox': 'sms_outbox', 'Make the rules': 'sms_rules' });
  const file = chain('Operations', manualTrigger(), ...made.map(nodeOf), items, split);
  file.connections.Each = {
    main: [branches.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))],
  };
  const nodes = branches.map(nodeOf);
  nodes.forEach((node, index) => (node.position = [1500, 200 * index]));
  return { ...file, nodes: [...file.nodes, ...nodes] };
}

test('What a node does with a data table, it does with PostgreSQL', async ({
  client,
  database,
}) => {
  const file = operations(() => ({}));
  const stores = [
    [dataTables(client), file],
    [await postgres(client, database), operations(onPostgres)],
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
