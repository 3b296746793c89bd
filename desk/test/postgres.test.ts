/** The desk on PostgreSQL: what each node of a table is there. A real n8n compares the two in test/e2e/. */
import type { INode } from 'n8n-workflow';

import { get, insert, makeTables, missing, onPostgres, update, type Node } from '../src/parts';
import { SYSTEM, TABLES } from '../tables.mjs';
import { deskNames, readDesk, readOnPostgres } from '../../test/kit/workflows/workflowFiles';
import { evaluate, type Sight } from '../../test/kit/workflows/expression';

const DATA_TABLE = 'n8n-nodes-base.dataTable';
const POSTGRES = 'n8n-nodes-base.postgres';

interface Running {
  query: string;
  options: { queryReplacement?: string };
}

const running = (node: Node) => onPostgres(node).parameters as unknown as Running;

const whereOf = (where: Parameters<typeof get<'sms_outbox'>>[2]) =>
  /WHERE (.*) ORDER/.exec(running(get('Rows', 'sms_outbox', where)).query)?.[1];

const valuesOf = ({ options }: Running, seen: Sight) =>
  evaluate(options.queryReplacement ?? '', seen);

describe.each(deskNames())('%s', (name) => {
  it('keeps its nodes, lines and flags, and has no data table left', () => {
    const workflow = readDesk(name);
    const { nodes, ...others } = readOnPostgres(name);
    expect(others).toEqual({ ...workflow, nodes: undefined });
    expect(nodes.filter(({ type }) => type === DATA_TABLE)).toEqual([]);
    for (const [index, node] of nodes.entries()) {
      const before = workflow.nodes[index] as INode;
      const { type, executeOnce, ...same } = { ...before, parameters: {} };
      expect({ ...node, parameters: {}, typeVersion: before.typeVersion }).toMatchObject(same);
      if (type !== DATA_TABLE && node.type === type) {
        expect({ ...node, parameters: {} }).toEqual({ ...before, parameters: {} });
        continue;
      }
      expect(node).toMatchObject({
        type: POSTGRES,
        credentials: { postgres: { id: null, name: 'Postgres account' } },
        ...(executeOnce && { executeOnce }),
      });
      const { query, options } = node.parameters as unknown as Running;
      for (const each of [query, options.queryReplacement ?? '']) {
        if (each.startsWith('=')) expect(each.slice(3, -2)).not.toMatch(/\{\{|\}\}/);
      }
      const isTogether = options.queryReplacement?.includes('.map(($json) =>');
      expect(node.executeOnce).toBe(isTogether ? true : executeOnce);
    }
  });
});

it('tries again to add rows only where rows that are there already do no harm: an answer may be lost', () => {
  const added = deskNames()
    .flatMap((name) => readDesk(name).nodes)
    .filter(({ parameters }) => parameters.operation === 'insert');
  const again = added.filter(({ retryOnFail }) => retryOnFail);
  const tables = again.map(({ parameters }) => (parameters.dataTableId as { value: string }).value);
  // A list's number and what is remembered by a key have one row, or the same in two.
  expect([...new Set(tables)].sort()).toEqual(['sms_recipients', 'sms_resends', 'sms_tokens']);
});

it('has a workflow that makes each table, and only columns of it in indexes', () => {
  const made = deskNames()
    .flatMap((name) => readDesk(name).nodes)
    .flatMap(({ parameters }) => parameters.tableName ?? []);
  expect(made.sort()).toEqual(Object.keys(TABLES).sort());
  for (const { columns, indexes } of Object.values(TABLES)) {
    const indexed = indexes.flatMap((index) =>
      index
        .split(/ [(W]/)
        .slice(0, 1)
        .flatMap((key) => key.split(' ').slice(1)),
    );
    expect(Object.keys({ ...SYSTEM, ...columns })).toEqual(expect.arrayContaining(indexed));
  }
  const [node] = makeTables({ Templates: 'sms_templates' });
  expect(running(node as Node).query).toContain(
    'UNIQUE INDEX IF NOT EXISTS sms_templates_kind_record_id ON',
  );
});

it('gives the desk more room, and lets the outbox look all numbers up one by one', () => {
  const textOf = (name: string) => JSON.stringify(readOnPostgres(name));
  expect(textOf('upkeep')).toContain('"name":"megabytes","type":"number","value":20000');
  expect(textOf('outbox')).toContain('"name":"indexed","type":"boolean","value":true');
});

it('compares as a data table does: null is a value, and a column has its type', () => {
  expect(whereOf({ key: 'a' })).toBe('("key" = $1::text OR ("key" IS NULL AND $1::text IS NULL))');
  expect(whereOf({ 'key !=': 'a' })).toBe('"key" IS DISTINCT FROM $1::text');
  expect(whereOf({ 'id >': 5 })).toBe(`"id" > NULLIF($1, '')::bigint`);
  expect(whereOf({ 'sent_at <=': '={{ $now }}' })).toBe('"sent_at" <= $1::timestamptz');
  expect(whereOf({ 'key empty': true })).toBe(`("key" IS NULL OR "key" = '')`);
  expect(whereOf({ 'sent_at filled': true })).toBe('NOT ("sent_at" IS NULL)');
  expect(whereOf({ 'key like': 'a_%' })).toBe(
    `"key" LIKE replace(replace($1::text, '\\', '\\\\'), '_', '\\_')`,
  );
  const either = { match: 'anyCondition' };
  const { query } = running(get('Rows', 'sms_outbox', { 'key empty': true, 'id >': 5 }, either));
  expect(query).toMatch(/WHERE \(.+\) OR "id" > .+ ORDER/);
});

it('gives values as texts and rows as JSON that PostgreSQL takes', () => {
  const where = {
    key: '={{ $json.key }}',
    run: '=run {{ $json.run }} of {{ $json.none }}',
    reason: `it's "fixed", or not`,
    'sent_at <': '={{ $json.at }}',
    'id >': '={{ $json.number }}',
  };
  const at = new Date('2026-06-03T04:00:00.000Z');
  const $json = { key: 'a\0b', run: 7, at, number: NaN };
  expect(valuesOf(running(get('Rows', 'sms_outbox', where, { limit: 50 })), { $json })).toEqual([
    '50',
    ...['ab', 'run 7 of ', `it's "fixed", or not`, at.toISOString(), null],
  ]);

  const row = { phone_number: '={{ $json.phone }}', reason: '={{ $json.none }}', status: 'x' };
  const inserted = running(insert('Row', 'sms_outbox', row));
  expect(valuesOf(inserted, { $json: { phone: '1\0\ud800' } })).toEqual([
    JSON.stringify({ phone_number: '1\ufffd', reason: null, status: 'x' }),
  ]);
  // Whoever adds a row waits for the one before.
  expect(inserted.query).toContain("pg_advisory_xact_lock(hashtext('SMS desk')");
  const updated = running(update('Row', 'sms_outbox', { id: 1 }, row));
  expect(updated.query).toContain('"updatedAt" = clock_timestamp()');
});

it('chooses among the statements of all that its names may be, and takes nothing else', () => {
  const choices = ['sms_inbox id lt', 'sms_opt_outs phone_number eq'];
  const where = { '={{ $json.column }} ={{ $json.condition }}': 1 };
  const { query } = running(get('Rows', '={{ $json.table }}', where, { choices }));
  const asked = (table: string, column: string, condition: string) =>
    evaluate(query, { $json: { table, column, condition } });
  expect(asked('sms_inbox', 'id', 'lt')).toBe(
    `SELECT * FROM "sms_inbox" WHERE "id" < NULLIF($1, '')::bigint ORDER BY id ASC`,
  );
  expect(asked('sms_opt_outs', 'phone_number', 'eq')).toContain('("phone_number" = $1::text OR');
  expect(asked('x"; DROP', 'y" OR true --', '{{ 1 }}')).toBe('SELECT no_such_choice');

  expect(() => get('Rows', '={{ $json.table }}')).toThrow('What may ={{ $json.table }} give?');
  const wrong = { choices: ['sms_inbox id lt', 'sms_inbox ids lt'] };
  expect(() => get('Rows', '={{ $json.table }}', where, wrong)).toThrow('sms_inbox has no ids');
});

it('gives an item back that has no row', () => {
  const { query, options } = running(missing('No row', 'sms_outbox', { key: 'a' }));
  const $json = { id: 5, name: 'x', isOn: true, none: null, more: { a: 1 } };
  expect(evaluate(query, { $json })).toMatch(
    /^SELECT \$2::float8 AS "id", \$3::text AS "name", \$4::boolean AS "isOn", \$5::json AS "none", \$6::json AS "more" WHERE NOT EXISTS \(SELECT FROM "sms_outbox" WHERE \("key" = /,
  );
  expect(evaluate(options.queryReplacement ?? '', { $json })).toEqual([
    ...['a', '5', 'x', 'true', null, '{"a":1}'],
  ]);
});
