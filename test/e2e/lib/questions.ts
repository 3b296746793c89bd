import { expect } from '@playwright/test';
import type { IDataObject, INode } from 'n8n-workflow';

import { publishCaller } from './callers';
import type { N8nClient, Workflow } from './client';
import { DataTables } from './dataTables';
import { publishAsking, type Customer } from './asking';
import { readDesk, withChoices, type Choices } from './workflowFiles';
import { publishOutbox } from './publishOutbox';
import type { Account } from './test';
import { anyNode } from './workflow';

const TOLD = 'test_outcomes';

/** The workflows ask-and-wait and ask-and-wait-replies, published, and one of the user's that asks by them. */
export interface Questions extends Account {
  /** ask-and-wait: the workflow whose executions wait. */
  workflow: Workflow;
  tables: DataTables;
  /** Posts customers, whom ask-and-wait asks. */
  ask(customers: Customer[]): Promise<void>;
  /** Hands records over to ask-and-wait-replies, as the inbox does. Returns when that has ended. */
  handOver(records: object[]): Promise<void>;
  /** Question and outcome of each customer, sorted. */
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
  await tables.create(TOLD, ['question', 'outcome']);
  const workflow = await client.importWorkflow(withChoices(readDesk('ask-and-wait'), choices), []);
  await client.publish(workflow);
  const replies = await client.importWorkflow(readDesk('ask-and-wait-replies'), []);
  await client.publish(replies);
  await expect
    .poll(async () => (await tables.rows('sms_subscribers')).map(({ wants }) => wants))
    .toEqual(['all']);
  const { ask } = await publishAsking(client, workflow, rowOfOutcome());
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
    ask,
    outcomes: async () =>
      (await tables.rows(TOLD))
        .map((row) => `${text(row, 'question')} ${text(row, 'outcome')}`)
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

/** A row for each outcome. */
function rowOfOutcome(): INode {
  const value = {
    question: '={{ $json.question }}',
    outcome: "={{ [$json.outcome, $json.answer, $json.reason].filter(Boolean).join(' ') }}",
  };
  return anyNode('n8n-nodes-base.dataTable', 1.1, 'A row of my calendar', {
    resource: 'row',
    operation: 'insert',
    dataTableId: { __rl: true, mode: 'name', value: TOLD },
    columns: {
      mappingMode: 'defineBelow',
      value,
      schema: Object.keys(value).map((id) => ({
        id,
        displayName: id,
        type: 'string',
        display: true,
      })),
    },
  });
}
