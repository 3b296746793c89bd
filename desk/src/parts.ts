/** What only the desk's workflows are made of, beside `builder/parts.ts`: its pages, its tables, and its inbox. */
import type { IDataObject, WorkflowSettings } from '@n8n/workflow-sdk';

import { callOf } from '../../builder/expression';
import { base, fields } from '../../builder/parts';
import type { Node, Way } from '../../builder/parts';
import type { Table } from './tables';
import { KEPT } from '../update.mjs';

export * from '../../builder/parts';

/** No execution is kept but one that fails. */
export const ONLY_FAILURES: WorkflowSettings = {
  saveDataSuccessExecution: 'none',
  saveDataErrorExecution: 'all',
  saveExecutionProgress: false,
};

/** What the service said last. One try: n8n repeats a node whose first item has a field `error`, even an empty one. */
export const saidOf = (name: string, what: 'balance' | 'template' | 'signature'): Node =>
  reads(name, `SELECT * FROM sms.service_lately WHERE what = '${what}'`, [], { tries: 1 });

/** How many numbers the opt-out list spares: a row that is none of the mainland spares nobody. */
export const OPTED_OUT = `SELECT count(*)::integer AS count FROM sms.opt_outs WHERE phone_number ~ '^1[3-9][0-9]{9}$'`;

/** Puts the workflow on the list of those that the inbox hands records to. */
export const subscribe = (wants: 'all' | 'deliveryReport' | 'reply'): Node =>
  changes(
    'Subscribe',
    `INSERT INTO sms.subscribers (workflow_id, name, wants, free_at) VALUES ($1, $2, '${wants}', clock_timestamp())
ON CONFLICT (workflow_id) DO UPDATE SET name = excluded.name, wants = excluded.wants, free_at = excluded.free_at, "updatedAt" = clock_timestamp()`,
    ['$workflow.id', '$workflow.name'],
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

/** A statement, and the expressions of its values, which are $1, $2, … */
export interface Statement {
  query: string;
  values?: string[];
  /** It runs for each item in one transaction: all or none. */
  together?: boolean;
}

/**
 * A text of a value, as PostgreSQL takes it: a row is JSON, and no text has a zero byte or half of a character. It
 * has no `?.`, which n8n rewrites in expressions that call `first()` and the like.
 */
const AS_TEXT = String.raw`((clean) => (value) => value === undefined || value === null || Number.isNaN(value) ? null : typeof value !== 'object' || 'toISO' in value ? clean(String(value)) : 'toISOString' in value ? value.toISOString() : JSON.stringify(value, (key, each) => (typeof each === 'string' ? clean(each) : each)))((text) => text.replaceAll('\0', '').toWellFormed())`;

/** n8n takes two braces for the end of an expression. */
const asExpression = (text: string) => `={{ ${text.replace(/\}(?=\})/g, '} ')} }}`;

/** The items of the node before, for a node that runs once. */
export const ALL_ITEMS =
  '$($prevNode.name).all($prevNode.outputIndex, $prevNode.runIndex).map(({ json }) => json)';

export function runs(name: string, statement: Statement, way: Way = {}): Node {
  const { query, values = [], together } = statement;
  const options = {
    ...(together && { queryBatching: 'transaction' }),
    ...(values.length > 0 && {
      queryReplacement: asExpression(`[${values.join(', ')}].map(${AS_TEXT})`),
    }),
  };
  const parameters = { operation: 'executeQuery', query, options };
  return base('postgres', name, parameters, { ...way, needs: 'postgres' });
}

/** Changes rows, and gives them. A bare change without any would give an item that says “success”. */
export const changes = (name: string, change: string, values: string[], way: Way = {}): Node =>
  runs(
    name,
    { query: `WITH changed AS (${change} RETURNING *) SELECT * FROM changed`, values },
    way,
  );

/** Rows without which a workflow goes on: with an empty item, or with why they could not be read. */
export const reads = (name: string, query: string, values: string[] = [], way: Way = {}): Node =>
  runs(name, { query, values }, { once: true, always: true, goOn: true, tries: 3, ...way });

export const look = (name: string, table: Table): Node =>
  reads(name, `SELECT * FROM ${table} ORDER BY id`);

/** The thresholds that hold, as an expression, behind a node *Thresholds* with their rows. */
export const HELD = callOf(
  'desk/src/common/messages/thresholds',
  'thresholdsIn',
  "$('Thresholds').all()",
);

/** How full the tables are whose rows go. */
export const sizes = (name: string): Node => reads(name, 'SELECT * FROM sms.sizes()');

/** Notes that the schedule of the workflow has started it. It is the first that a schedule leads to. */
export const heartbeat = (name: string, minutes: number): Node =>
  changes(
    'Heartbeat',
    `INSERT INTO sms.heartbeats (name, workflow_id, minutes) VALUES ('SMS · ${name}', $1, ${minutes})
ON CONFLICT (name) DO UPDATE SET workflow_id = excluded.workflow_id, minutes = excluded.minutes, "updatedAt" = clock_timestamp()`,
    ['$workflow.id'],
    { goOn: true },
  );
