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

/** What a column is compared by. `empty` and `filled` take no value. */
export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'like' | 'empty' | 'filled';

/** Column and operator may be expressions. */
export interface Condition {
  column: string;
  operator: string;
  value: unknown;
}

const hasValue = (operator: string) => operator !== 'empty' && operator !== 'filled';

/** Rows of a table. Where names are expressions, `choices` has all that these may give, in their order: `sms.inbox id`. */
export interface Rows {
  table: string;
  conditions: Condition[];
  /** One of the conditions is enough. */
  any?: boolean;
  choices?: readonly string[];
  /** They are given as one text. */
  packed?: boolean;
  /** The columns of the rows that it gives: all without it. */
  gives?: readonly string[];
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

/** Compares: null is a value, an underscore is one, and a column has its type. */
function comparison(table: string, column: string, operator: string, given: string): string {
  const types: Record<string, string> = { ...SYSTEM, ...TABLES[table as Table].columns };
  const type = types[column];
  const name = quoted(column);
  const filled = `NULLIF(${given}, '')`;
  const values: Record<string, string> = {
    ...{ id: `${filled}::bigint`, number: `${filled}::float8`, date: `${given}::timestamptz` },
    ...{ string: `${given}::text`, boolean: `${given}::boolean` },
  };
  const value = values[type ?? ''] ?? '';
  const pattern = `replace(replace(${value}, '\\', '\\\\'), '_', '\\_')`;
  const empty = type === 'string' ? `(${name} IS NULL OR ${name} = '')` : `${name} IS NULL`;
  const tests: Record<string, string> = {
    // Among many, only a plain comparison uses an index.
    '=': given.startsWith('$')
      ? `(${name} = ${value} OR (${name} IS NULL AND ${value} IS NULL))`
      : `${name} = ${value}`,
    '!=': `${name} IS DISTINCT FROM ${value}`,
    like: `${name} LIKE ${pattern}`,
    empty,
    filled: `NOT (${empty})`,
  };
  const test = /^[<>]=?$/.test(operator) ? `${name} ${operator} ${value}` : tests[operator];
  if (!type || !test) throw new Error(`${table} has no ${column} that is ${operator}.`);
  return test;
}

/** The items of the node before, for a node that runs once. */
export const ALL_ITEMS =
  '$($prevNode.name).all($prevNode.outputIndex, $prevNode.runIndex).map(({ json }) => json)';

/** The names that are expressions. */
function computedIn({ table, conditions }: Rows): string[] {
  const names = [table, ...conditions.flatMap((each) => [each.column, each.operator])];
  return [...new Set(names.filter((name) => name.startsWith('={{')))];
}

/** What a choice makes of the names. */
const choiceOf = (computed: string[]) => `[${computed.map(expressionOf).join(', ')}].join(' ')`;

/**
 * The first column of an index that has the rows with these columns by ID. With a plain comparison, PostgreSQL takes
 * it for as good to go through all rows by ID until enough of them fit, however late the first one comes.
 */
const leading = (table: string, equal: string[]): string | undefined =>
  TABLES[table as Table].byId.find((key) => key.every((column) => equal.includes(column)))?.[0];

/**
 * A table, the conditions in SQL, and the order by ID, by a choice.
 *
 * @param given where the values of the conditions are
 */
function chosen(rows: Rows, given: string[], choice = '') {
  const computed = computedIn(rows);
  const words = choice.split(' ');
  const nameOf = (name: string) =>
    computed.includes(name) ? String(words[computed.indexOf(name)]) : name;
  const table = nameOf(rows.table);
  const conditions = rows.conditions.map(({ column, operator }, index) => ({
    ...{ column: nameOf(column), operator: nameOf(operator), value: String(given[index]) },
  }));
  const equal = conditions.filter(({ operator }) => operator === '=' && !rows.any);
  const first = leading(
    table,
    equal.map(({ column }) => column),
  );
  const tests = conditions.map(({ column, operator, value }) =>
    operator === '=' && column === first
      ? `${quoted(column)} = ANY (ARRAY[${value}::text])`
      : comparison(table, column, operator, value),
  );
  return {
    table,
    where: tests.join(rows.any ? ' OR ' : ' AND ') || 'true',
    byId: (direction = 'ASC') =>
      [...(first ? [`"${first}" ${direction}`] : []), `id ${direction}`].join(', '),
  };
}

/** The choices, if names are computed. */
function choicesOf({ choices, ...rows }: Rows): readonly string[] {
  const computed = computedIn(rows);
  if (computed.length > 0 && !choices) throw new Error(`What may ${computed.join(' and ')} give?`);
  return choices ?? [];
}

/**
 * A statement about rows. Where names are computed, n8n chooses among the statements of all choices; of any other
 * choice, PostgreSQL knows no column.
 *
 * @param values before those of the conditions
 * @param make puts the table and the conditions into the statement
 */
function about(
  rows: Rows,
  values: string[],
  make: (table: string, where: string, byId: (direction?: string) => string) => string,
): Statement {
  const given = rows.conditions.map(({ operator, value }) =>
    hasValue(operator) ? `$${values.push(expressionOf(value))}` : '',
  );
  const made = (choice?: string) => {
    const { table, where, byId } = chosen(rows, given, choice);
    return make(table, where, byId);
  };
  const all = choicesOf(rows).map(
    (each) => `${JSON.stringify(each)}: ${JSON.stringify(made(each))}`,
  );
  if (all.length === 0) return { query: made(), values };
  const choice = choiceOf(computedIn(rows));
  return {
    query: asExpression(`({ ${all.join(', ')} })[${choice}] ?? 'SELECT no_such_choice'`),
    values,
  };
}

/** A change that gives its rows. A bare one without any would give an item that says “success”. */
const changed = (change: string, gives?: readonly string[]) =>
  `WITH changed AS (${change} RETURNING ${namesOf(gives)}) SELECT * FROM changed ORDER BY id`;

const namesOf = (columns?: readonly string[]) => (columns ? listOf(columns) : '*');

/** Of two executions that add rows at once, one waits: whoever sees a row sees all with a lower ID. */
const added = (table: Table, columns: string[], rows: string) =>
  `INSERT INTO ${table} (${listOf(columns)}) SELECT ${listOf(columns)}
FROM (SELECT pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('${table}')) OFFSET 0) AS turn,
  ${rows}`;

/** The columns that are written: all of the table, if the item is the row. */
const columnsIn = (table: string, row: Written) =>
  Object.keys(row ?? TABLES[table as Table].columns);

/** The expression of a row. */
function rowOf(row: Written): string {
  const values = Object.entries(row ?? {}).map(
    ([name, value]) => `${JSON.stringify(name)}: (${expressionOf(value)}) ?? null`,
  );
  return row ? `{ ${values.join(', ')} }` : '$json';
}

/** Only what the row names is changed. */
function setting(table: string, columns: string[], row: Written): string {
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

export function updated(rows: Rows, row: Written): Statement {
  return about(rows, [rowOf(row)], (table, where) => {
    const columns = columnsIn(table, row);
    return changed(`UPDATE ${table} ${setting(table, columns, row)} WHERE ${where}`, rows.gives);
  });
}

export const deleted = (rows: Rows): Statement =>
  about(rows, [], (table, where) => changed(`DELETE FROM ${table} WHERE ${where}`, rows.gives));

/** @param order a column, and `desc` behind it for the highest first */
export function found(rows: Rows, order = 'id', limit?: unknown): Statement {
  const [column = '', direction = 'asc'] = order.split(' ');
  const by = direction.toUpperCase();
  const names = namesOf(rows.gives);
  const isDistinct = rows.gives?.includes('id') === false;
  const ordered = (byId: (direction: string) => string) => {
    if (isDistinct) return names;
    return column === 'id' ? byId(by) : `${quoted(column)} ${by}, id`;
  };
  const values = limit === undefined ? [] : [expressionOf(limit)];
  const most = limit === undefined ? '' : ' LIMIT NULLIF($1::bigint, 0)';
  return about(rows, values, (table, where, byId) => {
    const look = `SELECT ${isDistinct ? 'DISTINCT ' : ''}${names} FROM ${table} WHERE ${where} ORDER BY ${ordered(byId)}${most}`;
    return rows.packed ? `SELECT json_agg(row)::text AS packed FROM (${look}) AS row` : look;
  });
}
