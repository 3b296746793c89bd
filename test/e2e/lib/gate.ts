import { randomUUID } from 'node:crypto';

import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import type { N8nClient, Workflow, WorkflowFile } from './client';
import { publishBoth } from './publishOutbox';
import { dataTables, type Tables } from './store';
import type { Account } from './test';
import { callTo, chain, itemsOfBody, webhookAt } from './workflow';

/** What the outbox gives back for one number. */
export interface Result extends IDataObject {
  phone_number: string;
  status: string;
  reason: string;
  batch_id: string;
  outbox_id: number | null;
  sent_at: string;
}

/** The hours of a rule that opens in one to two hours, in the time zone of the outbox. */
export function laterHour(): { from_hour: number; to_hour: number } {
  const from_hour = (new Date().getUTCHours() + 8 + 2) % 24;
  return { from_hour, to_hour: from_hour + 1 };
}

/** A rule for codes without any limit: each test sets the one that it is about. */
const UNLIMITED = {
  ...{ class: 'code', check_opt_outs: false, from_hour: 0, to_hour: 24 },
  ...{ outside_hours: 'refuse', per_hour: 0, per_day: 0 },
};

const SYSTEM_COLUMNS = ['id', 'createdAt', 'updatedAt'];

const TABLES = ['sms_outbox', 'sms_opt_outs', 'sms_rules', 'sms_templates'];

/** desk/workflows/outbox.json in n8n, and a workflow that hands messages to it. */
export class Gate {
  private constructor(
    private readonly client: N8nClient,
    readonly workflow: Workflow,
    readonly caller: Workflow,
    readonly tables: Tables,
    private readonly path: string,
  ) {}

  /** Imports the outbox, and publishes it. Its tables are made anew, with rules without limits. */
  static async open(
    client: N8nClient,
    { credential }: Account,
    store = dataTables(client),
  ): Promise<Gate> {
    const { tables } = store;
    await tables.remove(...TABLES);
    const workflow = await publishBoth(client, credential, store);
    // The upkeep makes the tables when it is published. Its last step are the rules.
    const rules = () => tables.rows('sms_rules').catch(() => []);
    await expect.poll(rules, { intervals: [100] }).not.toEqual([]);
    // The list of opt-outs is made by the inbox's upkeep, which the outbox needs too.
    await tables.createShared();
    const path = `gate-${randomUUID()}`;
    const caller = await client.importWorkflow(answering(path, callTo(workflow, 'Outbox')), []);
    await client.publish(caller);
    const gate = new Gate(client, workflow, caller, tables, path);
    await gate.rule({});
    return gate;
  }

  /** Hands over messages, in one call. */
  async send(...messages: object[]): Promise<Result[]> {
    return JSON.parse(await this.client.callWebhook(this.path, { messages })) as Result[];
  }

  /** As if these rows had been claimed, or were due, at another time. All other rows are removed. */
  async setTime(values: IDataObject, sent_at: Date): Promise<void> {
    const found = await this.tables.rows('sms_outbox', values);
    await this.tables.clear('sms_outbox');
    const rows = found.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !SYSTEM_COLUMNS.includes(name))),
    );
    await this.tables.insert(
      'sms_outbox',
      rows.map((row) => ({ ...row, sent_at: sent_at.toISOString() })),
    );
  }

  /** Replaces the rules: one for codes, and the limit of all messages of a day. */
  async rule(rule: Partial<typeof UNLIMITED>, all = 0): Promise<void> {
    await this.tables.clear('sms_rules');
    await this.tables.insert('sms_rules', [
      { ...UNLIMITED, ...rule },
      { ...UNLIMITED, class: 'all', per_day: all },
    ]);
  }
}

/** A workflow that answers with the items of a node that gets the messages of a request. */
export function answering(path: string, node: WorkflowFile['nodes'][number]): WorkflowFile {
  const webhook = webhookAt(path, { responseMode: 'lastNode', responseData: 'allEntries' });
  return chain(path, webhook, itemsOfBody('messages'), node);
}

/** A code, to the number of this index. */
export function code(index: number, fields: object = {}): object {
  return {
    phone: `138${String(10_000_000 + index * 10 + 5)}`,
    template_id: '301',
    signature_id: '201',
    parameters: { code: '4821', minutes: '5' },
    class: 'code',
    ...fields,
  };
}
