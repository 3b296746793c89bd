import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../n8n/errors';
import { failedItemFor, showHint } from '../n8n/output';
import { ParameterReader } from '../parameters/reader';
import type { ItemReader } from '../parameters/reader';
import { ServiceClient } from '../service/client';
import { sentences } from '../service/sentences';
import { itemJson } from './output';

export interface ItemTask {
  client: ServiceClient;
  item: ItemReader;
  itemIndex: number;
  /** Adds a record to the output, paired with the item. */
  give: (record: IDataObject) => void;
  onHint: (hint: string, type?: 'info') => void;
}

/**
 * Runs one item after another, with one request at a time.
 *
 * @param atEnd for records that never come again. Once there are some, nothing throws: a hint has this sentence and
 * what ended the run. Failed items come last, because n8n runs a node with Retry On Fail again if the first one has
 * failed, and throws the others away
 * @throws NodeApiError or NodeOperationError if an item failed and the node is set to stop on errors
 */
export async function forEachItem(
  context: IExecuteFunctions,
  run: (task: ItemTask) => Promise<void>,
  atEnd?: string,
): Promise<INodeExecutionData[]> {
  const node = context.getNode();
  const parameters = new ParameterReader(context);
  const output: INodeExecutionData[] = [];
  const failedItems: INodeExecutionData[] = atEnd === undefined ? output : [];
  const onHint = showHint.bind(undefined, context);
  let client: ServiceClient | undefined;
  for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
    const give = (record: IDataObject) =>
      void output.push({ json: itemJson(record), pairedItem: { item: itemIndex } });
    try {
      // Inside the loop, so that a credential that cannot be used is a failure of each item.
      client ??= await ServiceClient.create(context);
      await run({ client, item: parameters.forItem(itemIndex), itemIndex, give, onHint });
    } catch (cause) {
      const error = toNodeError(node, cause, itemIndex);
      if (context.continueOnFail()) failedItems.push(failedItemFor(node, error, itemIndex));
      else if (atEnd === undefined || output.length === 0) throw error;
      else {
        onHint(sentences(atEnd, error.message, error.description ?? ''));
        break;
      }
    }
  }
  return failedItems === output ? output : output.concat(failedItems);
}
