import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { NodeOperationError } from 'n8n-workflow';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow';

import { SHEET_FILES } from '../sheets/sheetFiles';
import { asText } from '../workflows/expression';

export type KnownType = Pick<
  INodeTypeDescription,
  'name' | 'version' | 'group' | 'inputs' | 'outputs' | 'properties'
>;

/** n8n's nodes that the templates and the desk use, as `read-node-types.mjs` has read them from n8n. */
export const N8N_TYPES = JSON.parse(
  readFileSync(path.join(__dirname, 'nodeTypes.json'), 'utf8'),
) as KnownType[];

/** What a test sets and looks at, as it is when one begins. */
class Surroundings {
  /** Data tables, by name. */
  readonly tables = new Map<string, IDataObject[]>();

  /** Subject and text of each mail, what was answered to a webhook, or handed to another workflow. */
  readonly mails: string[] = [];
  readonly answers: { body: unknown; code: number }[] = [];
  readonly calls: { workflow: string; items: IDataObject[] }[] = [];

  /** Whether the mail server refuses a mail. */
  refuses: (mail: string) => boolean = () => false;

  /** What was posted elsewhere. */
  readonly posts: IDataObject[] = [];

  /** What a group robot answers, if one is posted to. */
  robot: (() => IDataObject) | undefined;

  /** The columns of Google Sheets and its rows, and what happens to them before a status is written. */
  columns = ['phone', 'name', 'order', 'date', 'status', 'reason'];
  sheet: IDataObject[] = [];
  beforeWriting: () => void = () => undefined;

  /** The file in the form. */
  upload: { fileName: string; bytes: string } | undefined;

  /** What a page of a form asks, and what is answered. */
  readonly asked: { title: string; text: string }[] = [];
  answer = '';

  /** Events of Google Calendar. */
  events: IDataObject[] = [];

  /** What an AI agent says to a text. */
  agent: (text: string) => string = () => '';

  /** Workflows that fail when they are called, and data tables that take no rows. */
  readonly failing = new Set<string>();

  protected killed: { node: string; tell: () => void } | undefined;
}

/**
 * Stands in for n8n's own nodes, which n8n-core does not bring. Each has the parameters of the real one, so
 * that n8n-core reads and checks them (conditions, too), and does what the templates need of it.
 */
export class N8nNodes extends Surroundings {
  /** Runs a statement on PostgreSQL, and gives its rows, in all tests of a file. */
  database: (sql: string) => object[] | Promise<object[]> = () => {
    throw new Error('There is no PostgreSQL');
  };

  /** The mail server refuses so many mails: two are a break of five seconds, five are all tries of a node. */
  refuseMails(count: number): void {
    let left = count;
    this.refuses = () => left-- > 0;
  }

  /** Kills n8n as a node begins, in an execution that this starts: it goes no further. Resolves then. */
  async killAt(node: string, start: () => unknown): Promise<void> {
    const killed = new Promise<void>((tell) => (this.killed = { node, tell }));
    void start();
    await killed;
  }

  private async goOn(node: string): Promise<void> {
    if (this.killed?.node !== node) return;
    this.killed.tell();
    this.killed = undefined;
    await new Promise(() => undefined);
  }

  /** What it has written for people: mails, answers, posts, pages and rows. */
  written(): string {
    const { mails, answers, posts, asked, tables } = this;
    const all = [mails, answers, posts, asked, ...tables.values()];
    return JSON.stringify(all, (_, value: unknown) => value ?? '');
  }

  /** Forgets everything. */
  reset(): void {
    Object.assign(this, new Surroundings());
  }

  private readonly runs: Record<string, Run> = {
    set: (node, items) => [
      eachOf(items, (index, json) => {
        const { assignments } = node.getNodeParameter('assignments', index) as {
          assignments: (Named & { type: string })[];
        };
        const others = node.getNodeParameter('includeOtherFields', index, false) ? json : {};
        const set = assignments.map(({ name, value, type }) => [
          name,
          type === 'string' ? asText(value) : value,
        ]);
        return { ...others, ...(Object.fromEntries(set) as IDataObject) };
      }),
    ],
    filter: (node, items) => [items.filter((_, index) => isMet(node, 'conditions', index))],
    if: (node, items) => divided(items, 2, (index) => (isMet(node, 'conditions', index) ? 0 : 1)),
    switch: (node, items) => {
      const { length } = node.getNodeParameter('rules.values', 0) as unknown[];
      const rules = Array.from({ length }, (_, rule) => `rules.values[${rule}].conditions`);
      return divided(items, length + 1, (index) => {
        const met = rules.findIndex((rule) => isMet(node, rule, index));
        return met === -1 ? length : met;
      });
    },
    dataTable: (node, items) => [this.table(node, items)],
    emailSend: (node, items) => [
      eachOf(items, (index) => {
        const names = ['fromEmail', 'toEmail', 'subject', 'text'];
        const parts = names.map((name) => String(node.getNodeParameter(name, index)));
        const mail = parts.slice(2).join('\n');
        if (this.refuses(mail)) {
          const error = 'Connection refused by the mail server';
          if (!node.continueOnFail()) throw new Error(error);
          return { error };
        }
        this.mails.push(mail);
        return { response: '250 OK' };
      }),
    ],
    respondToWebhook: (node, items) => {
      const { responseCode = 200 } = node.getNodeParameter('options', 0) as {
        responseCode?: number;
      };
      const isText = node.getNodeParameter('respondWith', 0) === 'text';
      const text = String(node.getNodeParameter('responseBody', 0, 'null'));
      const body = isText ? text : (JSON.parse(text) as unknown);
      this.answers.push({ body, code: Number(responseCode) });
      return [items];
    },
    executeWorkflow: (node, items) => {
      const { value: workflow } = node.getNodeParameter('workflowId', 0) as { value: string };
      if (!workflow || this.failing.has(workflow)) {
        const options = node.getNodeParameter('options', 0) as { waitForSubWorkflow?: boolean };
        // Who does not wait hears of nothing.
        if (options.waitForSubWorkflow === false) return [items];
        const error = 'The workflow has failed';
        if (!node.continueOnFail()) throw new Error(error);
        return [[{ json: { error }, pairedItem: 0 }]];
      }
      this.calls.push({ workflow, items: items.map(({ json }) => json) });
      return [items];
    },
    httpRequest: async (node, items) => [
      await Promise.all(
        items.map((_, index) => {
          const named = node.getNodeParameter('bodyParameters.parameters', index, []) as Named[];
          const body = Object.fromEntries(named.map(({ name, value }) => [name, value]));
          this.posts.push(body);
          if (this.robot) return { json: this.robot() };
          return post(String(node.getNodeParameter('url', index)), body);
        }),
      ),
    ],
    code: async (node) => {
      const { $, $now, $input, $execution, $workflow, DateTime } = node.getWorkflowDataProxy(0);
      const { helpers } = node;
      const $getWorkflowStaticData = (type: string) => node.getWorkflowStaticData(type);
      const known = { $, $now, $input, $execution, $workflow, $getWorkflowStaticData, DateTime };
      const code = `return (async () => {${String(node.getNodeParameter('jsCode', 0))}\n})()`;
      const run = new Function(...Object.keys(known), 'helpers', code);
      const made = (await run(...Object.values(known), helpers)) as object;
      // It runs in another process.
      return [JSON.parse(JSON.stringify(itemsOf(made))) as INodeExecutionData[]];
    },
    formTrigger: async (node, items) => {
      if (!this.upload) return [items];
      const { fileName, bytes } = this.upload;
      const file = await node.helpers.prepareBinaryData(Buffer.from(bytes, 'base64'), fileName);
      return [[{ json: {}, binary: { file } }]];
    },
    form: (node, items) => {
      if (node.getNodeParameter('operation', 0) !== 'page') return [items];
      const [title = '', text = ''] = ['formTitle', 'formDescription'].map((name) =>
        String(node.getNodeParameter(`options.${name}`, 0)),
      );
      this.asked.push({ title, text });
      return [[{ json: { answer: this.answer }, pairedItem: 0 }]];
    },
    extractFromFile: async (node) => {
      const bytes = await node.helpers.getBinaryDataBuffer(0, 'file');
      const known = Object.values(SHEET_FILES).find(
        (each) => each.bytes === bytes.toString('base64'),
      );
      const lines = bytes.toString('latin1').split('\n');
      const read = known?.items ?? lines.map((line) => ({ row: line.split(',') }));
      return [read.map((json) => ({ json, pairedItem: 0 }))];
    },
    merge: (node) => {
      const count = node.getNodeParameter('numberInputs', 0) as number;
      const inputs = Array.from({ length: count }, (_, input) => node.getInputData(input));
      return [inputs.flatMap((items) => items ?? [])];
    },
    googleSheets: (node, items) => {
      if (node.getNodeParameter('operation', 0) === 'read') {
        const header = Object.fromEntries(this.columns.map((name) => [name, name]));
        const rows = this.sheet.map((row, index) => ({ row_number: index + 2, ...row }));
        return [[{ row_number: 'row_number', ...header }, ...rows].map((json) => ({ json }))];
      }
      this.beforeWriting();
      for (const index of items.keys()) {
        const { value, matchingColumns } = node.getNodeParameter('columns', index) as {
          value: IDataObject;
          matchingColumns: string[];
        };
        const [key = ''] = matchingColumns;
        const row = this.sheet.find((each) => each[key] === value[key]);
        const known = Object.entries(value).filter(([name]) => this.columns.includes(name));
        Object.assign(row ?? {}, Object.fromEntries(known));
      }
      return [items];
    },
    googleCalendar: (node) => {
      const [from = 0, to = 0] = ['timeMin', 'timeMax'].map((name) =>
        Date.parse(String(node.getNodeParameter(name, 0))),
      );
      // Google gives the events that overlap the time, those that began before it too.
      const moment = ({ dateTime, date }: IDataObject) =>
        Date.parse(String(dateTime ?? `${date as string}T00:00:00+08:00`));
      const found = this.events.filter(({ start, end }) => {
        const begins = moment(start as IDataObject);
        return begins < to && (end ? moment(end as IDataObject) : begins + 1) > from;
      });
      return [found.map((json) => ({ json }))];
    },
    postgres: async (node, items) => {
      const found: INodeExecutionData[] = [];
      try {
        for (const item of items.keys()) {
          const statement = statementOf(node, item);
          const rows = await this.database(statement);
          const isDone = rows.length === 0 && !/^\s*(WITH|SELECT)\b/i.test(statement);
          for (const json of isDone ? [{ success: true }] : rows)
            found.push({ json: json as IDataObject, pairedItem: { item } });
        }
      } catch (error) {
        if (!node.continueOnFail()) throw error;
        const { message } = error as Error;
        return [[{ json: { message, error: { message } } }]];
      }
      return [found];
    },
    splitOut: (node, items) => [
      items.flatMap(({ json }, pairedItem) => {
        const field = String(node.getNodeParameter('fieldToSplitOut', pairedItem));
        return (json[field] as IDataObject[]).map((each) => ({ json: each, pairedItem }));
      }),
    ],
    crypto: (node, items) => [
      eachOf(items, (index, json) => {
        const name = String(node.getNodeParameter('dataPropertyName', index));
        if (node.getNodeParameter('action', 0) === 'generate') {
          return { ...json, [name]: randomBytes(6).toString('hex') };
        }
        const hash = createHmac('sha256', 'secret').update(
          String(node.getNodeParameter('value', index)),
        );
        return { ...json, [name]: hash.digest('hex') };
      }),
    ],
    agent: (node, items) => [
      eachOf(items, (index) => {
        try {
          return { output: this.agent(String(node.getNodeParameter('text', index))) };
        } catch (error) {
          if (!node.continueOnFail()) throw error;
          return { error: (error as Error).message };
        }
      }),
    ],
    stopAndError: (node) => {
      throw new Error(String(node.getNodeParameter('errorMessage', 0)));
    },
  };

  /** The node types, for the harness. A node that is not above passes its items on. */
  readonly types = Object.fromEntries(
    N8N_TYPES.map((known) => {
      const goOn = async (node: string) => await this.goOn(node);
      const run = this.runs[known.name.split('.').at(-1) ?? ''] ?? ((_, items) => [items]);
      const type: INodeType = {
        description: { ...known, displayName: known.name, description: '', defaults: {} },
        async execute() {
          await goOn(this.getNode().name);
          return await run(this, this.getInputData());
        },
      };
      return [known.name, type];
    }),
  );

  private table(node: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[] {
    if (node.getNodeParameter('resource', 0) === 'table') {
      const name = String(node.getNodeParameter('tableName', 0));
      if (!this.tables.has(name)) this.tables.set(name, []);
      return [{ json: { name }, pairedItem: 0 }];
    }
    const name = String(node.getNodeParameter('dataTableId', 0, '', { extractValue: true }));
    const rows = this.tables.get(name);
    if (!rows) throw new Error(`There is no data table ${name}`);
    const operation = String(node.getNodeParameter('operation', 0));
    if (operation === 'insert' && this.failing.has(name)) {
      const error = new NodeOperationError(node.getNode(), 'The data tables are full');
      if (!node.continueOnFail()) throw error;
      // So does n8n 2.40, with an item inside an item.
      return items.map((item, pairedItem) => ({
        json: { ...item } as IDataObject,
        error,
        pairedItem,
      }));
    }
    return items.flatMap(({ json }, index) => {
      const found = operation === 'insert' ? [] : rows.filter(conditionsOf(node, index));
      if (operation === 'rowNotExists')
        return found.length > 0 ? [] : [{ json, pairedItem: index }];
      if (operation === 'deleteRows') {
        rows.splice(0, rows.length, ...rows.filter((row) => !found.includes(row)));
      } else if (operation !== 'get') {
        const { value } = node.getNodeParameter('columns', index) as { value: IDataObject };
        // As PostgreSQL says it.
        if (/\0/.test(Object.values(value).join()))
          throw new Error('invalid byte sequence for encoding "UTF8": 0x00');
        for (const row of found) Object.assign(row, value);
        if (found.length === 0 && operation !== 'update') {
          const id = Number(rows.at(-1)?.id ?? 0) + 1;
          found.push({ ...value, id, createdAt: new Date(Date.now()).toISOString() });
          rows.push(...found);
        }
      }
      // What changes later, was not read so.
      return found.map((row) => ({ json: { ...row }, pairedItem: index }));
    });
  }
}

interface Named {
  name: string;
  value: IDataObject;
}

type Run = (
  node: IExecuteFunctions,
  items: INodeExecutionData[],
) => INodeExecutionData[][] | Promise<INodeExecutionData[][]>;

/** As a user has set it who wants to see each answer, refusals too. */
async function post(url: string, fields: IDataObject): Promise<INodeExecutionData> {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify(fields);
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    return { json: { statusCode: answer.status, data: await answer.text() } };
  } catch (error) {
    return { json: { error: String(error) } };
  }
}

/** An item for each item. */
const eachOf = (
  items: INodeExecutionData[],
  jsonOf: (index: number, json: IDataObject) => IDataObject,
): INodeExecutionData[] =>
  items.map(({ json }, index) => ({ json: jsonOf(index, json), pairedItem: index }));

/** A statement with its parameters, which n8n writes into its text, too. */
function statementOf(node: IExecuteFunctions, index: number): string {
  const values = node.getNodeParameter('options.queryReplacement', index, []) as string[];
  const query = String(node.getNodeParameter('query', index));
  return query.replace(/\$(\d+)/g, (_, number) => {
    const value = values[number - 1];
    return value == null ? 'null' : `'${value.replaceAll("'", "''")}'`;
  });
}

/** What n8n takes for parts of an item, where any field of it is one. */
const PARTS = ['json', 'binary', 'pairedItem', 'error', 'index'];

/** The items that n8n makes of what a Code node gives: items, or what is in them. */
function itemsOf(given: object): object[] {
  const all = [given].flat();
  const areParts = all.flatMap(Object.keys).map((key) => PARTS.includes(key));
  if (!areParts.includes(true)) return all.map((json) => ({ json }));
  if (areParts.includes(false)) throw new Error('n8n takes no such item');
  return all;
}

/** n8n-core evaluates a filter. */
const isMet = (node: IExecuteFunctions, name: string, index: number): boolean =>
  node.getNodeParameter(name, index, false, { extractValue: true }) === true;

/** The items of each output. */
function divided(
  items: INodeExecutionData[],
  outputs: number,
  outputOf: (index: number) => number,
): INodeExecutionData[][] {
  const all = items.map((item, index) => ({
    item: { ...item, pairedItem: index },
    at: outputOf(index),
  }));
  return Array.from({ length: outputs }, (_, output) =>
    all.filter(({ at }) => at === output).map(({ item }) => item),
  );
}

/** Whether a row of a data table meets the conditions, as n8n compares. */
function conditionsOf(node: IExecuteFunctions, index: number): (row: IDataObject) => boolean {
  const conditions = node.getNodeParameter('filters.conditions', index, []) as {
    keyName: string;
    condition?: string;
    keyValue?: unknown;
  }[];
  const matchType = node.getNodeParameter('matchType', index, 'anyCondition');
  const isAny = matchType === 'anyCondition' && conditions.length > 0;
  return (row) =>
    conditions[isAny ? 'some' : 'every'](({ keyName, condition = 'eq', keyValue }) => {
      const is = COMPARISONS[condition];
      if (!is) throw new Error(`No comparison "${condition}".`);
      return is(comparable(row[keyName]), comparable(keyValue));
    });
}

type Value = number | string | null;

/** What is absent is null. */
const comparable = (value: unknown): Value =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

/** Those that templates use. */
const COMPARISONS: Record<string, (a: Value, b: Value) => boolean> = {
  eq: (a, b) => a === b,
  lt: (a, b) => a !== null && b !== null && a < b,
  like: (a, b) => {
    const parts = String(b).split('%');
    const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
    return a !== null && b !== null && new RegExp(`^${pattern}$`, 's').test(String(a));
  },
};
