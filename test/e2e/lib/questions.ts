import { expect } from '@playwright/test';

import { publishCaller } from './callers';
import { itemsOf, type N8nClient } from './client';
import { executionsOf } from './inbox';
import { DataTables } from './dataTables';
import { publishAsking, type Customer } from './asking';
import { readDesk, withChoices, type Choices } from './workflowFiles';
import { publishOutbox } from './publishOutbox';
import type { Account } from './test';
import { anyNode } from './workflow';

/** The workflows ask-and-wait and ask-and-wait-replies, published, and one of the user's that asks by them. */
export interface Questions extends Account {
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
  await tables.remove('sms_questions', 'sms_subscribers', 'sms_inbox');
  await tables.createShared();
  const workflow = await client.importWorkflow(withChoices(readDesk('ask-and-wait'), choices), []);
  await client.publish(workflow);
  const replies = await client.importWorkflow(readDesk('ask-and-wait-replies'), []);
  await client.publish(replies);
  await expect
    .poll(async () => (await tables.rows('sms_subscribers')).map(({ wants }) => wants))
    .toEqual(['all']);
  const ends = anyNode('n8n-nodes-base.noOp', 1, 'The end');
  const { ask, asking } = await publishAsking(client, workflow, ends);
  const handOver = await publishCaller(client, replies);
  return {
    ...account,
    tables,
    handOver,
    ask,
    outcomes: async () =>
      (await executionsOf(client, asking))
        .flatMap((each) => itemsOf(each, ends.name))
        .map(({ json: { question, outcome, answer, reason } }) =>
          [question, outcome, answer, reason].filter(Boolean).join(' '),
        )
        .sort(),
    waiting: async (count) => {
      const all = () => client.executions(workflow);
      const waiting = async () => (await all()).filter((each) => each.status === 'waiting').length;
      const message = `${count} executions wait`;
      await expect.poll(waiting, { message, timeout: 120_000 }).toBe(count);
    },
  };
}
