import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

/** An error that is not about an answer of the service: for instance, about input that cannot be used. */
export function inputError(
  node: INode,
  message: string,
  options: { itemIndex?: number; description?: string } = {},
): NodeOperationError {
  const error = new NodeOperationError(node, message, { level: 'warning', ...options });
  // n8n replaces a message that contains the name of an error code, as "preexisting" contains "EEXIST".
  error.message = message;
  return error;
}

/**
 * Turns an error into a NodeOperationError. A NodeOperationError or NodeApiError stays as it is. Checks
 * that do not know the node throw a UserError: the node and the item are added here.
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
