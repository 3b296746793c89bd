import { createHash, createHmac, randomBytes } from 'node:crypto';

import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { N8N_TYPES } from './nodeTypes';

/**
 * Stands in for n8n's own nodes, which n8n-core does not bring. Each has the parameters of the real one, so
 * that n8n-core reads and checks them (conditions, too), and does what the templates need of it.
 */
export class N8nNodes {
  /** Data tables, by name. */
  readonly tables = new Map<string, IDataObject[]>();

  /** What was sent by mail, or answered to a webhook, or handed to another workflow. */
  readonly mails: IDataObject[] = [];
  readonly answers: { body: unknown; code: number }[] = [];
  readonly calls: { workflow: string; items: IDataObject[] }[] = [];

  /** Rows of Google Sheets and events of Google Calendar. */
  sheet: IDataObject[] = [];
  events: IDataObject[] = [];

  /** What an AI agent says to a text. */
  agent: (text: string) => string = () => '';

  /** Runs statements on PostgreSQL. */
  database: (sql: string) => Promise<unknown> = () =>
    Promise.reject(new Error('There is no PostgreSQL'));

  /** Workflows that fail when they are called. */
  readonly failing = new Set<string>();

  /** What Remove Duplicates has seen, by node. */
  private readonly seen = new Set<string>();

  /** The node types, for the harness. */
  readonly types: Record<string, INodeType> = Object.fromEntries(
    N8N_TYPES.map((known) => [
      known.name,
      {
        description: { ...known, displayName: known.name, description: '', defaults: {} },
        execute: this.executeOf(known.name.split('.').at(-1) ?? ''),
      } as INodeType,
    ]),
  );

  /** Forgets everything. */
  reset(): void {
    for (const each of [this.tables, this.failing, this.seen]) each.clear();
    for (const each of [this.mails, this.answers, this.calls]) each.length = 0;
    this.sheet = [];
    this.events = [];
  }

  private executeOf(name: string): NonNullable<INodeType['execute']> {
    const runOf = () => this.runs[name] ?? passOn;
    return async function () {
      return await runOf()(this, this.getInputData());
    };
  }

  private readonly runs: Record<string, Run> = {
    set: (node, items) => [
      items.map((item, index) => ({ json: fieldsOf(node, item, index), pairedItem: index })),
    ],
    filter: (node, items) => [items.filter((_, index) => isMet(node, 'conditions', index))],
    if: (node, items) => {
      const met = items.map((_, index) => isMet(node, 'conditions', index));
      return [items.filter((_, index) => met[index]), items.filter((_, index) => !met[index])];
    },
    switch: (node, items) => divided(node, items),
    dataTable: (node, items) => [this.table(node, items)],
    emailSend: (node, items) => {
      const names = ['fromEmail', 'toEmail', 'subject', 'text'];
      for (const index of items.keys()) this.mails.push(read(node, names, index));
      return [items.map((_, pairedItem) => ({ json: { response: '250 OK' }, pairedItem }))];
    },
    respondToWebhook: (node, items) => {
      const { responseCode = 200 } = node.getNodeParameter('options', 0) as {
        responseCode?: number;
      };
      const body = JSON.parse(String(node.getNodeParameter('responseBody', 0))) as unknown;
      this.answers.push({ body, code: Number(responseCode) });
      return [items];
    },
    executeWorkflow: (node, items) => [this.call(node, items)],
    httpRequest: async (node, items) => [
      await Promise.all(items.map((_, index) => post(String(node.getNodeParameter('url', index))))),
    ],
    code: (node) => {
      const { $, $now, $input } = node.getWorkflowDataProxy(0);
      const run = new Function('$input', '$', '$now', String(node.getNodeParameter('jsCode', 0)));
      return [run($input, $, $now) as INodeExecutionData[]];
    },
    merge: (node) => {
      const count = node.getNodeParameter('numberInputs', 0, 2) as number;
      const inputs = Array.from({ length: count }, (_, input) => node.getInputData(input));
      return [inputs.flatMap((items) => items ?? [])];
    },
    removeDuplicates: (node, items) => [items.filter((_, index) => this.isNew(node, index))],
    googleSheets: (node, items) => [this.sheets(node, items)],
    googleCalendar: () => [this.events.map((json) => ({ json }))],
    postgres: async (node, items) => {
      for (const index of items.keys()) await this.database(statementOf(node, index));
      return [items.map((_, pairedItem) => ({ json: { success: true }, pairedItem }))];
    },
    crypto: (node, items) => [items.map((item, index) => this.crypto(node, item, index))],
    agent: (node, items) => {
      const said = items.map((_, index) =>
        this.agent(String(node.getNodeParameter('text', index))),
      );
      return [said.map((output, pairedItem) => ({ json: { output }, pairedItem }))];
    },
    stopAndError: (node) => {
      throw new Error(String(node.getNodeParameter('errorMessage', 0)));
    },
  };

  private crypto(node: IExecuteFunctions, { json }: INodeExecutionData, index: number) {
    const name = String(node.getNodeParameter('dataPropertyName', index));
    const isRandom = node.getNodeParameter('action', 0) === 'generate';
    const text = isRandom ? '' : String(node.getNodeParameter('value', index));
    const value = isRandom
      ? randomBytes(6).toString('hex')
      : createHmac('sha256', 'secret').update(text).digest('hex');
    return { json: { ...json, [name]: value }, pairedItem: index };
  }

  private isNew(node: IExecuteFunctions, index: number): boolean {
    const value = String(node.getNodeParameter('dedupeValue', index));
    const key = createHash('sha256').update(`${node.getNode().name}/${value}`).digest('hex');
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  private call(node: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[] {
    const { value: workflow } = node.getNodeParameter('workflowId', 0) as { value: string };
    if (!this.failing.has(workflow)) {
      this.calls.push({ workflow, items: items.map(({ json }) => json) });
      return items;
    }
    if (!node.continueOnFail()) throw new Error('The workflow has failed');
    return [{ json: { error: 'The workflow has failed' }, pairedItem: 0 }];
  }

  private sheets(node: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[] {
    if (node.getNodeParameter('operation', 0) === 'read') {
      return this.sheet.map((json, index) => ({ json: { ...json, row_number: index + 2 } }));
    }
    for (const index of items.keys()) {
      const { value } = node.getNodeParameter('columns', index) as { value: IDataObject };
      const { row_number: number, ...texts } = value;
      Object.assign(this.sheet[Number(number) - 2] ?? {}, texts);
    }
    return items;
  }

  private table(node: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[] {
    const operation = String(node.getNodeParameter('operation', 0));
    if (node.getNodeParameter('resource', 0) === 'table') {
      const name = String(node.getNodeParameter('tableName', 0));
      if (!this.tables.has(name)) this.tables.set(name, []);
      return [{ json: { name }, pairedItem: 0 }];
    }
    return items.flatMap((item, index) => {
      const name = String(node.getNodeParameter('dataTableId', index, '', { extractValue: true }));
      const rows = this.tables.get(name);
      if (!rows) throw new Error(`There is no data table ${name}`);
      return this.row(node, operation, rows, item, index).map((each) => ({
        ...each,
        pairedItem: index,
      }));
    });
  }

  private row(
    node: IExecuteFunctions,
    operation: string,
    rows: IDataObject[],
    item: INodeExecutionData,
    index: number,
  ): INodeExecutionData[] {
    const conditions =
      operation === 'insert'
        ? []
        : (node.getNodeParameter('filters.conditions', index, []) as Condition[]);
    const found = rows.filter((row) => conditions.every((each) => isSo(row, each)));
    switch (operation) {
      case 'deleteRows':
        rows.splice(0, rows.length, ...rows.filter((row) => !found.includes(row)));
        return found.map((json) => ({ json }));
      case 'get':
        return found.map((json) => ({ json }));
      case 'rowExists':
        return found.length > 0 ? [item] : [];
      case 'rowNotExists':
        return found.length > 0 ? [] : [item];
      default: {
        const { value } = node.getNodeParameter('columns', index) as { value: IDataObject };
        if (operation !== 'insert' && found.length > 0) {
          for (const row of found) Object.assign(row, value);
          return found.map((json) => ({ json }));
        }
        const row = { ...value, id: rows.length + 1 };
        rows.push(row);
        return [{ json: { ...row } }];
      }
    }
  }
}

interface Condition {
  keyName: string;
  condition?: string;
  keyValue: unknown;
}

/** Of n8n's conditions, those that the templates have. */
function isSo(row: IDataObject, { keyName, condition, keyValue }: Condition): boolean {
  const [value, other] = [String(row[keyName]), String(keyValue)];
  return condition === 'lt' ? value < other : value === other;
}

type Run = (
  node: IExecuteFunctions,
  items: INodeExecutionData[],
) => INodeExecutionData[][] | Promise<INodeExecutionData[][]>;

/** As a user has set it who wants to see each answer, refusals too. */
async function post(url: string): Promise<INodeExecutionData> {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: '{}', redirect: 'manual' });
    return { json: { statusCode: answer.status, data: await answer.text() } };
  } catch (error) {
    return { json: { error: String(error) } };
  }
}

const passOn: Run = (_, items) => [items];

const read = (node: IExecuteFunctions, names: string[], index: number): IDataObject =>
  Object.fromEntries(
    names.map((name) => [name, node.getNodeParameter(name, index) as IDataObject]),
  );

/** A statement with its parameters, which n8n writes into its text, too. */
function statementOf(node: IExecuteFunctions, index: number): string {
  const values = node.getNodeParameter('options.queryReplacement', index, []) as string[];
  const query = String(node.getNodeParameter('query', index));
  return query.replace(/\$(\d+)/g, (_, number) => `'${values[number - 1]?.replaceAll("'", "''")}'`);
}

/** n8n-core evaluates a filter. */
const isMet = (node: IExecuteFunctions, name: string, index: number): boolean =>
  node.getNodeParameter(name, index, false, { extractValue: true }) === true;

function divided(node: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[][] {
  const { length } = node.getNodeParameter('rules.values', 0) as unknown[];
  const outputs = Array.from({ length: length + 1 }, (): INodeExecutionData[] => []);
  for (const [index, item] of items.entries()) {
    const names = Array.from({ length }, (_, rule) => `rules.values[${rule}].conditions`);
    const met = names.findIndex((name) => isMet(node, name, index));
    outputs[met === -1 ? length : met]?.push({ ...item, pairedItem: index });
  }
  return outputs;
}

function fieldsOf(
  node: IExecuteFunctions,
  { json }: INodeExecutionData,
  index: number,
): IDataObject {
  const { assignments } = node.getNodeParameter('assignments', index) as {
    assignments: { name: string; value: IDataObject }[];
  };
  const others = node.getNodeParameter('includeOtherFields', index, false) === true ? json : {};
  return { ...others, ...Object.fromEntries(assignments.map(({ name, value }) => [name, value])) };
}
