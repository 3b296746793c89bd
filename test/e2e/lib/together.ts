import type { IDataObject } from 'n8n-workflow';

import type { Gateway } from '../../sandbox/gateway';
import {
  errorOf,
  type Credential,
  type N8nClient,
  type Workflow,
  type WorkflowFile,
} from './client';
import {
  addTemplates,
  exampleNames,
  picked,
  readExample,
  withChoices,
  type Choices,
} from './examples';
import { SET_UP } from './inbox';

const INBOX = 'inbox';

/** The parameters of a template → the template in the sandbox that has them, with its signature. */
const TEMPLATES: Record<string, { templateId: object; signatureId: object }> = {
  '': { templateId: picked(303), signatureId: picked(201) },
  'code,minutes': { templateId: picked(301), signatureId: picked(201) },
  'date,name,order': { templateId: picked(302), signatureId: picked(202) },
  'balance,threshold': { templateId: picked(305), signatureId: picked(201) },
  'date,name': { templateId: picked(306), signatureId: picked(202) },
};

export interface Together {
  /** All example workflows by the name of their file. */
  workflows: ReadonlyMap<string, Workflow>;
  /** An example workflow. */
  workflow(name: string): Workflow;
}

/**
 * Imports all examples and connects them on one account, as docs/workflows.md says. Those without the
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
  const add = async (name: string, choices: Choices = {}) => {
    const file = withChoices(withTemplates(readExample(name)), choices);
    const workflow = await client.importWorkflow(change(name, file), credentials);
    workflows.set(name, workflow);
    const wanted = file.nodes.flatMap((node) => Object.keys(node.credentials ?? {}));
    const isReady = wanted.every((type) => credentials.some((each) => each.type === type));
    if (isReady && workflow.nodes.some((node) => node.name === SET_UP)) {
      const execution = await client.run(workflow, SET_UP);
      if (execution.status !== 'success') throw new Error(`${name}: ${errorOf(execution)}`);
    }
    return { workflow, isReady };
  };

  // The inbox creates the tables that the others share.
  const others = exampleNames().filter((name) => name !== INBOX);
  const { workflow: inbox } = await add(INBOX);
  for (const name of others) {
    const { workflow, isReady } = await add(name);
    if (isReady && canBePublished(workflow)) await client.publish(workflow);
  }
  await client.publish(inbox);

  const workflow = (name: string) => {
    const found = workflows.get(name);
    if (!found) throw new Error(`examples/${name}.json is missing.`);
    return found;
  };
  return { workflows, workflow };
}

/** The example with a template that has its parameters, in every node that sends one. */
function withTemplates(file: WorkflowFile): WorkflowFile {
  const choices: Choices = {};
  for (const { name, type, parameters } of file.nodes) {
    if (!type.includes('smsMessagingService') || parameters.operation !== 'sendTemplate') continue;
    const { schema } = parameters.parameters as unknown as { schema: IDataObject[] };
    const template =
      TEMPLATES[
        schema
          .map(({ id }) => id)
          .sort()
          .join()
      ];
    if (!template) throw new Error(`No template for "${name}" of "${file.name}".`);
    choices[name] = template;
  }
  return withChoices(file, choices);
}

/** A workflow with manual triggers and a chat only has nothing to publish. */
function canBePublished({ nodes }: Workflow): boolean {
  return nodes.some(
    ({ type }) =>
      /trigger$|webhook$/i.test(type) && !/manualTrigger|chatTrigger|formTrigger/.test(type),
  );
}
