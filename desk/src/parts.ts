/** What only the desk's workflows are made of, beside `builder/parts.ts`: its pages, its tables, and its inbox. */
import type { IDataObject, WorkflowSettings } from '@n8n/workflow-sdk';

import { base, fields, num, sms } from '../../builder/parts';
import type { Node, Typed, Value, Way } from '../../builder/parts';
import { columnsOf, CONDITIONS, hasValue, SETTINGS, TABLES } from '../tables.mjs';
import type { Column, SYSTEM, Table } from '../tables.mjs';
import { KEPT } from '../update.mjs';

export * from '../../builder/parts';
export type { Workflow as DeskWorkflow } from '../../builder/parts';

/** No execution is kept but one that fails. */
export const ONLY_FAILURES: WorkflowSettings = {
  saveDataSuccessExecution: 'none',
  saveDataErrorExecution: 'all',
  saveExecutionProgress: false,
};

/** All records of a kind. */
export const allOf = (name: string, resource: 'template' | 'signature', way: Way = {}): Node =>
  sms(name, { resource, operation: 'getAll', returnAll: true }, { once: true, ...way });

/** What the service said last, as *SMS · Service* has stored it. A page asks nobody, so it comes also while the service hangs. */
export const saidOf = (name: string, what: 'balance' | 'template' | 'signature'): Node =>
  get(
    name,
    'sms_service',
    { what, 'asked >': '={{ $now.minus({ minutes: 15 }).toISO() }}' },
    { limit: 1, once: true, always: true, goOn: true },
  );

/** Puts the workflow on the list of those that the inbox hands records to. */
export const subscribe = (wants: 'all' | 'deliveryReport' | 'reply'): Node =>
  upsert(
    'Subscribe',
    'sms_subscribers',
    { workflow_id: '={{ $workflow.id }}' },
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

/** Sets fields that their owner may change. Some depend on the store. */
export function settings(
  name: string,
  values: Record<string, Value | Typed> = {},
  way: Parameters<typeof fields>[2] = {},
): Node {
  const byStore = Object.entries(SETTINGS[name as keyof typeof SETTINGS] ?? {});
  const own = byStore.map(([field, [value]]) => [field, num(value)]);
  return fields(name, { ...values, ...Object.fromEntries(own) }, { ...OWNERS, ...way });
}

// Data tables

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
export const AS_GIVEN = 'as given';

/** A condition in n8n's form. */
function conditionsOf(where: object): IDataObject[] {
  const names: Record<string, string> = CONDITIONS;
  return Object.entries(where as Record<string, Value | Value[]>).flatMap(([what, values]) => {
    const [, keyName, operator = '='] = /^(=\{\{.*?\}\}|\w+)(?: (.+))?$/.exec(what) ?? [];
    const condition = names[operator] ?? operator;
    return [values]
      .flat()
      .map((keyValue) => ({ keyName, condition, ...(hasValue(condition) && { keyValue }) }));
  });
}

interface TableWay extends Way {
  /** `anyCondition`, if one of the conditions is enough. */
  match?: string;
}

const named = (table: string) => ({ __rl: true, mode: 'name', value: table });

function inTable<T extends Table>(
  operation: string,
  table: T | Expression,
  where: Where<T>,
  match = 'allConditions',
) {
  const filters = { conditions: conditionsOf(where) };
  return { resource: 'row', operation, dataTableId: named(table), matchType: match, filters };
}

function mappedTo<T extends Table>(table: T, row: Written<T>): IDataObject {
  if (row === AS_GIVEN) {
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
}

/** Rows of a table: each item asks. A failed look is repeated. */
export function get<T extends Table>(
  name: string,
  table: T | Expression,
  where: Where<T> = {},
  { order, limit, match, ...way }: Reading<T> = {},
): Node {
  const [column, direction] = order?.split(' ') ?? [];
  return base(
    'dataTable',
    name,
    {
      ...inTable('get', table, where, match),
      ...(limit === undefined ? { returnAll: true } : { returnAll: false, limit }),
      ...(column && {
        orderBy: true,
        orderByColumn: column,
        orderByDirection: direction === 'desc' ? 'DESC' : 'ASC',
      }),
    },
    { tries: 3, ...way },
  );
}

/** Leaves an item through if no row has these values. n8n takes every condition of it for “equals”. */
export const missing = <T extends Table>(
  name: string,
  table: T,
  where: Where<T>,
  way: Way = {},
): Node => base('dataTable', name, inTable('rowNotExists', table, where), { tries: 3, ...way });

/** Deletes rows, and gives them. */
export const remove = <T extends Table>(
  name: string,
  table: T | Expression,
  where: Where<T>,
  way: Way = {},
): Node => base('dataTable', name, { ...inTable('deleteRows', table, where), options: {} }, way);

/** Changes rows, and gives those that were changed. */
export const update = <T extends Table>(
  name: string,
  table: T,
  where: Where<T>,
  row: Written<T>,
  { match, ...way }: TableWay = {},
): Node =>
  base(
    'dataTable',
    name,
    { ...inTable('update', table, where, match), columns: mappedTo(table, row), options: {} },
    way,
  );

/** Changes rows, or adds one if there are none. */
export const upsert = <T extends Table>(
  name: string,
  table: T,
  where: Where<T>,
  row: Written<T>,
  way: Way = {},
): Node =>
  base(
    'dataTable',
    name,
    { ...inTable('upsert', table, where), columns: mappedTo(table, row), options: {} },
    way,
  );

/** Adds rows, and gives them; `all at once` in one step, all or none, which gives no IDs. */
export const insert = <T extends Table>(
  name: string,
  table: T,
  row: Written<T>,
  { atOnce, ...way }: Way & { atOnce?: boolean } = {},
): Node =>
  base(
    'dataTable',
    name,
    {
      resource: 'row',
      operation: 'insert',
      dataTableId: named(table),
      columns: mappedTo(table, row),
      options: atOnce ? { optimizeBulk: true } : {},
    },
    way,
  );

/** Makes tables, each by a node of this name. */
export const makeTables = (tables: Record<string, Table>, way: Way = {}): Node[] =>
  Object.entries(tables).map(([name, table]) => create(name, table, way));

/** Makes a table, if it is not there. Of two executions that make it at once, n8n fails one, which tries again. */
const create = (name: string, table: Table, way: Way): Node =>
  base(
    'dataTable',
    name,
    {
      resource: 'table',
      operation: 'create',
      tableName: table,
      columns: { column: columnsOf(table) },
      options: { createIfNotExists: true },
    },
    { once: true, tries: 3, ...way },
  );

/** The tables whose names have this in them. */
export const listTables = (name: string, filterName: string, way: Way = {}): Node =>
  base(
    'dataTable',
    name,
    { resource: 'table', operation: 'list', returnAll: true, options: { filterName } },
    { once: true, tries: 3, ...way },
  );
