import { randomUUID } from 'node:crypto';

import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import type { Credential, WorkflowFile } from './client';

const PACKAGE = 'n8n-nodes-sms-messaging-service';

/** A node of this package. */
export function ownNode(
  type: 'smsMessagingService' | 'smsMessagingServiceTrigger' | 'smsMessagingServiceTool',
  name: string,
  parameters: INodeParameters,
  { id, name: credentialName }: Credential,
): INode {
  return {
    ...anyNode(`${PACKAGE}.${type}`, 1, name, parameters),
    credentials: { smsMessagingServiceApi: { id, name: credentialName } },
  };
}

export function anyNode(
  type: string,
  typeVersion: number,
  name: string,
  parameters: INodeParameters = {},
): INode {
  return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters };
}

/** A workflow of nodes in a row, each connected to the next. */
export function chain(name: string, ...nodes: INode[]): WorkflowFile {
  const connections: IConnections = {};
  nodes.forEach((node, index) => {
    node.position = [240 * index, 0];
    const next = nodes[index + 1];
    if (next) connections[node.name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
  });
  return { name, nodes, connections, settings: { executionOrder: 'v1' } };
}

/** A resource locator's value, chosen by id. */
export function byId(id: number): INodeParameters {
  return { __rl: true, mode: 'id', value: String(id) } as unknown as INodeParameters;
}

export function manualTrigger(): INode {
  return anyNode('n8n-nodes-base.manualTrigger', 1, 'Start');
}
