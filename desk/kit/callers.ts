import type { N8nClient, Workflow } from '../../test/kit/n8n/client';
import { callTo, chain, itemsOfBody, webhookAt } from '../../test/kit/n8n/workflow';

/** A workflow that puts items into another one. A call returns when the other one has ended. */
export async function publishCaller(
  client: N8nClient,
  workflow: Workflow,
): Promise<(items: object[]) => Promise<void>> {
  const path = `call-${workflow.id}`;
  const webhook = webhookAt(path, { responseMode: 'lastNode', responseData: 'noData' });
  const file = chain(path, webhook, itemsOfBody('items'), callTo(workflow));
  await client.publish(await client.importWorkflow(file, []));
  return async (items) => void (await client.callWebhook(path, { items }));
}
