/** What only the desk's workflows are made of, beside `builder/parts.ts`: its pages, its tables, and its inbox. */
import type { IDataObject, WorkflowSettings } from '@n8n/workflow-sdk';

import { callOf } from '../../builder/expression';
import { base, fields, sms } from '../../builder/parts';
import type { Node, Value, Way } from '../../builder/parts';
import { TABLES } from './tables';
import type { Column, SYSTEM, Table } from './tables';
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

/** What the service said last. One try: n8n repeats a node whose first item has a field `error`, even an empty one. */
export const saidOf = (name: string, what: 'balance' | 'template' | 'signature'): Node =>
  reads(name, `SELECT * FROM sms.service_lately WHERE what = '${what}'`, [], { tries: 1 });

/** Puts the workflow on the list of those that the inbox hands records to. */
export const subscribe = (wants: 'all' | 'deliveryReport' | 'reply'): Node =>
  upsert(
    'Subscribe',
    'sms.subscribers',
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

/** Sets fields that their owner may change. */
export const settings = (name: string, ...[values, way]: OfFields): Node =>
  fields(name, values, { ...OWNERS, ...way });

type OfFields = Parameters<typeof fields> extends [string, ...infer Others] ? Others : never;

// Tables

/** A node that runs a statement. */
export const runs = (name: string, statement: postgres.Statement, way: Way = {}): Node =>
  base('postgres', name, postgres.running(statement), {
    ...{ ...way, needs: 'postgres' },
    ...(statement.once && { once: true }),
  });

/** Conditions of rows: a column, or a column and an operator such as `sent_at <=`, and the value. */
export type Where<T extends Table> = Partial<
  Record<`${Read<T>}${'' | ` ${postgres.Operator}`}`, Value>
>;

/** A column that is read. */
type Read<T extends Table> = Column<T> | keyof typeof SYSTEM;

/** Values of a row: its columns, or `AS_GIVEN`, those of the item. */
export type Written<T extends Table> = Partial<Record<Column<T>, Value>> | typeof AS_GIVEN;
export const AS_GIVEN = undefined;

const rowsOf = (table: Table, where: object): postgres.Rows => ({
  table,
  conditions: Object.entries(where).map(([what, value]) => {
    const [column = '', operator = '='] = what.split(' ');
    return { column, operator, value: value as unknown };
  }),
});

interface Reading<T extends Table> extends Way {
  /** A column, and `desc` behind it for the highest first. */
  order?: `${Read<T>}${'' | ' desc'}`;
  /** The number of rows, all without it. */
  limit?: number;
}

/** Rows of a table: each item asks. A failed look is repeated. */
export const get = <T extends Table>(
  name: string,
  table: T,
  where: Where<T> = {},
  { order, limit, ...way }: Reading<T> = {},
): Node => runs(name, postgres.found(rowsOf(table, where), order, limit), { tries: 3, ...way });

/** Rows without which a workflow goes on: with an empty item, or with why they could not be read. */
export const look = <T extends Table>(
  name: string,
  table: T,
  where: Where<T> = {},
  way: Reading<T> = {},
): Node => get(name, table, where, { once: true, always: true, goOn: true, ...way });

/** The same of any statement. @param values the expressions of $1, $2, … */
export const reads = (name: string, query: string, values: string[] = [], way: Way = {}): Node =>
  runs(name, { query, values }, { once: true, always: true, goOn: true, tries: 3, ...way });

/** The thresholds that hold, as an expression, behind a node *Thresholds* with their rows. */
export const HELD = callOf(
  'desk/src/common/messages/thresholds',
  'thresholdsIn',
  "$('Thresholds').all()",
);

/** The rules that hold for each class of messages. */
export const rulesInForce = (name: string): Node => reads(name, 'SELECT * FROM sms.rules_in_force');

/** How full the tables are whose rows go. */
export const sizes = (name: string): Node => reads(name, 'SELECT * FROM sms.sizes()');

/** Deletes rows, and gives them. */
export const remove = <T extends Table>(
  name: string,
  table: T,
  where: Where<T>,
  way: Way = {},
): Node => runs(name, postgres.deleted(rowsOf(table, where)), way);

/** Changes rows, and gives those that were changed. */
export const update = <T extends Table>(
  name: string,
  table: T,
  where: Where<T>,
  row: Written<T>,
  way: Way = {},
): Node => runs(name, postgres.updated(rowsOf(table, where), row), way);

/** Changes the row with the same key, which is the unique index of the table, or adds one if there is none. */
export function upsert<T extends Table>(
  name: string,
  table: T,
  row: Written<T>,
  way: Way = {},
): Node {
  return runs(name, postgres.inserted(table, row, [...TABLES[table].key]), way);
}

/** Notes that the schedule of the workflow has started it. It is the first that a schedule leads to. */
export const heartbeat = (name: string, minutes: number): Node =>
  upsert(
    'Heartbeat',
    'sms.heartbeats',
    { name: `SMS · ${name}`, workflow_id: '={{ $workflow.id }}', minutes },
    { goOn: true },
  );

/** Adds a row for each item, and gives it. */
export const insert = <T extends Table>(
  name: string,
  table: T,
  row: Written<T>,
  way: Way = {},
): Node => runs(name, postgres.inserted(table, row), way);
