/** The desk on PostgreSQL: what each Data Table node becomes. A real n8n compares the two in test/e2e/. */
import type { INode } from 'n8n-workflow';

import { toPostgres } from '../postgres.mjs';
import { SYSTEM, TABLES } from '../tables.mjs';
import type { WorkflowFile } from '../../test/kit/n8n/client';
import { deskNames, readDesk } from '../../test/kit/workflows/workflowFiles';
import { evaluate, type Sight } from '../../test/kit/workflows/expression';

const DATA_TABLE = 'n8n-nodes-base.dataTable';
const POSTGRES = 'n8n-nodes-base.postgres';

const desk = deskNames().map(readDesk);

/** A workflow with one Data Table node. */
function workflowWith(parameters: object): WorkflowFile {
  const node = { id: '1', name: 'Rows', type: DATA_TABLE, typeVersion: 1.1, position: [0, 0] };
  return { name: 'One', nodes: [{ ...node, parameters }], connections: {} } as never;
}

interface Converted {
  query: string;
  options: { queryReplacement?: string };
}

function convert(parameters: object): Converted {
  const [node] = toPostgres(workflowWith(parameters)).nodes;
  return node?.parameters as unknown as Converted;
}

const inTable = (operation: string, conditions: object[] = [], others: object = {}) => ({
  ...{ resource: 'row', operation, matchType: 'allConditions', filters: { conditions } },
  dataTableId: { __rl: true, mode: 'name', value: 'sms_outbox' },
  ...others,
});

const condition = (keyName: string, name: string, keyValue?: unknown) => ({
  keyName,
  condition: name,
  keyValue,
});

const whereOf = (...conditions: object[]) =>
  /WHERE (.*) ORDER/.exec(convert(inTable('get', conditions, { returnAll: true })).query)?.[1];

const valuesOf = ({ options }: Converted, seen: Sight) =>
  evaluate(options.queryReplacement ?? '', seen);

describe.each(desk)('$name', (workflow) => {
  it('keeps its nodes, lines and flags, and has no data table left', () => {
    const { nodes, ...others } = toPostgres(workflow);
    expect(others).toEqual({ ...workflow, nodes: undefined });
    expect(nodes.filter(({ type }) => type === DATA_TABLE)).toEqual([]);
    for (const [index, node] of nodes.entries()) {
      const before = workflow.nodes[index] as INode;
      const { type, parameters, executeOnce, ...same } = before;
      expect({ ...node, typeVersion: before.typeVersion }).toMatchObject(same);
      if (type !== DATA_TABLE) {
        expect({ ...node, parameters: {} }).toEqual({ ...before, parameters: {} });
        continue;
      }
      expect(node).toMatchObject({
        type: POSTGRES,
        credentials: { postgres: { id: null, name: 'Postgres account' } },
        ...(executeOnce && { executeOnce }),
      });
      const { query, options } = node.parameters as unknown as Converted;
      for (const each of [query, options.queryReplacement ?? '']) {
        if (each.startsWith('=')) expect(each.slice(3, -2)).not.toMatch(/\{\{|\}\}/);
      }
      const own = parameters.options as { optimizeBulk?: boolean } | undefined;
      expect(node.executeOnce).toBe(own?.optimizeBulk ? true : executeOnce);
    }
  });
});

it('has a workflow that makes each table, and only columns of it in indexes', () => {
  const made = desk.flatMap(({ nodes }) =>
    nodes.flatMap(({ parameters }) => parameters.tableName ?? []),
  );
  expect(made.sort()).toEqual(Object.keys(TABLES).sort());
  for (const { columns, indexes } of Object.values(TABLES)) {
    const indexed = indexes.flatMap((index) => index.split(' ').slice(1));
    expect(Object.keys({ ...SYSTEM, ...columns })).toEqual(expect.arrayContaining(indexed));
  }
  const { query } = convert({ resource: 'table', operation: 'create', tableName: 'sms_templates' });
  expect(query).toContain('UNIQUE INDEX IF NOT EXISTS sms_templates_kind_record_id ON');
});

it('gives the desk more room, and lets the outbox look more numbers up one by one', () => {
  const textOf = (name: string) => JSON.stringify(toPostgres(readDesk(name)));
  expect(textOf('upkeep')).toContain('"name":"megabytes","type":"number","value":20000');
  expect(textOf('outbox')).toContain('"name":"few","type":"number","value":5000');
});

it('compares as a data table does: null is a value, and a column has its type', () => {
  expect(whereOf(condition('key', 'eq', 'a'))).toBe(
    '("key" = $1::text OR ("key" IS NULL AND $1::text IS NULL))',
  );
  expect(whereOf(condition('key', 'neq', 'a'))).toBe('"key" IS DISTINCT FROM $1::text');
  expect(whereOf(condition('id', 'gt', 5))).toBe(`"id" > NULLIF($1, '')::bigint`);
  expect(whereOf(condition('sent_at', 'lte', '={{ $now }}'))).toBe('"sent_at" <= $1::timestamptz');
  expect(whereOf(condition('key', 'isEmpty'))).toBe(`("key" IS NULL OR "key" = '')`);
  expect(whereOf(condition('sent_at', 'isNotEmpty'))).toBe('NOT ("sent_at" IS NULL)');
  expect(whereOf(condition('key', 'like', 'a_%'))).toBe(
    `"key" LIKE replace(replace($1::text, '\\', '\\\\'), '_', '\\_')`,
  );
  const either = [condition('key', 'isEmpty'), condition('id', 'gt', 5)];
  const { query } = convert(inTable('get', either, { matchType: 'anyCondition' }));
  expect(query).toMatch(/WHERE \(.+\) OR "id" > .+ ORDER/);
});

it('gives values as texts and rows as JSON that PostgreSQL takes', () => {
  const converted = convert(
    inTable('get', [
      condition('key', 'eq', '={{ $json.key }}'),
      condition('run', 'eq', '=run {{ $json.run }} of {{ $json.none }}'),
      condition('reason', 'eq', `it's "fixed", or not`),
      condition('sent_at', 'lt', '={{ $json.at }}'),
      condition('id', 'gt', '={{ $json.number }}'),
    ]),
  );
  const at = new Date('2026-06-03T04:00:00.000Z');
  const $json = { key: 'a\0b', run: 7, at, number: NaN };
  expect(valuesOf(converted, { $json })).toEqual([
    '50',
    ...['ab', 'run 7 of ', `it's "fixed", or not`, at.toISOString(), null],
  ]);

  const row = { phone_number: '={{ $json.phone }}', reason: '={{ $json.none }}', status: 'x' };
  const columns = { mappingMode: 'defineBelow', value: row };
  const inserted = convert({
    ...{ resource: 'row', operation: 'insert', columns, options: {} },
    dataTableId: { mode: 'name', value: 'sms_outbox' },
  });
  expect(valuesOf(inserted, { $json: { phone: '1\0\ud800' } })).toEqual([
    JSON.stringify({ phone_number: '1\ufffd', reason: null, status: 'x' }),
  ]);
  // Whoever adds a row waits for the one before.
  expect(inserted.query).toContain("pg_advisory_xact_lock(hashtext('SMS desk')");
  const updated = convert(inTable('update', [condition('id', 'eq', 1)], { columns, options: {} }));
  expect(updated.query).toContain('"updatedAt" = clock_timestamp()');
});

it('makes the query of names that are computed, and takes no other name', () => {
  const { query } = convert(
    inTable('get', [condition('={{ $json.column }}', '={{ $json.condition }}', 1)], {
      returnAll: true,
      dataTableId: { __rl: true, mode: 'name', value: '={{ $json.table }}' },
    }),
  );
  const asked = (table: string, column: string, name: string) =>
    evaluate(query, { $json: { table, column, condition: name } });
  expect(asked('sms_inbox', 'id', 'lt')).toBe(
    `SELECT * FROM "sms_inbox" WHERE "id" < NULLIF($1, '')::bigint ORDER BY id ASC`,
  );
  expect(asked('x"; DROP', 'y" OR true --', '{{ 1 }}')).toBe(
    'SELECT * FROM "x___DROP" WHERE no_condition_"___1___" ORDER BY id ASC',
  );
});

it('gives an item back that has no row', () => {
  const { query, options } = convert(inTable('rowNotExists', [condition('key', 'lt', 'a')]));
  const $json = { id: 5, name: 'x', isOn: true, none: null, more: { a: 1 } };
  expect(evaluate(query, { $json })).toMatch(
    /^SELECT \$2::float8 AS "id", \$3::text AS "name", \$4::boolean AS "isOn", \$5::json AS "none", \$6::json AS "more" WHERE NOT EXISTS \(SELECT FROM "sms_outbox" WHERE \("key" = /,
  );
  expect(evaluate(options.queryReplacement ?? '', { $json })).toEqual([
    ...['a', '5', 'x', 'true', null, '{"a":1}'],
  ]);
});

it('names the node and the parameter that it does not understand', () => {
  const refused = [
    [inTable('get', [], { offset: 5 }), /^Rows: the parameter offset/],
    [inTable('update', [], { columns: {}, options: { dryRun: true } }), /^Rows: the parameter dry/],
    [inTable('rowExists'), /^Rows: the operation rowExists of a row/],
    [inTable('deleteRows', [], { options: {} }), /^Rows: a change of all rows/],
    [inTable('get', [], { dataTableId: { mode: 'id', value: 'x' } }), /^Rows: a table that has no/],
    [
      inTable('get', [], { dataTableId: { mode: 'name', value: 'other' } }),
      /^Rows: the table other/,
    ],
    [
      inTable('upsert', [condition('key', 'eq', '={{ $json.other }}')], {
        ...{ columns: { mappingMode: 'defineBelow', value: { key: '={{ $json.key }}' } } },
        options: {},
      }),
      /^Rows: an upsert by another key/,
    ],
  ] as const;
  for (const [parameters, said] of refused) {
    expect(() => convert(parameters)).toThrow(said);
  }
});
