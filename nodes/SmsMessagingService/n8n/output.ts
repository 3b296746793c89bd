import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import type { NodeError } from './errors';

/** The item for an error, in the shape that n8n sends to the error branch. */
export function failedItemFor(
  node: INode,
  { message, description, context }: NodeError,
  itemIndex: number,
): INodeExecutionData {
  const details = { description, ...(context.service as IDataObject) };
  return failedItem(node, { error: message, details }, itemIndex);
}

/**
 * A failed item, paired to its input item. It leaves on the error branch if the node has one.
 *
 * n8n since 2.34 recognises it by its json, which has only the keys `error` and `details`. It merges the json
 * over that of the input item, so any other key would replace what people map. Older
 * versions take such json for a success. They recognise an `error` beside the json, and later replace the
 * json by that error. Here the `error` is not enumerable, so it is lost when n8n copies the item to add the
 * input item's json, and the json stays. (If no node comes before this one, there is no such copy, and
 * only the text of the error stays.)
 */
export function failedItem(
  { onError }: INode,
  json: IDataObject,
  itemIndex: number,
): INodeExecutionData {
  const item: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
  if (onError === 'continueErrorOutput') {
    Object.defineProperty(item, 'error', { value: json, enumerable: false, writable: true });
  }
  return item;
}

/** A text for a place that the editor shows as HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Shows a hint beside the output, where n8n reads HTML. n8n before 1.101 shows none for a tool. */
export function showHint(
  context: IExecuteFunctions,
  message: string,
  type: 'info' | 'warning' = 'warning',
): void {
  const { addExecutionHints } = context as Partial<IExecuteFunctions>;
  addExecutionHints?.call(context, { type, location: 'outputPane', message: escapeHtml(message) });
}
