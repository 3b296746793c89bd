/** What the desk's workflows are made of. No node has a position: `layout.ts` gives it one. */
import { node, trigger } from '@n8n/workflow-sdk';
import type { IDataObject, NodeConfig, WorkflowSettings } from '@n8n/workflow-sdk';

import {
  casesOf,
  isTrue,
  needs,
  nodeOf,
  PACKAGE,
  VERSIONS as TEMPLATE_VERSIONS,
} from '../../builder/parts';
import type { Credential, Node } from '../../builder/parts';

import type { Item, N8n } from '../../builder/code/n8n';
import { TABLES } from './tables';
import type { Table } from './tables';

export type { Node };

/** A step of a path: a node, or a node with the output by which the path leaves it and the input by which it enters. */
export type Step = Node | [Node, output: number, input?: number];

/** Nodes that are connected, with the notes above them. */
export interface Lane {
  notes: string[];
  /**
   * Each leads from node to node. What leaves an output of a node is drawn, and run by n8n, from top to bottom
   * in the order in which it stands here.
   */
  paths: Step[][];
}

/** A workflow of the desk. Its folder has its ID without `sms-`. */
export interface DeskWorkflow {
  name: string;
  about: string;
  setUp?: string;
  tryIt?: string;
  settings?: WorkflowSettings;
  lanes: Lane[];
}

/** No execution is kept but one that fails. */
export const ONLY_FAILURES: WorkflowSettings = {
  saveDataSuccessExecution: 'none',
  saveDataErrorExecution: 'all',
  saveExecutionProgress: false,
};

export const lane = (notes: string | string[], ...paths: Step[][]): Lane => ({
  notes: [notes].flat(),
  paths,
});

/** How a node behaves apart from its parameters. */
export interface Way {
  /** It runs once, with the first item only. */
  once?: boolean;
  /** Without a result it gives an empty item. */
  always?: boolean;
  /** The number of tries, with so many seconds between them: one without it. */
  tries?: number;
  pause?: number;
  /** An error does not stop the workflow: it is an item. */
  goOn?: boolean;
  /** Errors leave by a second output. */
  errors?: boolean;
  needs?: Credential;
}

/** The versions of n8n's nodes: those of the templates, and those of nodes that only the desk has. */
const VERSIONS = {
  ...TEMPLATE_VERSIONS,
  extractFromFile: 1,
  formTrigger: 2.5,
  n8nTrigger: 1,
  splitInBatches: 3,
  splitOut: 1,
  wait: 1.1,
};

function config(name: string, parameters: IDataObject, way: Way): NodeConfig {
  const { once, always, tries = 1, pause = 1, goOn, errors, needs: credential } = way;
  return {
    name,
    parameters,
    ...(credential && { credentials: needs(credential) }),
    ...(once && { executeOnce: true }),
    ...(always && { alwaysOutputData: true }),
    ...(tries > 1 && { retryOnFail: true, maxTries: tries, waitBetweenTries: pause * 1000 }),
    ...(goOn && { onError: 'continueRegularOutput' }),
    ...(errors && { onError: 'continueErrorOutput' }),
  };
}

/** A node of n8n. */
export const base = (
  type: keyof typeof VERSIONS,
  name: string,
  parameters: IDataObject = {},
  way: Way = {},
): Node => nodeOf(type, VERSIONS[type], config(name, parameters, way));

/** An operation of this package's action node. */
export function sms(name: string, parameters: IDataObject, way: Way = {}): Node {
  return node({
    type: `${PACKAGE}.smsMessagingService`,
    version: 1,
    config: config(name, parameters, { ...way, needs: 'smsMessagingServiceApi' }),
  });
}

/** All records of a kind. */
export const allOf = (name: string, resource: 'template' | 'signature', way: Way = {}): Node =>
  sms(name, { resource, operation: 'getAll', returnAll: true }, { once: true, ...way });

/** The trigger. */
export const onRecord = (name: string, parameters: IDataObject): Node =>
  trigger({
    type: `${PACKAGE}.smsMessagingServiceTrigger`,
    version: 1,
    config: config(name, parameters, { needs: 'smsMessagingServiceApi' }),
  });

/** What a Code node does: the function that its module exports by default. */
export type Run = (n8n: N8n) => Item<unknown>[];

const RUNS = new WeakMap<Node, Run>();

/** Runs a function. `build.ts` puts in the text of the module that exports it. */
export function code(name: string, run: Run, way: Way = {}): Node {
  const made = base('code', name, { jsCode: '' }, way);
  RUNS.set(made, run);
  return made;
}

/** The function that `code` has given to a node. */
export const runOf = (each: Node): Run | undefined => RUNS.get(each);

// Starts

/** Runs when the workflow is published, and when n8n starts. */
export const published = (name: string, events = ['activate', 'update', 'init']): Node =>
  base('n8nTrigger', name, { events });

/** Puts the workflow on the list of those that the inbox hands records to. */
export const subscription = (wants: 'all' | 'deliveryReport' | 'reply'): Lane =>
  lane(
    `## When it is published
It tells the inbox which records it wants.`,
    [
      published('When published'),
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
      ),
    ],
  );

/** Runs when another workflow calls this one. */
export const called = (name: string): Node =>
  base('executeWorkflowTrigger', name, { inputSource: 'passthrough' });

/** Runs every so many seconds, minutes or hours. */
export const every = (name: string, count: number, unit: 'seconds' | 'minutes' | 'hours'): Node =>
  base('scheduleTrigger', name, {
    rule: { interval: [{ field: unit, [`${unit}Interval`]: count }] },
  });

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
    { needs: 'httpBasicAuth' },
  );

/** Runs when another system posts something, with a key in a header. It gets what the last node gives. */
export const posted = (name: string, path: string, more: IDataObject = {}): Node =>
  base(
    'webhook',
    name,
    {
      httpMethod: 'POST',
      path,
      authentication: 'headerAuth',
      responseMode: 'lastNode',
      options: {},
      ...more,
    },
    { needs: 'httpHeaderAuth' },
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

// Decisions

/** Two outputs: the expression gives true, or not. */
export const when = (name: string, condition: string, way: Way = {}): Node =>
  base('if', name, { conditions: isTrue(condition), options: {} }, way);

/** Leaves items through for which the expression gives true. */
export const only = (name: string, condition: string, way: Way = {}): Node =>
  base('filter', name, { conditions: isTrue(condition), options: {} }, way);

/** One output for each case. An item that fits none goes nowhere. */
export const choose = (name: string, conditions: Record<string, string>): Node =>
  base('switch', name, casesOf(conditions));

// Fields

type Value = string | number | boolean | null;

/** An expression whose value is no text. */
interface Typed {
  type: 'number' | 'boolean' | 'object' | 'array';
  value: Value;
}

export const num = (value: Value): Typed => ({ type: 'number', value });
export const obj = (value: Value): Typed => ({ type: 'object', value });
export const list = (value: Value): Typed => ({ type: 'array', value });

/** Sets fields of an item. */
export function fields(
  name: string,
  values: Record<string, Value | Typed>,
  {
    keepsOthers,
    options = {},
    ...way
  }: Way & { keepsOthers?: boolean; options?: IDataObject } = {},
): Node {
  const assignments = Object.entries(values).map(([field, value]) => ({
    id: field,
    name: field,
    ...(typeof value === 'object' ? value : { type: 'string', value }),
  }));
  return base(
    'set',
    name,
    { assignments: { assignments }, ...(keepsOthers && { includeOtherFields: true }), options },
    way,
  );
}

// Other workflows

interface Call extends Way {
  /** Whether it waits for the other workflow's result: so it is, unless this says something else. */
  waits?: boolean | string;
}

/** Calls another workflow with all items: by its ID, or by an expression that gives it. */
export function call(name: string, workflow: string, { waits = true, ...way }: Call = {}): Node {
  return base(
    'executeWorkflow',
    name,
    {
      source: 'database',
      workflowId: { __rl: true, mode: workflow.startsWith('=') ? 'id' : 'list', value: workflow },
      workflowInputs: {
        mappingMode: 'defineBelow',
        value: {},
        matchingColumns: [],
        schema: [],
        attemptToConvertTypes: false,
        convertFieldsToString: true,
      },
      mode: 'once',
      options: { waitForSubWorkflow: waits },
    },
    way,
  );
}

// Data tables

/** n8n's way to say that a value is computed. */
type Expression = `=${string}`;

/** Conditions of rows: a column, or a column and an operator such as `sent_at <=`, and the value or values. */
export type Where = Record<string, Value | Value[]>;

/** Values of a row: its columns, or `AS_GIVEN`, those of the item. */
export type Row = Record<string, Value> | typeof AS_GIVEN;
export const AS_GIVEN = 'as given';

const OPERATORS: Record<string, string> = {
  '<': 'lt',
  '<=': 'lte',
  '=': 'eq',
  '!=': 'neq',
  '>': 'gt',
  '>=': 'gte',
  empty: 'isEmpty',
  filled: 'isNotEmpty',
  like: 'like',
};

/** A condition in n8n's form. The column and the operator may be expressions. */
function conditionsOf(where: Where): IDataObject[] {
  return Object.entries(where).flatMap(([what, values]) => {
    const [, keyName, operator = '='] = /^(=\{\{.*?\}\}|\w+)(?: (.+))?$/.exec(what) ?? [];
    return [values].flat().map((keyValue) => ({
      keyName,
      condition: OPERATORS[operator] ?? operator,
      ...(!['empty', 'filled'].includes(operator) && { keyValue }),
    }));
  });
}

interface TableWay extends Way {
  /** `anyCondition`, if one of the conditions is enough. */
  match?: string;
}

const named = (table: string) => ({ __rl: true, mode: 'name', value: table });

function inTable(operation: string, table: string, where: Where, match = 'allConditions') {
  const filters = { conditions: conditionsOf(where) };
  return { resource: 'row', operation, dataTableId: named(table), matchType: match, filters };
}

/** n8n's names of the types of columns, in a mapper. */
const MAPPED = { string: 'string', number: 'number', boolean: 'boolean', date: 'dateTime' };

function columnsOf(table: Table, row: Row): IDataObject {
  if (row === AS_GIVEN) {
    return { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema: [] };
  }
  const types: Record<string, keyof typeof MAPPED> = TABLES[table];
  const schema = Object.keys(row).map((id) => {
    const type = types[id];
    if (!type) throw new Error(`${table} has no column ${id}`);
    return {
      id,
      displayName: id,
      required: false,
      defaultMatch: false,
      display: true,
      type: MAPPED[type],
      canBeUsedToMatch: true,
      readOnly: false,
      removed: false,
    };
  });
  return {
    mappingMode: 'defineBelow',
    value: row as Record<string, Value>,
    matchingColumns: [],
    schema,
    attemptToConvertTypes: false,
    convertFieldsToString: false,
  };
}

interface Reading extends TableWay {
  /** A column, and `desc` behind it for the highest first. */
  order?: string;
  /** The number of rows, all without it. */
  limit?: number | string;
}

/** Rows of a table: each item asks. A failed look is repeated. */
export function get(
  name: string,
  table: Table | Expression,
  where: Where = {},
  { order, limit, match, ...way }: Reading = {},
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
export const missing = (
  name: string,
  table: Table,
  where: Record<string, Value>,
  way: Way = {},
): Node => base('dataTable', name, inTable('rowNotExists', table, where), { tries: 3, ...way });

/** Deletes rows, and gives them. */
export const remove = (
  name: string,
  table: Table | Expression,
  where: Where,
  way: Way = {},
): Node => base('dataTable', name, { ...inTable('deleteRows', table, where), options: {} }, way);

/** Changes rows, and gives those that were changed. */
export const update = (
  name: string,
  table: Table,
  where: Where,
  row: Row,
  { match, ...way }: TableWay = {},
): Node =>
  base(
    'dataTable',
    name,
    { ...inTable('update', table, where, match), columns: columnsOf(table, row), options: {} },
    way,
  );

/** Changes rows, or adds one if there are none. */
export const upsert = (name: string, table: Table, where: Where, row: Row, way: Way = {}): Node =>
  base(
    'dataTable',
    name,
    { ...inTable('upsert', table, where), columns: columnsOf(table, row), options: {} },
    way,
  );

/** Adds rows, and gives them; `all at once` in one step, all or none, which gives no IDs. */
export const insert = (
  name: string,
  table: Table,
  row: Row,
  { atOnce, ...way }: Way & { atOnce?: boolean } = {},
): Node =>
  base(
    'dataTable',
    name,
    {
      resource: 'row',
      operation: 'insert',
      dataTableId: named(table),
      columns: columnsOf(table, row),
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
      columns: {
        column: Object.entries(TABLES[table]).map(([column, type]) => ({ name: column, type })),
      },
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
