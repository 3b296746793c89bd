import { randomUUID } from 'node:crypto';

import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import { SYSTEM } from '../src/tables';
import type { Gateway } from '../../test/sandbox/gateway';
import type { Account, N8nClient, Workflow, WorkflowFile } from '../../test/kit/n8n/client';
import { publishOutbox, setRules } from './publishOutbox';
import type { Store, Tables } from './store';
import { callTo, chain, itemsOfBody, webhookAt } from '../../test/kit/n8n/workflow';

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

/** desk/workflows/outbox.json in n8n, and a workflow that hands messages to it. */
export class Gate {
  private constructor(
    private readonly client: N8nClient,
    readonly workflow: Workflow,
    readonly caller: Workflow,
    readonly tables: Tables,
    private readonly path: string,
  ) {}

  /** Publishes the outbox with new tables, and rules without limits. */
  static async open(client: N8nClient, account: Account, store: Store): Promise<Gate> {
    const workflow = await publishOutbox(client, account, store);
    const path = `gate-${randomUUID()}`;
    const caller = await client.importWorkflow(answering(path, callTo(workflow, 'Outbox')), []);
    await client.publish(caller);
    const gate = new Gate(client, workflow, caller, store.tables, path);
    await gate.rule({});
    return gate;
  }

  /** Hands over messages, in one call. */
  async send(...messages: object[]): Promise<Result[]> {
    return JSON.parse(await this.client.callWebhook(this.path, { messages })) as Result[];
  }

  /** As if these rows had been claimed, or were due, at another time. All other rows are removed. */
  async setTime(values: IDataObject, sent_at: Date): Promise<void> {
    const found = await this.tables.rows('sms.outbox', values);
    await this.tables.clear('sms.outbox');
    const rows = found.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !(name in SYSTEM))),
    );
    await this.tables.insert(
      'sms.outbox',
      rows.map((row) => ({ ...row, sent_at: sent_at.toISOString() })),
    );
  }

  /** Replaces the rules: one for codes, and the limit of all messages of a day. */
  async rule(rule: Parameters<typeof setRules>[1], all = 0): Promise<void> {
    const last = { class: 'all', per_day: all };
    await setRules(this.tables, { check_opt_outs: false, ...rule }, last);
  }
}

/** The key of a message. What keys start with must stand for nothing else in n8n's database. */
export const keyOf = (index: number) => `list [*?]_\\${index}`;

/** Makes calls at the same moment: each key is sent once, and the limits are kept exactly. */
export async function callAtOnce(
  gate: Gate,
  gateway: Gateway,
  lists: { calls: number; messages: number }[],
): Promise<void> {
  const statuses = async (calls: number, ...messages: object[]) => {
    const runs = await Promise.all(Array.from({ length: calls }, () => gate.send(...messages)));
    const found: Record<string, number> = {};
    for (const { status } of runs.flat()) found[status] = (found[status] ?? 0) + 1;
    return found;
  };
  let first = 0;
  for (const { calls, messages } of lists) {
    const list = Array.from({ length: messages }, (_, index) =>
      code(first + index, { key: keyOf(first + index) }),
    );
    const skipped = (calls - 1) * messages;
    expect(await statuses(calls, ...list)).toEqual({ accepted: messages, skipped });
    first += messages;
  }
  expect([...gateway.deliveries().values()]).toEqual(Array(first).fill(1));
  await gate.rule({ per_hour: 5 });
  expect(await statuses(20, code(900)), 'an hour, to one number').toEqual({
    ...{ accepted: 5, refused: 15 },
  });
  await gate.rule({}, first + 5 + 7);
  expect(await statuses(15, code(1000), code(2000)), 'a day').toEqual({ accepted: 7, refused: 23 });
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
