import { randomUUID } from 'node:crypto';

import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import type { Credential, Workflow, WorkflowFile } from './client';

const PACKAGE = 'n8n-nodes-sms-messaging-service';

/** A node of this package. */
export function ownNode(
  type: 'smsMessagingService' | 'smsMessagingServiceTrigger',
  name: string,
  parameters: INodeParameters,
  { id, name: credentialName }: Credential,
): INode {
  return {
    ...anyNode(`${PACKAGE}.${type}`, 1, name, parameters),
    credentials: { smsMessagingServiceApi: { id, name: credentialName } },
  };
}

/** A node of any type, at the origin of the canvas. */
export function anyNode(
  type: string,
  typeVersion: number,
  name: string,
  parameters: INodeParameters = {},
): INode {
  return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters };
}

/** n8n takes no interval below a minute, but as many times within each minute as one likes. */
export function pollEvery(seconds: number): INodeParameters {
  const item = Array.from({ length: 60 / seconds }, (_, index) => ({
    mode: 'custom',
    cronExpression: `${index * seconds} * * * * *`,
  }));
  return { item };
}

/** The parameters of a Schedule Trigger. */
export function everySeconds(secondsInterval: number): INodeParameters {
  return { rule: { interval: [{ field: 'seconds', secondsInterval }] } };
}

/** A workflow in which each node is connected to the next. */
export function chain(name: string, ...nodes: INode[]): WorkflowFile {
  const connections: IConnections = {};
  nodes.forEach((node, index) => {
    node.position = [240 * index, 0];
    const next = nodes[index + 1];
    if (next) connections[node.name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
  });
  return { name, nodes, connections, settings: { executionOrder: 'v1' } };
}

/** The node that starts a workflow from the editor. */
export function manualTrigger(): INode {
  return anyNode('n8n-nodes-base.manualTrigger', 1, 'Start');
}

/** The parameters of a node that sends a template SMS. */
export function templateSms(phoneNumbers: string, options: INodeParameters = {}): INodeParameters {
  const byId = (value: string) => ({ __rl: true, mode: 'id', value }) as unknown as INodeParameters;
  return {
    resource: 'message',
    operation: 'sendTemplate',
    templateId: byId('301'),
    signatureId: byId('201'),
    phoneNumbers,
    parameterMode: 'json',
    parametersJson: '{"code": "4821", "minutes": "5"}',
    options,
  };
}

/** A webhook. It answers at once, or as `answer` says. */
export function webhookAt(path: string, answer: INodeParameters = {}, name = 'Webhook'): INode {
  const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived', ...answer };
  return { ...anyNode('n8n-nodes-base.webhook', 2, name, parameters), webhookId: path };
}

/** An item for each entry of a list that a webhook gets. */
export function itemsOfBody(list: string): INode {
  return anyNode('n8n-nodes-base.splitOut', 1, 'Split Out', { fieldToSplitOut: `body.${list}` });
}

/** The node that calls another workflow, once for all items. */
export function callTo({ id }: Workflow, name = 'Call', waitForSubWorkflow = true): INode {
  const workflowId = { __rl: true, mode: 'id', value: id } as unknown as INodeParameters;
  const parameters = { workflowId, mode: 'once', options: { waitForSubWorkflow } };
  return anyNode('n8n-nodes-base.executeWorkflow', 1.2, name, parameters);
}

/** A workflow that sends a template SMS to each of the `people` that a webhook gets. */
export function sendByWebhook(
  path: string,
  credential: Credential,
  { options, ...settings }: Partial<INode> & { options?: INodeParameters } = {},
): WorkflowFile {
  const sms = templateSms('={{ $json.phone }}', options);
  const send = ownNode('smsMessagingService', 'Send', sms, credential);
  return chain(path, webhookAt(path), itemsOfBody('people'), { ...send, ...settings });
}
