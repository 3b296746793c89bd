import { UserError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { inputError, toNodeError } from '../n8n/errors';
import type { NodeError } from '../n8n/errors';
import { isTool, requireKnownVersion } from '../n8n/node';
import { failedItemFor } from '../n8n/output';
import { readValues } from '../parameters/options';
import type { ItemReader } from '../parameters/reader';
import type { Asked } from '../service/advice';
import { withExtraFields } from '../service/client';
import type { ErrorOptions, ServiceClient } from '../service/client';
import { ExactNumber } from '../service/json';
import { lookUp, readList } from '../service/pages';
import type { ListOptions } from '../service/pages';
import type { RecordId } from '../service/changes';
import { isId } from '../service/recordId';
import { sentences } from '../service/sentences';
import { readAdaptation } from './endpoint';
import { forEachItem } from './items';
import type { Adaptation } from './endpoint';
import type { ListOperation, Operation, RequestOperation, Resource } from './operation';
import { GET_MANY, LIMIT, PAGE_SIZE, RETURN_ALL } from './records';

export async function runOperation(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  try {
    return await runChosen(context, resources);
  } catch (error) {
    throw isTool(context) ? inOneText(error as NodeError) : (error as NodeError);
  }
}

/** An error as a model reads it: n8n 1.100 gives it the description alone, and later versions both. */
function inOneText(error: NodeError): NodeError {
  error.message = sentences(error.message, error.description ?? '');
  error.description = undefined;
  return error;
}

async function runChosen(
  context: IExecuteFunctions,
  resources: Resource[],
): Promise<INodeExecutionData[][]> {
  let operation: Operation;
  try {
    operation = requireOperation(context, resources);
  } catch (error) {
    return [failAllItems(context, error)];
  }
  if (operation.kind === 'batch') return await operation.run(context);
  return [await runItems(context, operation)];
}

function requireOperation(context: IExecuteFunctions, resources: Resource[]): Operation {
  requireKnownVersion(context.getNode());
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

/** Fails every item for the same reason. Otherwise n8n would pass the input on as if all were done. */
function failAllItems(context: IExecuteFunctions, cause: unknown): INodeExecutionData[] {
  const node = context.getNode();
  if (!context.continueOnFail()) throw toNodeError(node, cause);
  const items = context.getInputData();
  return items.map((_, item) => failedItemFor(node, toNodeError(node, cause, item), item));
}

async function runItems(
  context: IExecuteFunctions,
  operation: RequestOperation | ListOperation,
): Promise<INodeExecutionData[]> {
  const asked = askedOf(operation);
  return await forEachItem(context, async ({ client, item, give, ...options }) => {
    const records = await runItem(client, operation, item, { ...options, asked });
    for (const record of records) give(record);
  });
}

function askedOf(operation: RequestOperation | ListOperation): Asked {
  const { kind, endpoint, target } = operation;
  const isMany = kind === 'list' && !target;
  const ofRecord = kind === 'list' ? 'get' : (operation.change ?? 'balance');
  return {
    task: isMany ? 'list' : ofRecord,
    isGuess: endpoint.isGuess,
    isMany,
    warning: endpoint.warning,
    names: { record: target?.label },
  };
}

async function runItem(
  client: ServiceClient,
  operation: RequestOperation | ListOperation,
  item: ItemReader,
  options: ListOptions,
): Promise<IDataObject[]> {
  const { endpoint, output, target, body } = operation;
  const adaptation = readAdaptation(endpoint, item);
  const id = target?.readId(item);
  const own = { ...(target && { [target.idField]: id }), ...body?.(item) } as IDataObject;
  // Extra Fields may give another ID. If they do not, they may send this one under another name.
  const wanted = target && (recordId(adaptation.extra[target.idField]) ?? recordId(id));
  const reduce = output?.(item);
  const records =
    operation.kind === 'list'
      ? await fetchList(client, operation, { ...adaptation, own, wanted }, item, options)
      : await fetchRecords(client, operation, { ...adaptation, own, wanted }, options);
  return reduce ? records.map(reduce) : records;
}

interface ItemQuery extends Adaptation {
  /** The request fields of the operation, without the user's extra ones. */
  own: IDataObject;
  /** The ID of the record that it is about, beside the body, because Extra Fields can change the body. */
  wanted?: RecordId;
}

async function fetchRecords(
  client: ServiceClient,
  { records, endpoint: { isAuthorized } }: RequestOperation,
  { path, extra, own, wanted }: ItemQuery,
  options: ErrorOptions,
): Promise<IDataObject[]> {
  const exchange = await client.exchange(path, withExtraFields(own, extra), { isAuthorized });
  if (exchange.kind !== 'answered') throw client.errorFor(exchange, options);
  return records(exchange.body, wanted);
}

function recordId(id: unknown): RecordId | undefined {
  if (Array.isArray(id) && id.length === 1) return recordId(id[0]);
  if (id instanceof ExactNumber) return String(id);
  return isId(id) ? (id as RecordId) : undefined;
}

/** The records of a list: the one that is looked for, all of them, or up to the limit. */
async function fetchList(
  client: ServiceClient,
  { recordKind: { noun }, target }: ListOperation,
  { own, wanted, ...adaptation }: ItemQuery,
  item: ItemReader,
  { onHint, ...options }: ListOptions,
): Promise<IDataObject[]> {
  const query = { client, filters: own, ...adaptation };
  if (target) {
    const { found, hasOthers } = await lookUp(query, wanted, options);
    if (found.length === 0) throw notFoundError(hasOthers, wanted, noun);
    return found;
  }
  const { returnAll } = readValues({ returnAll: RETURN_ALL }, item, '');
  const limit = returnAll ? Infinity : readValues({ limit: LIMIT }, item, '').limit;
  const { pageSize: size } = readValues({ pageSize: PAGE_SIZE }, item);
  const pageSize = Math.min(limit, size);
  const found: IDataObject[] = [];
  for await (const records of readList({ ...query, pageSize }, { ...options, onHint })) {
    for (const record of records.slice(0, limit - found.length)) found.push(record);
    if (found.length >= limit) break;
  }
  return found;
}

function notFoundError(hasOthers: boolean, id: unknown, noun: string): UserError {
  return hasOthers
    ? new UserError(`The service gave other ${noun}s than the one with the ID ${String(id)}`, {
        description: `It seems to ignore the ID. Look for the ${noun} with '${GET_MANY}', or check the ID.`,
      })
    : new UserError(`There is no ${noun} with the ID ${String(id)}`, {
        description: `Choose another ${noun}, or check the expression that gives the ID.`,
      });
}
