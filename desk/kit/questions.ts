import { expect } from '@playwright/test';
import type { INode } from 'n8n-workflow';

import { publishCaller } from './callers';
import { itemsOf, type N8nClient, type Workflow, type Account } from '../../test/kit/n8n/client';
import { executionsOf } from './inbox';
import { readDesk, withChoices, type Choices } from '../../test/kit/workflows/workflowFiles';
import { publishOutbox } from './publishOutbox';
import type { Store, Tables } from './store';
import { anyNode, callTo, chain, itemsOfBody, webhookAt } from '../../test/kit/n8n/workflow';

/** Who is asked about an appointment. */
export interface Customer {
  /** The appointment's ID: the reference and, with the date, the key of the question. */
  id: string;
  phone: string;
  name: string;
  date: string;
}

interface Asking {
  asking: Workflow;
  /** Posts customers, whom ask-and-wait asks. */
  ask(customers: Customer[]): Promise<void>;
}

const ID = 'asks-customers';

/**
 * Publishes a workflow as a user makes one: it hands customers to ask-and-wait, and starts again with what
 * became of each.
 *
 * @param then what it does with an outcome
 */
export async function publishAsking(
  client: N8nClient,
  askAndWait: Workflow,
  then: INode,
): Promise<Asking> {
  const outcomes = anyNode('n8n-nodes-base.executeWorkflowTrigger', 1.1, 'Outcomes', {
    inputSource: 'passthrough',
  });
  const asks = chain(
    'Ask customers',
    webhookAt(ID),
    itemsOfBody('customers'),
    callTo(askAndWait, 'Ask and wait', false),
  );
  const told = chain('', outcomes, then);
  const file = {
    ...asks,
    id: ID,
    nodes: [...asks.nodes, ...told.nodes.map((node) => ({ ...node, position: below(node) }))],
    connections: { ...asks.connections, ...told.connections },
  };
  const workflow = await client.importWorkflow(file, []);
  await client.publish(workflow);
  return {
    asking: workflow,
    ask: async (customers) =>
      void (await client.callWebhook(ID, { customers: customers.map(questionTo) })),
  };
}

const below = ({ position: [x, y] }: INode): INode['position'] => [x, y + 200];

/** What ask-and-wait takes. The template 306 has the parameters, and names the answers 1 and 2. */
function questionTo({ id, phone, name, date }: Customer): object {
  return {
    phone,
    template_id: '306',
    signature_id: '202',
    parameters: { name, date },
    question: id,
    key: `appointment ${id} ${date}`,
    tell: ID,
  };
}

/** The workflow ask-and-wait, published, and one of the user's that asks by it. */
interface Questions extends Account, Pick<Asking, 'ask'> {
  tables: Tables;
  /** Hands records over to ask-and-wait, as the inbox does. Returns when that has ended. */
  handOver(records: object[]): Promise<void>;
  /** Question and outcome of each customer, sorted. */
  outcomes(): Promise<string[]>;
  /** Waits until so many executions wait for a reply. */
  waiting(count: number): Promise<void>;
}

/** Imports the outbox and the workflow with an account of their own, and publishes them. */
export async function openQuestions(
  client: N8nClient,
  openAccount: () => Promise<Account>,
  store: Store,
  choices: Choices = {},
): Promise<Questions> {
  const account = await openAccount();
  const { tables, credentials } = store;
  await publishOutbox(client, account, store);
  const workflow = await client.importWorkflow(
    withChoices(readDesk('ask-and-wait'), choices),
    credentials,
  );
  await client.publish(workflow);
  await expect
    .poll(async () => (await tables.rows('sms.subscribers')).map(({ wants }) => wants))
    .toEqual(['all']);
  const ends = anyNode('n8n-nodes-base.noOp', 1, 'The end');
  const { ask, asking } = await publishAsking(client, workflow, ends);
  const handOver = await publishCaller(client, workflow);
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
