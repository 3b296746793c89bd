// The desk on PostgreSQL: the same workflows with another store. Each Data Table node becomes a Postgres node of
// the same name that does the same with a table of the same name. `install.mjs --store postgres` imports them so.

/** @typedef {{ name: string, type: string, typeVersion: number, parameters: Record<string, any> }} Node */
/** @typedef {{ id?: string, nodes: Node[] }} Workflow */
/** @typedef {{ types: Record<string, string>, keys: string[] }} Table `keys`: the columns by which it is upserted */
/** @typedef {Record<string, Table>} Tables by name */
/** @typedef {[column: string, condition: string, place: number]} Condition `place` is that of its value: $1, $2, … */

/** The types of columns in PostgreSQL. Text is compared byte by byte, as data tables do. */
const TYPES = {
  string: 'text COLLATE "C"',
  number: 'double precision',
  boolean: 'boolean',
  date: 'timestamptz(3)',
};

/** The columns that every table has. */
const SYSTEM = { id: 'id', createdAt: 'date', updatedAt: 'date' };

/** What is looked up in tables that grow: a method, and columns. A hash takes a value of any length. */
const INDEXES = {
  sms_inbox: ['hash run', 'hash phone_number', 'hash batch_id'],
  sms_outbox: ['hash phone_number', 'hash key', 'btree status sent_at', 'btree createdAt'],
  sms_recipients: ['btree campaign id', 'btree campaign status id', 'btree status changed'],
  sms_resends: ['btree recipient'],
  sms_questions: ['hash phone_number', 'hash reply'],
};

/**
 * What is different besides the tables: fields of Edit Fields nodes, by workflow and node. The room in MB
 * stands for n8n's limit of data tables. With indexes, 5,000 numbers and keys are few enough to be looked up one by one.
 */
const SETTINGS = {
  'sms-upkeep': { 'How long to keep': { megabytes: 20_000, megabytes_of_n8n: 40_000 } },
  'sms-outbox': { 'How many are few': { few: 5_000 } },
};

const isTable = ({ type }) => type === 'n8n-nodes-base.dataTable';

const quoted = (name) => `"${name}"`;

const listOf = (names) => names.map(quoted).join(', ');

/**
 * The tables that workflows make, with the columns by which they are upserted.
 *
 * @param {Workflow[]} workflows all of the desk
 * @returns {Tables}
 */
export function tablesOf(workflows) {
  const nodes = workflows.flatMap((workflow) => workflow.nodes.filter(isTable));
  /** @type {Tables} */
  const tables = {};
  for (const { parameters } of nodes) {
    if (parameters.operation !== 'create') continue;
    const columns = parameters.columns.column.map(({ name, type }) => [name, type]);
    tables[parameters.tableName] = { types: Object.fromEntries(columns), keys: [] };
  }
  for (const { parameters } of nodes) {
    const { keys } = tables[parameters.dataTableId?.value] ?? {};
    if (parameters.operation !== 'upsert' || !keys) continue;
    const key = parameters.filters.conditions.map(({ keyName }) => keyName).join(' ');
    if (!keys.includes(key)) keys.push(key);
  }
  return tables;
}

/**
 * The workflow on PostgreSQL.
 *
 * @template {Workflow} W
 * @param {W} workflow
 * @param {Tables} tables of the whole desk
 * @returns {W}
 */
export function toPostgres(workflow, tables) {
  const settings = { ...SETTINGS[workflow.id] };
  const nodes = workflow.nodes.map((node) => {
    const values = settings[node.name];
    delete settings[node.name];
    if (values) return withValues(node, values);
    return isTable(node) ? converted(node, tables) : node;
  });
  const [gone] = Object.keys(settings);
  if (gone) throw new Error(`${workflow.id} has no node ${gone}.`);
  return { ...workflow, nodes };
}

/** @param {Node} node an Edit Fields node @param {Record<string, number>} values of its fields */
function withValues(node, values) {
  const { assignments } = node.parameters.assignments;
  const gone = Object.keys(values).find((name) => !assignments.some((each) => each.name === name));
  if (gone) throw new Error(`${node.name} has no field ${gone}.`);
  const changed = assignments.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
  return { ...node, parameters: { ...node.parameters, assignments: { assignments: changed } } };
}

/** The parameters that are understood, beside those that choose the operation. */
const KNOWN = {
  get: 'matchType filters returnAll limit orderBy orderByColumn orderByDirection',
  rowNotExists: 'matchType filters',
  insert: 'columns options',
  update: 'matchType filters columns options',
  upsert: 'matchType filters columns options',
  deleteRows: 'matchType filters options',
  create: 'tableName columns options',
  list: 'returnAll options',
};

/** The options that are understood. A table is always made only if it is missing. */
const OPTIONS = { insert: 'optimizeBulk', create: 'createIfNotExists', list: 'filterName' };

/** @param {Node} node @param {Tables} tables */
function converted(node, tables) {
  const { resource, operation, dataTableId, ...others } = node.parameters;
  const no = (what) => new Error(`${node.name}: ${what} has no counterpart in PostgreSQL.`);
  const check = (given, known = '') => {
    const strange = Object.keys(given).find((name) => !known.split(' ').includes(name));
    if (strange) throw no(`the parameter ${strange}`);
  };
  if (!KNOWN[operation]) throw no(`the operation ${operation} of a ${resource}`);
  check(others, KNOWN[operation]);
  check(others.options ?? {}, OPTIONS[operation]);
  if (dataTableId && dataTableId.mode !== 'name') throw no('a table that has no name');
  const statement = new Statement(node.parameters, tables, no);
  const { query, values } = statement[operation]();
  return {
    ...node,
    // All rows go at once, from the items of the node before.
    ...(others.options?.optimizeBulk && { executeOnce: true }),
    type: 'n8n-nodes-base.postgres',
    typeVersion: 2.6,
    parameters: {
      operation: 'executeQuery',
      query,
      options: values.length > 0 ? { queryReplacement: valuesOf(values) } : {},
    },
    credentials: { postgres: { id: null, name: 'Postgres account' } },
  };
}

/**
 * The text of an expression within n8n's braces. Text around them becomes a part of it; a fixed value, JSON.
 *
 * @param {unknown} value
 */
function expressionOf(value) {
  if (typeof value !== 'string' || !value.startsWith('=')) return JSON.stringify(value ?? null);
  const parts = value.slice(1).split(/(\{\{.*?\}\})/s);
  const texts = parts
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{{') ? part.slice(2, -2).trim() : JSON.stringify(part)));
  return texts.length === 1 ? texts[0] : `[${texts.join(', ')}].join('')`;
}

/** n8n takes two braces for the end of an expression. */
const asExpression = (text) => `={{ ${text.replace(/\}(?=\})/g, '} ')} }}`;

/**
 * The values of a query: texts, and rows as JSON. PostgreSQL takes no zero byte and no half of a character.
 *
 * @param {string[]} expressions
 */
const valuesOf = (expressions) =>
  asExpression(`[${expressions.join(', ')}].map(${String(valueOf)})`);

/* The next two functions run in n8n too, as parts of expressions: they use nothing around them, and no `?.`,
   which n8n rewrites in expressions that call `first()` and the like. */

function valueOf(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return null;
  const clean = (text) => text.replaceAll('\0', '').toWellFormed();
  if (typeof value !== 'object' || 'toISO' in value) return clean(String(value));
  if ('toISOString' in value) return value.toISOString();
  return JSON.stringify(value, (key, each) => (typeof each === 'string' ? clean(each) : each));
}

/**
 * A statement with its table and conditions. A name that is none of a table's makes PostgreSQL refuse it.
 *
 * @param {string} statement with @table and @where
 * @param {Record<string, Record<string, string>>} types of the columns of the tables that it may be
 * @param {string} table
 * @param {boolean} isAny whether one condition is enough
 * @param {Condition[]} conditions
 */
function complete(statement, types, table, isAny, conditions) {
  const nameOf = (name) => '"' + String(name).replace(/\W/g, '_') + '"';
  const where = conditions.map(([column, condition, place]) => {
    const name = nameOf(column);
    const type = (types[table] ?? {})[column];
    const number = `NULLIF($${place}, '')`;
    const value =
      { id: number + '::bigint', number: number + '::float8', date: `$${place}::timestamptz` }[
        type
      ] ?? `$${place}::${type === 'boolean' ? type : 'text'}`;
    const pattern = `replace(replace(${value}, '\\', '\\\\'), '_', '\\_')`;
    const empty = type === 'string' ? `(${name} IS NULL OR ${name} = '')` : `${name} IS NULL`;
    const sql = {
      eq: `(${name} = ${value} OR (${name} IS NULL AND ${value} IS NULL))`,
      neq: `${name} IS DISTINCT FROM ${value}`,
      gt: `${name} > ${value}`,
      gte: `${name} >= ${value}`,
      lt: `${name} < ${value}`,
      lte: `${name} <= ${value}`,
      like: `${name} LIKE ${pattern}`,
      ilike: `${name} ILIKE ${pattern}`,
      isEmpty: empty,
      isNotEmpty: `NOT (${empty})`,
      isTrue: `${name} IS TRUE`,
      isFalse: `${name} IS FALSE`,
    };
    return sql[condition] ?? `no_condition_${nameOf(condition)}`;
  });
  const all = where.length > 0 ? where.join(isAny ? ' OR ' : ' AND ') : 'true';
  return statement.replaceAll('@table', nameOf(table)).replace('@where', () => all);
}

/** The SQL of the operations, and the expressions of its values. */
class Statement {
  /** @param {Record<string, any>} parameters @param {Tables} tables @param {(what: string) => Error} no */
  constructor(parameters, tables, no) {
    this.parameters = parameters;
    this.tables = tables;
    this.no = no;
    this.name = parameters.tableName ?? parameters.dataTableId?.value;
    /** @type {string[]} */
    this.values = [];
    if (this.name && !this.name.startsWith('=') && !tables[this.name]) {
      throw no(`the table ${this.name}, which no workflow makes,`);
    }
  }

  /** @param {string} expression */
  place(expression) {
    return this.values.push(expression);
  }

  /** The types of these columns, or of all if one is an expression, in the tables that it may be. */
  typesOf(columns) {
    const names = this.name.startsWith('=') ? Object.keys(this.tables) : [this.name];
    const isAsked = (column) => columns.some((each) => each === column || each.startsWith('='));
    const tables = names.map((name) => {
      const types = Object.entries({ ...SYSTEM, ...this.tables[name].types });
      return [name, Object.fromEntries(types.filter(([column]) => isAsked(column)))];
    });
    return Object.fromEntries(
      tables.filter(([, types]) => columns.every((each) => each.startsWith('=') || each in types)),
    );
  }

  /**
   * @param {string} statement with @table and @where
   * @param {string} [item] the expression of what stands for @item in it
   */
  made(statement, item) {
    const { matchType = 'anyCondition', filters: { conditions = [] } = {} } = this.parameters;
    /** @type {Condition[]} */
    const placed = conditions.map(({ keyName = 'id', condition = 'eq', keyValue = '' }) => {
      const hasValue = !['isEmpty', 'isNotEmpty', 'isTrue', 'isFalse'].includes(condition);
      return [keyName, condition, hasValue ? this.place(expressionOf(keyValue)) : 0];
    });
    const { name, values } = this;
    const types = this.typesOf(placed.map(([column]) => column));
    const isFixed = ![name, matchType, ...placed.flat()].some((each) => String(each)[0] === '=');
    if (isFixed && !item) {
      return {
        query: complete(statement, types, name, matchType === 'anyCondition', placed),
        values,
      };
    }
    const computed = placed.map(
      ([column, condition, place]) =>
        `[${expressionOf(column)}, ${expressionOf(condition)}, ${place}]`,
    );
    const given = [
      ...[JSON.stringify(statement), JSON.stringify(types), expressionOf(name)],
      ...[`${expressionOf(matchType)} === 'anyCondition'`, `[${computed.join(', ')}]`],
    ];
    const query = `(${String(complete)})(${given.join(', ')})`;
    return {
      query: asExpression(item ? `${query}.replace('@item', () => ${item})` : query),
      values,
    };
  }

  requireConditions() {
    if (!this.parameters.filters.conditions?.length) throw this.no('a change of all rows');
  }

  /** A change that gives its rows. A bare one without any would give an item that says “success”. */
  changed(change) {
    return this.made(`WITH changed AS (${change} RETURNING *) SELECT * FROM changed ORDER BY id`);
  }

  /** The columns that are written, and the expression of the row that has them. */
  row() {
    const { mappingMode, value } = this.parameters.columns;
    if (mappingMode === 'autoMapInputData') {
      return { columns: Object.keys(this.tables[this.name].types), row: '$json' };
    }
    const fields = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}: (${expressionOf(each)}) ?? null`,
    );
    return { columns: Object.keys(value), row: `{ ${fields.join(', ')} }` };
  }

  /**
   * Of two executions that add rows at once, one waits: whoever sees a row sees all with a lower ID.
   *
   * @param {string[]} columns
   * @param {string} rows
   */
  added(columns, rows) {
    return `INSERT INTO @table (${listOf(columns)}) SELECT ${listOf(columns)}
FROM (SELECT pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('${this.name}')) OFFSET 0) AS turn,
  ${rows}`;
  }

  insert() {
    const { columns, row } = this.row();
    if (!this.parameters.options.optimizeBulk) {
      const place = this.place(row);
      return this.changed(
        this.added(columns, `json_populate_record(NULL::@table, $${place}::json)`),
      );
    }
    if (row !== '$json') throw this.no('a value for all rows at once');
    const place = this.place(
      '$($prevNode.name).all($prevNode.outputIndex, $prevNode.runIndex).map(({ json }) => json)',
    );
    const rows = `json_populate_recordset(NULL::@table, $${place}::json)`;
    return this.made(`WITH added AS (${this.added(columns, rows)} RETURNING 1)
SELECT true AS success, count(*)::integer AS "insertedRows" FROM added`);
  }

  /** Only what the row names is changed. */
  setting(columns, place) {
    const isGiven = this.parameters.columns.mappingMode === 'autoMapInputData';
    const row = `json_populate_record(${isGiven ? '@table' : 'NULL::@table'}, $${place}::json)`;
    const names = listOf(columns);
    return `SET (${names}) = (SELECT ${names} FROM ${row}), "updatedAt" = clock_timestamp()`;
  }

  update() {
    this.requireConditions();
    const { columns, row } = this.row();
    return this.changed(`UPDATE @table ${this.setting(columns, this.place(row))} WHERE @where`);
  }

  upsert() {
    const { columns, row } = this.row();
    const { conditions } = this.parameters.filters;
    const { value } = this.parameters.columns;
    for (const { keyName, condition, keyValue } of conditions) {
      const own = value ? value[keyName] : `={{ $json.${keyName} }}`;
      if (condition !== 'eq' || own !== keyValue) throw this.no(`an upsert by another ${keyName}`);
    }
    this.parameters = { ...this.parameters, filters: undefined };
    const place = this.place(row);
    const rows = `json_populate_record(NULL::@table, $${place}::json)`;
    const key = listOf(conditions.map(({ keyName }) => keyName));
    return this.changed(
      `${this.added(columns, rows)} ON CONFLICT (${key}) DO UPDATE ${this.setting(columns, place)}`,
    );
  }

  deleteRows() {
    this.requireConditions();
    return this.changed('DELETE FROM @table WHERE @where');
  }

  get() {
    const { returnAll, limit = 50, orderBy, orderByColumn, orderByDirection } = this.parameters;
    const { types } = this.tables[this.name] ?? {};
    if (orderBy && types && !(orderByColumn in { ...types, ...SYSTEM })) {
      throw this.no(`an order by ${orderByColumn}`);
    }
    const direction = orderByDirection === 'DESC' ? 'DESC' : 'ASC';
    const column =
      orderBy && orderByColumn !== 'id'
        ? `"${orderByColumn}" ${direction}, id`
        : `id ${orderBy ? direction : 'ASC'}`;
    const most = returnAll ? '' : ` LIMIT NULLIF($${this.place(expressionOf(limit))}::bigint, 0)`;
    return this.made(`SELECT * FROM @table WHERE @where ORDER BY ${column}${most}`);
  }

  /** It gives its item back: a column for each field. */
  rowNotExists() {
    // n8n takes every condition of it for “equals”.
    const filters = {
      conditions: this.parameters.filters.conditions.map((each) => ({ ...each, condition: 'eq' })),
    };
    this.parameters = { ...this.parameters, filters };
    const before = filters.conditions.length + 1;
    const made = this.made(
      'SELECT @item WHERE NOT EXISTS (SELECT FROM @table WHERE @where)',
      `Object.entries($json).map(([name, value], index) => '$' + (index + ${before}) + '::' + ({ number: 'float8', boolean: 'boolean', object: 'json' }[typeof value] ?? 'text') + ' AS "' + name.replace(/\\W/g, '_') + '"').join(', ')`,
    );
    return { ...made, values: [...made.values, '...Object.values($json)'] };
  }

  create() {
    const { types, keys } = this.tables[this.name];
    const columns = Object.entries(types).map(([name, type]) => `"${name}" ${TYPES[type]}`);
    const index = (kind, method, key) => {
      const name = `${this.name}_${key.join('_')}`.toLowerCase();
      const sql = `CREATE ${kind} IF NOT EXISTS ${name} ON "${this.name}" USING ${method} (${listOf(key)});`;
      return { name, sql };
    };
    const indexes = [
      ...keys.map((key) => index('UNIQUE INDEX', 'btree', key.split(' '))),
      ...(INDEXES[this.name] ?? []).map((each) => {
        const [method, ...key] = each.split(' ');
        return index('INDEX', method, key);
      }),
    ];
    const names = [this.name, ...indexes.map(({ name }) => name)];
    return {
      // One of two that make it at once waits.
      query: `SELECT '${this.name}' AS id, '${this.name}' AS name;
DO $$ BEGIN
IF EXISTS (SELECT FROM unnest(ARRAY['${names.join("', '")}']) AS name WHERE to_regclass(name) IS NULL) THEN
PERFORM pg_advisory_xact_lock(hashtext('SMS desk'), hashtext('tables'));
CREATE TABLE IF NOT EXISTS "${this.name}" (
id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
${columns.join(',\n')},
"createdAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
"updatedAt" timestamptz(3) NOT NULL DEFAULT clock_timestamp());
${indexes.map(({ sql }) => sql).join('\n')}
END IF;
END $$`,
      values: [],
    };
  }

  list() {
    const { options } = this.parameters;
    const names = Object.keys(this.tables).filter((name) =>
      name.includes(options.filterName ?? ''),
    );
    return {
      query: `SELECT name AS id, name FROM unnest(ARRAY['${names.join("', '")}']) AS name
WHERE to_regclass(name) IS NOT NULL ORDER BY name`,
      values: [],
    };
  }
}
