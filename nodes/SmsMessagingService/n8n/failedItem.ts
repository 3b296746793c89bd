import type {
  IDataObject,
  INode,
  INodeExecutionData,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';

/** The item for a failure, in the shape that n8n sends to the error branch. */
export function failedItemOf(
  node: INode,
  { message, description, context }: NodeOperationError | NodeApiError,
  itemIndex: number,
): INodeExecutionData {
  const details = { description, ...(context.service as IDataObject) };
  return failedItem(node, { error: message, message, details }, itemIndex);
}

/**
 * An item for a failure, paired to its input item. It leaves on the error branch if the node has one.
 *
 * n8n since 2.34 recognises it by its json, which has the keys `error`, `message` and `details`. Older
 * versions take such json for a success. They recognise an `error` beside the json, and later replace the
 * json by that error. Here the `error` is not enumerable. Such a property is lost when n8n copies the item
 * to add the input item's json, so the json stays. (A node without a node before it has no such copy: only
 * the text of the error stays.)
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
