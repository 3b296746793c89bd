import { expect } from '@playwright/test';

import { publishCaller } from './callers';
import { itemsOf, type Execution, type N8nClient, type Workflow } from './client';
import { DataTables } from './dataTables';
import { addTemplates, picked, readExample, withChoices, type Choices } from './examples';
import { executionsOf, SET_UP } from './inbox';
import type { Account } from './test';

/** The nodes at which a question ends. */
const ENDS = [
  'Confirmed',
  'Cancelled',
  'No answer in time',
  'Not asked: has opted out',
  'Not asked: the send was refused',
];

/** The example ask-and-wait, published. */
export interface Questions extends Account {
  workflow: Workflow;
  /** Asks customers, or hands over replies. Returns when that has ended. */
  call(items: object[]): Promise<void>;
  /** The executions that ask, oldest first. Each asks one customer. */
  asking(): Promise<Execution[]>;
  /** Phone number → how the question to it has ended, one entry for each question. */
  outcomes(): Promise<[phone: string, outcome: string][]>;
  /** Waits until so many executions wait for a reply. */
  waiting(count: number): Promise<void>;
}

/** Imports the example with an account of its own, and publishes it and a workflow that calls it. */
export async function openQuestions(
  client: N8nClient,
  openAccount: () => Promise<Account>,
  choices: Choices = {},
): Promise<Questions> {
  const account = await openAccount();
  addTemplates(account.gateway);
  await new DataTables(client).createShared();
  const file = withChoices(readExample('ask-and-wait'), {
    'Send the question': { templateId: picked(306), signatureId: picked(202) },
    ...choices,
  });
  const workflow = await client.importWorkflow(file, [account.credential]);
  await client.run(workflow, SET_UP);
  await client.publish(workflow);
  const call = await publishCaller(client, workflow);
  const asking = async () => {
    const all = await executionsOf(client, workflow);
    return all.filter(({ data }) => data.resultData.runData['Read the number']);
  };
  return {
    ...account,
    workflow,
    call,
    asking,
    outcomes: async () =>
      (await asking()).flatMap((execution) =>
        ENDS.flatMap((node) =>
          itemsOf(execution, node).map(
            ({ json }) => [json.phone_number, json.outcome] as [string, string],
          ),
        ),
      ),
    waiting: async (count) => {
      const statuses = async () =>
        (await asking()).filter(({ status }) => status === 'waiting').length;
      await expect.poll(statuses, { message: `${count} executions wait` }).toBe(count);
    },
  };
}
