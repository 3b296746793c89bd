import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

/** The error for input that cannot be used as it is. */
export function inputError(
  node: INode,
  message: string,
  options: { itemIndex?: number; description?: string } = {},
): NodeOperationError {
  const error = new NodeOperationError(node, message, { level: 'warning', ...options });
  // n8n replaces a text that happens to contain, say, "EEXIST" ("preexisting").
  error.message = message;
  return error;
}

/**
 * Any error as one of n8n's two. A check that knows no node throws a UserError: the node and the item
 * are added here.
 */
export function toNodeError(
  node: INode,
  error: unknown,
  itemIndex?: number,
): NodeOperationError | NodeApiError {
  if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
  const { message, description } = error as { message: string; description?: string | null };
  return inputError(node, message, { itemIndex, description: description ?? undefined });
}
