import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent calls the node. n8n gives a node that is a tool a node type with this name. */
export function isTool(context: IExecuteFunctions): boolean {
  return context.getNode().type.endsWith('Tool');
}
