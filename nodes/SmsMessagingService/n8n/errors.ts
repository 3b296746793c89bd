import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

/**
 * What n8n looks for in the message of each error of a node, in any case and inside words. Where it finds one,
 * it replaces the message by its own: for ECONNRESET "You can retry the request immediately", though the
 * SMS may have been sent. It looks again when a sub-workflow, a tool or MCP passes the text on.
 */
export const SYSTEM_ERRORS =
  'ECONNREFUSED ECONNRESET ENOTFOUND ETIMEDOUT ERRADDRINUSE EADDRNOTAVAIL ECONNABORTED EHOSTUNREACH EAI_AGAIN ENOENT EISDIR ENOTDIR EACCES EEXIST EPERM GETADDRINFO'.split(
    ' ',
  );

const LONGEST = Math.max(...SYSTEM_ERRORS.map(({ length }) => length));

/**
 * A text that n8n passes on as it is. A hyphen after its first letter breaks the name of a system error:
 * `E-CONNRESET`, `pre-existing`, `Update-Permission`.
 */
export function unreplaced(text: string): string {
  if (!isReplaced(text)) return text;
  let kept = '';
  for (const letter of [...text].reverse()) {
    kept = letter + (isReplaced(letter + kept.slice(0, LONGEST)) ? '-' : '') + kept;
  }
  return kept;
}

function isReplaced(text: string): boolean {
  const upper = text.toUpperCase();
  return SYSTEM_ERRORS.some((name) => upper.includes(name));
}

export type NodeError = NodeOperationError | NodeApiError;

/** An error that is not about an answer of the service: for instance, about input that cannot be used. */
export function inputError(
  node: INode,
  message: string,
  { itemIndex, description }: { itemIndex?: number; description?: string } = {},
): NodeOperationError {
  return new NodeOperationError(node, unreplaced(message), {
    level: 'warning',
    itemIndex,
    description: description && unreplaced(description),
  });
}

/**
 * Turns an error into a NodeOperationError. A NodeOperationError or NodeApiError stays as it is. Checks
 * that do not know the node throw a UserError: the node and the item are added here.
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
  if (error instanceof NodeOperationError || error instanceof NodeApiError) return error;
  const { message, description } = error as { message: string; description?: string | null };
  return inputError(node, message, { itemIndex, description: description ?? undefined });
}
