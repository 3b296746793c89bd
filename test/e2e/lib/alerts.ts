import { randomUUID } from 'node:crypto';

import type { Credential, N8nClient, Workflow, WorkflowFile } from './client';
import { anyNode } from './workflow';

/** Settings with which n8n says that its data tables are full. Rows can be read and deleted. */
export const FULL = { N8N_DATA_TABLES_MAX_SIZE_BYTES: '1' };

/** A workflow that looks for something by a schedule, published. */
export interface Look {
  workflow: Workflow;
  /** One look, as if its time had come. It rejects if the execution fails. */
  look(): Promise<void>;
}

/**
 * Publishes a workflow with a schedule, and a webhook that starts it too: n8n keeps the static data of
 * production executions only.
 */
export async function publishLook(
  client: N8nClient,
  file: WorkflowFile,
  schedule: string,
  credentials: Credential[],
): Promise<Look> {
  const path = `look-${randomUUID()}`;
  const webhook = anyNode('n8n-nodes-base.webhook', 2, 'Look now', {
    httpMethod: 'POST',
    path,
    responseMode: 'lastNode',
    responseData: 'noData',
  });
  const connections = { ...file.connections, 'Look now': file.connections[schedule] ?? {} };
  const nodes = [
    ...file.nodes.map((node) => (node.name === schedule ? { ...node, disabled: true } : node)),
    { ...webhook, webhookId: path },
  ];
  const workflow = await client.importWorkflow({ ...file, nodes, connections }, credentials);
  await client.publish(workflow);
  return { workflow, look: async () => void (await client.callWebhook(path, {})) };
}
