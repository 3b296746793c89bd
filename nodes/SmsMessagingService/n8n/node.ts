import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { inputError } from './errors';

export const NODE_VERSION = 1;

/**
 * n8n runs a node of any version with the only one that there is. But the fields of another version may mean
 * something else. A node that was made outside the editor may name none.
 *
 * @throws NodeOperationError for another version
 */
export function requireKnownVersion(node: INode): void {
  const { typeVersion = NODE_VERSION } = node as Partial<INode>;
  if (typeVersion === NODE_VERSION) return;
  const problem = `This node has version ${String(typeVersion)}, and the installed package knows version ${NODE_VERSION} only`;
  const description =
    'A newer package may have made it: upgrade n8n-nodes-sms-messaging-service. Or delete this node, and add it again.';
  throw inputError(node, problem, { description });
}

/** Whether an AI agent calls the node. n8n gives a node that is a tool a node type with this name. */
export function isTool(context: IExecuteFunctions): boolean {
  return context.getNode().type.endsWith('Tool');
}
