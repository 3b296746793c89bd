import type { INodeParameters } from 'n8n-workflow';

import type { N8nClient, Workflow } from './client';
import { anyNode, chain } from './workflow';

/** A workflow that puts items into another one. A call returns when the other one has ended. */
export async function publishCaller(
  client: N8nClient,
  { id }: Workflow,
): Promise<(items: object[]) => Promise<void>> {
  const path = `call-${id}`;
  const call = anyNode('n8n-nodes-base.executeWorkflow', 1.2, 'Call', {
    workflowId: { __rl: true, mode: 'id', value: id } as unknown as INodeParameters,
    mode: 'once',
    options: {},
  });
  await client.publish(await client.importWorkflow(chain(path, ...intake(path), call), []));
  return async (items) => void (await client.callWebhook(path, { items }));
}

function intake(path: string) {
  const webhook = anyNode('n8n-nodes-base.webhook', 2, 'Webhook', {
    httpMethod: 'POST',
    path,
    responseMode: 'lastNode',
    responseData: 'noData',
  });
  return [
    { ...webhook, webhookId: path },
    anyNode('n8n-nodes-base.splitOut', 1, 'Split Out', { fieldToSplitOut: 'body.items' }),
  ];
}
