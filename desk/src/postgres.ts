/** What the nodes of tables run: statements, and the expressions of their values, which are $1, $2, … */
import type { IDataObject } from '@n8n/workflow-sdk';

import { SYSTEM, TABLES } from './tables';
import type { Table } from './tables';

export interface Statement {
  query: string;
  values: string[];
  /** It takes all items by itself. */
  once?: boolean;
  /** It runs for each item in one transaction: all or none. */
  together?: boolean;
}

/** What a column is compared by. `filled` takes no value. */
export type Operator = '=' | '<' | '<=' | '>' | '>=' | 'filled';

export interface Condition {
  column: string;
  operator: string;
  value: unknown;
}

/** The rows of a table for which all conditions hold. */
export interface Rows {
  table: Table;
  conditions: Condition[];
}

/** The values of a row, by its columns: undefined if the item is the row. */
export type Written = object | undefined;

/**
 * A text of a value, as PostgreSQL takes it: a row is JSON, and no text has a zero byte or half of a character. It
 * has no `?.`, which n8n rewrites in expressions that call `first()` and the like.
 */
const AS_TEXT = String.raw`((clean) => (value) => value === undefined || value === null || Number.isNaN(value) ? null : typeof value !== 'object' || 'toISO' in value ? clean(String(value)) : 'toISOString' in value ? value.toISOString() : JSON.stringify(value, (key, each) => (typeof each === 'string' ? clean(each) : each)))((text) => text.replaceAll('\0', '').toWellFormed())`;

/** The parameters of a node that runs the statement. */
export const running = ({ query, values, together }: Statement): IDataObject => ({
  operation: 'executeQuery',
  query,
  options: {
    ...(together && { queryBatching: 'transaction' }),
    ...(values.length > 0 && {
      queryReplacement: asExpression(`[${values.join(', ')}].map(${AS_TEXT})`),
    }),
  },
});

/** n8n takes two braces for the end of an expression. */
const asExpression = (text: string) => `={{ ${text.replace(/\}(?=\})/g, '} ')} }}`;

const isExpression = (value: unknown) => typeof value === 'string' && value.startsWith('=');

/** The text of an expression within n8n's braces. Text around them becomes a part of it; a fixed value, JSON. */
function expressionOf(value: unknown): string {
  if (!isExpression(value)) return JSON.stringify(value ?? null);
  const parts = String(value)
    .slice(1)
    .split(/(\{\{.*?\}\})/s);
  const texts = parts
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{{') ? part.slice(2, -2).trim() : JSON.stringify(part)));
  return texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}].join('')`;
}

const quoted = (name: string) => `"${name}"`;
const listOf = (names: readonly string[]) => names.map(quoted).join(', ');

/** Compares: null is a value, and a column has its type. */
function comparison(table: Table, { column, operator }: Condition, given: string): string {
  const types: Record<string, string> = { ...SYSTEM, ...TABLES[table].columns };
  const name = quoted(column);
  const filled = `NULLIF(${given}, '')`;
  const values: Record<string, string> = {
    ...{ id: `${filled}::bigint`, number: `${filled}::float8`, date: `${given}::timestamptz` },
    ...{ string: `${given}::text`, boolean: `${given}::boolean` },
  };
  const value = values[types[column] ?? ''];
  if (!value) throw new Error(`${table} has no ${column}.`);
  if (operator === 'filled') return `${name} <> ''`;
  if (operator !== '=') return `${name} ${operator} ${value}`;
  return `(${name} = ${value} OR (${name} IS NULL AND ${value} IS NULL))`;
}

/** The items of the node before, for a node that runs once. */
export const ALL_ITEMS =
  '$($prevNode.name).all($prevNode.outputIndex, $prevNode.runIndex).map(({ json }) => json)';

/**
 * A statement about rows.
 *
 * @param values before those of the conditions
 * @param make puts the conditions into the statement
 */
function about(
  { table, conditions }: Rows,
  values: string[],
  make: (where: string) => string,
): Statement {
  const tests = conditions.map((each) =>
    comparison(
      table,
      each,
      each.operator === 'filled' ? '' : `$${values.push(expressionOf(each.value))}`,
    ),
  );
  return { query: make(tests.join(' AND ') || 'true'), values };
}

/** A change that gives its rows. A bare one without any would give an item that says “success”. */
const changed = (change: string) =>
  `WITH changed AS (${change} RETURNING *) SELECT * FROM changed ORDER BY id`;

/** Of two executions that add rows at once, one waits: whoever sees a row sees all with a lower ID. */
const added = (table: Table, columns: string[], rows: string) =>
  `INSERT INTO ${table} (${listOf(columns)}) SELECT ${listOf(columns)}
FROM (SELECT pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('${table}')) OFFSET 0) AS turn,
  ${rows}`;

/** The columns that are written: all of the table, if the item is the row. */
const columnsIn = (table: Table, row: Written) => Object.keys(row ?? TABLES[table].columns);

/** The expression of a row. */
function rowOf(row: Written): string {
  const values = Object.entries(row ?? {}).map(
    ([name, value]) => `${JSON.stringify(name)}: (${expressionOf(value)}) ?? null`,
  );
  return row ? `{ ${values.join(', ')} }` : '$json';
}

/** Only what the row names is changed. */
function setting(table: Table, columns: string[], row: Written): string {
  const there = row ? `NULL::${table}` : table.split('.')[1];
  const values = `json_populate_record(${there}, $1::json)`;
  return `SET (${listOf(columns)}) = (SELECT ${listOf(columns)} FROM ${values}), "updatedAt" = clock_timestamp()`;
}

/** @param key the columns of which no two rows have the same: the row that has them is changed */
export function inserted(table: Table, row: Written, key: string[] = []): Statement {
  const columns = columnsIn(table, row);
  const change = added(table, columns, `json_populate_record(NULL::${table}, $1::json)`);
  const conflict =
    key.length > 0 ? ` ON CONFLICT (${listOf(key)}) DO UPDATE ${setting(table, columns, row)}` : '';
  return { query: changed(change + conflict), values: [rowOf(row)] };
}

export const updated = (rows: Rows, row: Written): Statement =>
  about(rows, [rowOf(row)], (where) => {
    const { table } = rows;
    return changed(`UPDATE ${table} ${setting(table, columnsIn(table, row), row)} WHERE ${where}`);
  });

export const deleted = (rows: Rows): Statement =>
  about(rows, [], (where) => changed(`DELETE FROM ${rows.table} WHERE ${where}`));

/** @param order a column, and `desc` behind it for the highest first */
export function found(rows: Rows, order = 'id', limit?: number): Statement {
  const most = limit === undefined ? '' : ` LIMIT ${limit}`;
  return about(
    rows,
    [],
    (where) => `SELECT * FROM ${rows.table} WHERE ${where} ORDER BY ${order}${most}`,
  );
}
