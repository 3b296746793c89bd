import { expect } from '@playwright/test';
import type { IDataObject } from 'n8n-workflow';

import { publishCaller } from './callers';
import type { N8nClient, Workflow } from './client';
import { DataTables } from './dataTables';
import { readDesk, withChoices, type Choices } from './workflowFiles';
import { withFields } from './fields';
import { publishOutbox } from './publishOutbox';
import type { Account } from './test';
import { WEBHOOK_KEY, WITH_KEY } from './webhookKey';
import { anyNode } from './workflow';

/** The branches of the workflow appointment. */
const BRANCHES = ['Confirmed', 'Cancelled', 'No answer', 'Not delivered'];
const TOLD = 'test_outcomes';

/** The workflows ask-and-wait, ask-and-wait-replies and appointment, published. */
export interface Questions extends Account {
  /** ask-and-wait: the workflow whose executions wait. */
  workflow: Workflow;
  tables: DataTables;
  /** Posts appointments, which ask-and-wait asks about. */
  ask(appointments: object[]): Promise<void>;
  /** Hands records over to ask-and-wait-replies, as the inbox does. Returns when that has ended. */
  handOver(records: object[]): Promise<void>;
  /** Appointment and outcome of each item that has left on a branch, in the order of appointments. */
  outcomes(): Promise<string[]>;
  /** Waits until so many executions wait for a reply. */
  waiting(count: number): Promise<void>;
}

/** Imports the outbox and the workflows with an account of their own, and publishes them. */
export async function openQuestions(
  client: N8nClient,
  openAccount: () => Promise<Account>,
  choices: Choices = {},
): Promise<Questions> {
  const account = await openAccount();
  await publishOutbox(client, account);
  const tables = new DataTables(client);
  await tables.remove('sms_questions', 'sms_subscribers', 'sms_inbox', TOLD);
  await tables.createShared();
  await tables.create(TOLD, ['appointment', 'outcome']);
  const workflow = await client.importWorkflow(withChoices(readDesk('ask-and-wait'), choices), []);
  await client.publish(workflow);
  const replies = await client.importWorkflow(readDesk('ask-and-wait-replies'), []);
  await client.publish(replies);
  await expect
    .poll(async () => (await tables.rows('sms_subscribers')).map(({ wants }) => wants))
    .toEqual(['all']);
  await publishAppointment(client);
  const handOver = await publishCaller(client, replies);
  const statuses = async () => {
    const found: string[] = [];
    for await (const page of client.executionPages(workflow)) {
      found.push(...page.map(({ status }) => status));
    }
    return found;
  };
  return {
    ...account,
    workflow,
    tables,
    handOver,
    ask: async (appointments) =>
      void (await client.callWebhook('appointments', { appointments }, WITH_KEY)),
    outcomes: async () =>
      (await tables.rows(TOLD))
        .map((row) => `${text(row, 'appointment')} ${text(row, 'outcome')}`)
        .sort(),
    waiting: async (count) => {
      const waiting = async () =>
        (await statuses()).filter((status) => status === 'waiting').length;
      const message = `${count} executions wait`;
      await expect.poll(waiting, { message, timeout: 120_000 }).toBe(count);
    },
  };
}

function text(row: IDataObject, column: string): string {
  return String(row[column] as string);
}

/** The workflow appointment, with the user's own step behind each branch: a row for each item. */
async function publishAppointment(client: N8nClient): Promise<void> {
  const chosen = withFields(readDesk('appointment'), 'Message', {
    template_id: '306',
    signature_id: '202',
  });
  const columns = ['appointment', 'outcome'];
  const step = anyNode('n8n-nodes-base.dataTable', 1.1, 'A row of my calendar', {
    resource: 'row',
    operation: 'insert',
    dataTableId: { __rl: true, mode: 'name', value: TOLD },
    columns: {
      mappingMode: 'defineBelow',
      value: Object.fromEntries(columns.map((name) => [name, `={{ $json.${name} }}`])),
      schema: columns.map((id) => ({ id, displayName: id, type: 'string', display: true })),
    },
  });
  const toStep = { main: [[{ node: step.name, type: 'main' as const, index: 0 }]] };
  const file = {
    ...chosen,
    nodes: [...chosen.nodes, step],
    connections: {
      ...chosen.connections,
      ...Object.fromEntries(BRANCHES.map((branch) => [branch, toStep])),
    },
  };
  const key = await client.createCredential('Header Auth account', 'httpHeaderAuth', WEBHOOK_KEY);
  await client.publish(await client.importWorkflow(file, [key]));
}
