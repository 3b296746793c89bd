import { inOrder } from '../../../desk/order.mjs';
import type { Gateway } from '../../sandbox/gateway';
import type { Credential, N8nClient, Workflow, WorkflowFile } from './client';
import {
  addTemplates,
  deskNames,
  picked,
  readDesk,
  withChoices,
  type Choices,
} from './workflowFiles';
import { withFields } from './fields';

/** Workflow → the template and signature of the sandbox that it sends with, and the node that has them. */
const TEMPLATES: Record<string, [node: string, template: number, signature: number]> = {
  'ask-and-wait': ['Sample question', 306, 202],
  watchdog: ['Canary', 303, 201],
};

export interface Together {
  /** The workflows of the desk by the name of their file. */
  workflows: ReadonlyMap<string, Workflow>;
  /** A workflow of the desk. */
  workflow(name: string): Workflow;
}

/**
 * Imports the desk and connects them on one account, as desk/README.md says. Those without the
 * credentials that they need stay as imported.
 */
export async function connectAll(
  client: N8nClient,
  gateway: Gateway,
  credentials: Credential[],
  change: (name: string, file: WorkflowFile) => WorkflowFile = (_, file) => file,
): Promise<Together> {
  addTemplates(gateway);
  const workflows = new Map<string, Workflow>();
  for (const { id = '' } of inOrder(deskNames().map(readDesk))) {
    const name = id.replace(/^sms-/, '');
    const file = change(name, withTemplates(name));
    const workflow = await client.importWorkflow(file, credentials);
    workflows.set(name, workflow);
    const wanted = file.nodes.flatMap((node) => Object.keys(node.credentials ?? {}));
    const isReady = wanted.every((type) => credentials.some((each) => each.type === type));
    if (isReady) await client.publish(workflow);
  }

  const workflow = (name: string) => {
    const found = workflows.get(name);
    if (!found) throw new Error(`desk/workflows/${name}.json is missing.`);
    return found;
  };
  return { workflows, workflow };
}

/** The workflow with the IDs of its template and signature, as a user fills them in. */
function withTemplates(name: string): WorkflowFile {
  const file = readDesk(name);
  const [node, template, signature] = TEMPLATES[name] ?? [];
  if (node !== undefined) {
    const ids = { template_id: String(template), signature_id: String(signature) };
    return withFields(file, node, ids);
  }
  // These send by themselves.
  const choices: Choices = {};
  for (const { name: own, parameters } of name === 'outbox' ? [] : file.nodes) {
    if (parameters.operation !== 'sendTemplate') continue;
    choices[own] = { templateId: picked(302), signatureId: picked(202) };
  }
  return withChoices(file, choices);
}
