import type { INode } from 'n8n-workflow';

import type { N8nClient, Workflow } from './client';
import { anyNode, callTo, chain, itemsOfBody, webhookAt } from './workflow';

/** Who is asked about an appointment. */
export interface Customer {
  /** The appointment's ID: the reference and, with the date, the key of the question. */
  id: string;
  phone: string;
  name: string;
  date: string;
}

export interface Asking {
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
