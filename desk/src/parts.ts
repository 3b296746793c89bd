/** What only the desk's workflows are made of, beside `builder/parts.ts`: its pages, its tables, and its inbox. */
import type { IDataObject, NodeJSON, WorkflowSettings } from '@n8n/workflow-sdk';

import { base, fields, num, sms } from '../../builder/parts';
import type { Node, Typed, Value, Way } from '../../builder/parts';
import { columnsOf, CONDITIONS, hasValue, TABLES } from '../tables.mjs';
import type { Column, SYSTEM, Table } from '../tables.mjs';
import { KEPT } from '../update.mjs';
import * as postgres from './postgres';

export * from '../../builder/parts';

/** No execution is kept but one that fails. */
export const ONLY_FAILURES: WorkflowSettings = {
  saveDataSuccessExecution: 'none',
  saveDataErrorExecution: 'all',
  saveExecutionProgress: false,
};

/** All records of a kind. */
export const allOf = (name: string, resource: 'template' | 'signature', way: Way = {}): Node =>
  sms(name, { resource, operation: 'getAll', returnAll: true }, { once: true, ...way });

/**
 * What the service said last, as *SMS · Service* has stored it. A page asks nobody, so it comes also while the service
 * hangs. One try: n8n repeats a node whose first item has a field `error`, even an empty one.
 */
export const saidOf = (name: string, what: 'balance' | 'template' | 'signature'): Node =>
  look(
    name,
    'sms_service',
    { what, 'asked >': '={{ $now.minus({ minutes: 15 }).toISO() }}' },
    { limit: 1, tries: 1 },
  );

/** Puts the workflow on the list of those that the inbox hands records to. */
export const subscribe = (wants: 'all' | 'deliveryReport' | 'reply'): Node =>
  upsert(
    'Subscribe',
    'sms_subscribers',
    {
      workflow_id: '={{ $workflow.id }}',
      name: '={{ $workflow.name }}',
      wants,
      free_at: '={{ $now.toISO() }}',
    },
    // The upkeep may still be about to make the table.
    { tries: 5, pause: 5 },
  );

/** The login of the pages. */
export const PAGES: Way = { needs: 'httpBasicAuth', called: 'SMS desk: pages' };

/** Runs when a page is opened: GET, with the login of the pages. */
export const page = (name: string, path: string): Node => opened(name, { path });

/** Runs when a button of a page is pressed: POST, with the login of the pages. */
export const button = (name: string, path: string): Node =>
  opened(name, { httpMethod: 'POST', path });

const opened = (name: string, parameters: IDataObject): Node =>
  base(
    'webhook',
    name,
    { ...parameters, authentication: 'basicAuth', responseMode: 'responseNode', options: {} },
    PAGES,
  );

/** Answers with a page, in which no other page may put anything and which nobody may keep. */
export const show = (
  name: string,
  html: string,
  {
    status,
    type = 'text/html; charset=utf-8',
    file,
  }: Partial<Record<'status' | 'type' | 'file', string | number>> = {},
): Node =>
  answer(name, { respondWith: 'text', responseBody: html }, status, {
    'Content-Type': String(type),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(file !== undefined && { 'Content-Disposition': String(file) }),
  });

/** Answers with the address of another page. */
export const goTo = (name: string, address: string, way: Way = {}): Node =>
  answer(
    name,
    { respondWith: 'noData' },
    303,
    { Location: address, 'Cache-Control': 'no-store' },
    way,
  );

function answer(
  name: string,
  body: IDataObject,
  responseCode: string | number | undefined,
  headers: Record<string, string>,
  way: Way = {},
): Node {
  const entries = Object.entries(headers).map(([header, value]) => ({ name: header, value }));
  const options = {
    ...(responseCode !== undefined && { responseCode }),
    responseHeaders: { entries },
  };
  return base('respondToWebhook', name, { ...body, options }, way);
}

/** What its owner may change in a node: an update keeps it, and the canvas says so. */
export const OWNERS: Way = { notes: KEPT, notesInFlow: true };

// Both stores

const ON_POSTGRES = new WeakMap<Node, Node>();

/** A node, and what it is on PostgreSQL. */
export function inBoth(made: Node, onPostgres: Node): Node {
  ON_POSTGRES.set(made, onPostgres);
  return made;
}

/** A node of n8n's tables, and what stands for it on PostgreSQL. */
export const byStore = (inTables: Node, there: Node): Node =>
  inBoth(inTables, ON_POSTGRES.get(there) ?? there);

/** A node that runs a statement on PostgreSQL, which is not what it does with a data table. */
export const instead = (made: Node, statement: postgres.Statement): Node =>
  inBoth(made, base('postgres', made.name, postgres.running(statement), { needs: 'postgres' }));

/** What is different in a node on PostgreSQL. */
export function onPostgres(each: Node): Partial<NodeJSON> {
  const found = ON_POSTGRES.get(each);
  if (!found) return {};
  const { parameters, credentials, executeOnce } = found.config;
  return {
    ...{ type: found.type, typeVersion: Number(found.version), parameters },
    ...(credentials && { credentials: credentials as NodeJSON['credentials'] }),
    ...(executeOnce && { executeOnce }),
  };
}

/** Sets fields that their owner may change. Of two numbers, the first holds in n8n's tables, the other on PostgreSQL. */
export function settings(
  name: string,
  values: Record<string, Value | Typed | [tables: number, postgres: number]>,
  way: Way = {},
): Node {
  const inStore = (store: 0 | 1) => {
    const own = Object.entries(values).map(([field, value]) =>
      Array.isArray(value) ? [field, num(value[store])] : [field, value],
    );
    return fields(name, Object.fromEntries(own), { ...OWNERS, ...way });
  };
  return inBoth(inStore(0), inStore(1));
}

/** A node of a table. */
const stored = (
  name: string,
  parameters: IDataObject,
  statement: postgres.Statement,
  way: Way,
): Node =>
  inBoth(
    base('dataTable', name, parameters, way),
    base('postgres', name, postgres.running(statement), {
      ...{ ...way, needs: 'postgres' },
      ...(statement.once && { once: true }),
    }),
  );

/** n8n's way to say that a value is computed. */
type Expression = `={{${string}`;

/**
 * Conditions of rows: a column, or a column and an operator such as `sent_at <=`, and the value or values. Column
 * and operator may be expressions.
 */
export type Where<T extends Table> = Partial<
  Record<`${Read<T>}${'' | ` ${Operator}`}` | Expression, Value | Value[]>
>;

type Operator = keyof typeof CONDITIONS | Expression;

/** A column that is read. */
type Read<T extends Table> = Column<T> | keyof typeof SYSTEM;

/** Values of a row: its columns, or `AS_GIVEN`, those of the item. */
export type Written<T extends Table> = Partial<Record<Column<T>, Value>> | typeof AS_GIVEN;
export const AS_GIVEN = undefined;

/** Values of a row, from the fields of the item with their names. */
export const ofItem = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`])) as Record<Name, string>;

/** The rows of a range of IDs, which the item is. */
export const OF_RANGE = { 'id >=': '={{ $json.from }}', 'id <=': '={{ $json.to }}' } as const;

/** Conditions in n8n's form. */
function conditionsOf(where: object): postgres.Condition[] {
  const names: Record<string, string> = CONDITIONS;
  return Object.entries(where as Record<string, Value | Value[]>).flatMap(([what, values]) => {
    const [, keyName = '', operator = '='] = /^(=\{\{.*?\}\}|\w+)(?: (.+))?$/.exec(what) ?? [];
    const condition = names[operator] ?? operator;
    return [values]
      .flat()
      .map((keyValue) => ({ keyName, condition, ...(hasValue(condition) && { keyValue }) }));
  });
}

interface TableWay extends Way {
  /** `anyCondition`, if one of the conditions is enough. */
  match?: string;
  /** What table, columns, operators and `match` may be if they are expressions: all of one choice, in this order. */
  choices?: readonly string[];
  /**
   * On PostgreSQL, one statement is for all items: a look gives each row once. A change gives the number of rows, and
   * no two items may have the same row. Data tables do it item by item.
   */
  together?: boolean;
}

const named = (table: string) => ({ __rl: true, mode: 'name', value: table });

const rowsOf = (
  table: string,
  where: object,
  { match = 'allConditions', ...others }: Partial<postgres.Rows> = {},
): postgres.Rows => ({ table, match, conditions: conditionsOf(where), ...others });

const inTable = (operation: string, { table, match, conditions }: postgres.Rows) => ({
  ...{ resource: 'row', operation, dataTableId: named(table), matchType: match },
  filters: { conditions: conditions as object[] as IDataObject[] },
});

function mappedTo<T extends Table>(table: T, row: Written<T>): IDataObject {
  if (!row) {
    return { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema: [] };
  }
  const types: Record<string, string> = TABLES[table].columns;
  const schema = Object.keys(row).map((id) => {
    return {
      id,
      displayName: id,
      required: false,
      defaultMatch: false,
      display: true,
      type: types[id] === 'date' ? 'dateTime' : types[id],
      canBeUsedToMatch: true,
      readOnly: false,
      removed: false,
    };
  });
  return {
    mappingMode: 'defineBelow',
    value: row,
    matchingColumns: [],
    schema,
    attemptToConvertTypes: false,
    convertFieldsToString: false,
  };
}

interface Reading<T extends Table> extends TableWay {
  /** A column, and `desc` behind it for the highest first. */
  order?: `${Read<T>}${'' | ' desc'}`;
  /** The number of rows, all without it. */
  limit?: number | string;
  /** The columns that PostgreSQL gives: all without it. Without the ID, those that are the same come once. */
  gives?: readonly Read<T>[];
  /** PostgreSQL gives all rows as one item, which `rowsOf` unpacks: for many, items take longer than rows. */
  packed?: boolean;
  /** Conditions that hold beside the others: PostgreSQL does not look rows up by them. */
  also?: Where<T>;
  /**
   * On PostgreSQL, one item has the number of rows below an ID as `count`, and the IDs of the others as `ids`: of
   * those for which this holds, too.
   */
  counted?: { below: Value; where: Where<T> };
}

/** Rows of a table: each item asks. A failed look is repeated. */
export function get<T extends Table>(
  name: string,
  table: T | Expression,
  where: Where<T> = {},
  {
    order,
    limit,
    match,
    choices,
    together,
    packed,
    gives,
    also = {},
    counted,
    ...way
  }: Reading<T> = {},
): Node {
  const [column, direction] = order?.split(' ') ?? [];
  const more = { choices, together, packed, gives, also: conditionsOf(also) };
  const rows = rowsOf(table, where, { match, ...more });
  return stored(
    name,
    {
      ...inTable('get', rowsOf(table, { ...where, ...also }, { match })),
      ...(limit === undefined ? { returnAll: true } : { returnAll: false, limit }),
      ...(column && {
        orderBy: true,
        orderByColumn: column,
        orderByDirection: direction === 'desc' ? 'DESC' : 'ASC',
      }),
    },
    counted
      ? postgres.counted(rowsOf(table, { ...where, ...counted.where }), counted.below)
      : postgres.found(rows, order, limit),
    { tries: 3, ...way },
  );
}

/** Rows without which a workflow goes on: with an empty item, or with why they could not be read. */
export const look = <T extends Table>(
  name: string,
  table: T | Expression,
  where: Where<T> = {},
  way: Reading<T> = {},
): Node => get(name, table, where, { once: true, always: true, goOn: true, ...way });

/** Leaves an item through if no row has these values. */
export function missing<T extends Table>(
  name: string,
  table: T,
  where: Partial<Record<Read<T> | Expression, Value>>,
  { choices, ...way }: TableWay = {},
): Node {
  const rows = rowsOf(table, where, { choices });
  return stored(name, inTable('rowNotExists', rows), postgres.notFound(rows), { tries: 3, ...way });
}

/** Deletes rows, and gives them. */
export function remove<T extends Table>(
  name: string,
  table: T | Expression,
  where: Where<T>,
  { choices, gives, ...way }: TableWay & { gives?: Read<T>[] } = {},
): Node {
  const rows = rowsOf(table, where, { choices, gives });
  return stored(name, { ...inTable('deleteRows', rows), options: {} }, postgres.deleted(rows), way);
}

/** Changes rows, and gives those that were changed. */
export function update<T extends Table>(
  name: string,
  table: T,
  where: Where<T>,
  row: Written<T>,
  { match, choices, together, gives, ...way }: TableWay & { gives?: Read<T>[] } = {},
): Node {
  const rows = rowsOf(table, where, { match, choices, together, gives });
  return stored(
    name,
    { ...inTable('update', rows), columns: mappedTo(table, row), options: {} },
    postgres.updated(rows, row),
    way,
  );
}

/**
 * Two nodes: a look at the next recipients, and a change of those that it has found and that are still so. Instead,
 * PostgreSQL changes as many as `limit`, but none if `most` portions, or more, are as the change makes them.
 */
export function claim(
  [look, change]: [look: string, change: string],
  where: Where<'sms_recipients'>,
  row: Partial<Record<Column<'sms_recipients'>, Value>>,
  { limit, most }: Record<'limit' | 'most', string>,
): [Node, Node] {
  const table = 'sms_recipients';
  const upTo = rowsOf(table, { ...where, 'id <=': `={{ $('${look}').last().json.id }}` });
  const rows = rowsOf(table, where, { gives: ['id', 'campaign', 'phone_number', 'parameters'] });
  const changed = { ...inTable('update', upTo), columns: mappedTo(table, row), options: {} };
  return [
    get(look, table, where, { order: 'id', limit, once: true, gives: ['id', 'sent_at'] }),
    stored(change, changed, postgres.claimed(rows, row, limit, most), { once: true }),
  ];
}

/** Changes the row with the same key, which is the unique index of the table, or adds one if there is none. */
export function upsert<T extends Table>(
  name: string,
  table: T,
  row: Written<T>,
  way: Way = {},
): Node {
  const [, ...key] =
    TABLES[table].indexes.find((each) => each.startsWith('unique '))?.split(' ') ?? [];
  const values: Partial<Record<string, Value>> = row ?? {};
  const same = key.map((column) => [column, values[column] ?? `={{ $json.${column} }}`]);
  return stored(
    name,
    {
      ...inTable('upsert', rowsOf(table, Object.fromEntries(same))),
      ...{ columns: mappedTo(table, row), options: {} },
    },
    postgres.inserted(table, row, key),
    way,
  );
}

const intoTable = <T extends Table>(table: T, row: Written<T>, options: IDataObject) => ({
  ...{ resource: 'row', operation: 'insert', dataTableId: named(table) },
  ...{ columns: mappedTo(table, row), options },
});

/** Adds a row for each item, and gives it. */
export const insert = <T extends Table>(
  name: string,
  table: T,
  row: Written<T>,
  way: Way = {},
): Node => stored(name, intoTable(table, row, {}), postgres.inserted(table, row), way);

/**
 * Adds the items as rows in one step, all or none. It gives how many, or these columns of the rows: a data table adds
 * them one by one then, because it gives no IDs otherwise.
 */
export const insertAll = <T extends Table>(
  name: string,
  table: T,
  { gives, ...way }: Way & { gives?: Read<T>[] } = {},
): Node =>
  stored(
    name,
    intoTable(table, AS_GIVEN, gives ? {} : { optimizeBulk: true }),
    postgres.insertedTogether(table, gives),
    way,
  );

/** Makes tables, each by a node of this name. */
export const makeTables = (tables: Record<string, Table>, way: Way = {}): Node[] =>
  Object.entries(tables).map(([name, table]) => create(name, table, way));

/** Makes a table, if it is not there. Of two executions that make it at once, n8n fails one, which tries again. */
const create = (name: string, table: Table, way: Way): Node =>
  stored(
    name,
    {
      resource: 'table',
      operation: 'create',
      tableName: table,
      columns: { column: columnsOf(table) },
      options: { createIfNotExists: true },
    },
    postgres.created(table),
    { once: true, tries: 3, ...way },
  );

/** The tables whose names have this in them. */
export const listTables = (name: string, filterName: string, way: Way = {}): Node =>
  stored(
    name,
    { resource: 'table', operation: 'list', returnAll: true, options: { filterName } },
    postgres.listed(filterName),
    { once: true, tries: 3, ...way },
  );
