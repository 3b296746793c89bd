import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { isTool } from '../n8n/node';
import { failedItemFor, showHint } from '../n8n/output';
import { readValues } from '../parameters/options';
import { ItemReader, ParameterReader } from '../parameters/reader';
import type { Asked } from '../service/advice';
import { ServiceClient, withExtraFields } from '../service/client';
import { ExactNumber } from '../service/json';
import { lookUp, readList } from '../service/pages';
import type { ListOptions, ListQuery } from '../service/pages';
import type { RecordId } from '../service/changes';
import { sentences } from '../service/sentences';
import { readAdaptation } from './endpoint';
import type { ItemOperation, ListOperation, Operation, Resource } from './operation';
import { itemJson } from './output';
import { HOW_MANY, LIST_OPTIONS } from './records';

export async function runOperation(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  try {
    let operation: Operation;
    try {
      operation = requireOperation(context, resources);
    } catch (error) {
      const node = context.getNode();
      if (!context.continueOnFail()) throw toNodeError(node, error);
      // Of every item: otherwise n8n would pass the input on as if all were done.
      const failed = (item: number) => failedItemFor(node, toNodeError(node, error, item), item);
      return [context.getInputData().map((_, item) => failed(item))];
    }
    if (operation.kind === 'batch') return [await operation.run(context)];
    const asked = askedOf(operation);
    const items = forEachItem(context, async ({ give, ...task }) => {
      for (const record of await runItem(operation, { ...task, asked })) give(record);
    });
    return [await (operation.repetition === 'reads' ? items : items.catch(sayWhatWasDone))];
  } catch (error) {
    throw isTool(context) ? inOneText(error as NodeError) : (error as NodeError);
  }
}

/** The output of the items before the one that stops a run is lost: the error of a change says how many. */
function sayWhatWasDone(error: NodeError): never {
  const done = Number(error.context.itemIndex);
  const before = `But items before this one were done: ${done}. Take them out before you run again`;
  if (done > 0) error.description = sentences(error.description ?? '', before);
  throw error;
}

/** An error as a model reads it: n8n 1.100 gives it the description alone, and later versions both. */
function inOneText(error: NodeError): NodeError {
  error.message = sentences(error.message, error.description ?? '');
  error.description = undefined;
  return error;
}

function requireOperation(context: IExecuteFunctions, resources: Resource[]): Operation {
  const resource = context.getNodeParameter('resource', 0);
  const name = context.getNodeParameter('operation', 0);
  const operation = resources
    .find(({ option }) => option.value === resource)
    ?.operations.find(({ option }) => option.value === name);
  if (operation) return operation;
  const problem = `There is no operation '${name}' of the resource '${resource}'`;
  const description = 'Choose Resource and Operation from their lists.';
  throw inputError(context.getNode(), problem, { description });
}

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
      await run({ client, item: new ItemReader(parameters, itemIndex), itemIndex, give, onHint });
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

function askedOf({ kind, repetition, endpoint, target }: ItemOperation): Asked {
  const { isGuess, warning } = endpoint;
  const isMany = kind === 'list' && !target;
  const reads = kind === 'list' ? 'get' : 'balance';
  const task = isMany ? 'list' : repetition === 'reads' ? reads : repetition;
  return { task, isGuess, isMany, warning, names: { record: target?.label } };
}

async function runItem(
  operation: ItemOperation,
  { client, item, ...options }: Pick<ItemTask, 'client' | 'item'> & ListOptions,
): Promise<IDataObject[]> {
  const { endpoint, output, target, body } = operation;
  const { path, extra } = readAdaptation(endpoint, item);
  const id = target?.readId(item);
  const filters = { ...(target && { [target.idField]: id }), ...body?.(item) } as IDataObject;
  // Extra Fields may give another ID. If they do not, they may send this one under another name.
  const given = target && (extra[target.idField] ?? id);
  const wanted = (given instanceof ExactNumber ? String(given) : given) as RecordId | undefined;
  const reduce = output?.(item) ?? ((record: IDataObject) => record);
  if (operation.kind === 'list') {
    const query = { ...endpoint, client, path, filters, extra };
    return (await fetchList(operation, query, wanted, item, options)).map(reduce);
  }
  const exchange = await client.exchange(path, withExtraFields(filters, extra), endpoint);
  if (exchange.kind !== 'answered') throw client.errorFor(exchange, options);
  return operation.records(exchange.body, wanted).map(reduce);
}

/** The records of a list: the one that is looked for, all of them, or up to the limit. */
async function fetchList(
  { recordKind: { noun }, target }: ListOperation,
  query: ListQuery,
  wanted: RecordId | undefined,
  item: ItemReader,
  { onHint, ...options }: ListOptions,
): Promise<IDataObject[]> {
  if (target) {
    const found = await lookUp(query, wanted, options);
    if (found.length > 0) return found;
    throw new UserError(`The service gave no ${noun} with the ID ${String(wanted)}`, {
      description: `Choose another ${noun}, or check the expression that gives the ID.`,
    });
  }
  const isWhole = readValues({ returnAll: HOW_MANY.returnAll }, item, '').returnAll;
  const max = isWhole ? Infinity : readValues({ limit: HOW_MANY.limit }, item, '').limit;
  const pageSize = Math.min(max, readValues(LIST_OPTIONS, item).pageSize);
  const found: IDataObject[] = [];
  for await (const records of readList({ ...query, pageSize }, { ...options, onHint })) {
    for (const record of records.slice(0, max - found.length)) found.push(record);
    if (found.length >= max) break;
  }
  return found;
}
