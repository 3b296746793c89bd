import { updateDisplayOptions } from 'n8n-workflow';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import type { ItemParameter } from '../parameters/reader';
import type { Endpoint } from './endpoint';
import type { RecordOutput } from './records/output';

/** What every operation has. */
interface OperationBase {
  /** Its entry in the list of operations. */
  option: INodePropertyOptions & { value: string; action: string };
  /** Its fields. `describeResources` shows them for this operation only. */
  properties: INodeProperties[];
}

/** What the operations share that run once for each input item. */
interface ItemOperation extends OperationBase {
  endpoint: Endpoint;
  /** Builds the request body from the item's parameters. Left out for an empty body. */
  body?: (parameter: ItemParameter) => IDataObject;
  /** What the user can choose to get of a record. Left out: all of it. */
  output?: RecordOutput;
}

/** An operation that makes one request for each input item. */
export interface RequestOperation extends ItemOperation {
  kind: 'request';
  /**
   * Turns the answer to a body into records.
   *
   * @throws UserError when the answer is not of the expected shape
   */
  records: (answer: unknown, body: IDataObject) => IDataObject[];
}

/** An operation that reads the pages of a list for each input item. */
export interface ListOperation extends ItemOperation {
  kind: 'list';
}

/** An operation that works on all items together: the sends and the pulls. */
export interface BatchOperation extends OperationBase {
  kind: 'batch';
  run: (context: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
}

export type Operation = RequestOperation | ListOperation | BatchOperation;

/** A resource with its operations. */
export interface Resource {
  option: INodePropertyOptions & { value: string };
  /** In the order of the editor's list. */
  operations: Operation[];
  defaultOperation: Operation;
}

/** The node's properties: the list of resources, and for each its operations and their fields. */
export function describeResources(
  defaultResource: string,
  resources: Resource[],
): INodeProperties[] {
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      options: resources.map(({ option }) => option),
      default: defaultResource,
    },
    ...resources.flatMap(describeOperations),
  ];
}

function describeOperations({
  option: resource,
  operations,
  defaultOperation,
}: Resource): INodeProperties[] {
  const defaultValue = defaultOperation.option.value;
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource.value] } },
      options: operations.map(({ option }) => option),
      default: defaultValue,
    },
    ...operations.flatMap((operation) =>
      updateDisplayOptions(
        { show: { resource: [resource.value], operation: [operation.option.value] } },
        propertiesOf(operation),
      ),
    ),
  ];
}

function propertiesOf(operation: Operation): INodeProperties[] {
  if (operation.kind === 'batch') return operation.properties;
  const { notices, properties } = operation.endpoint;
  return [...notices, ...operation.properties, ...properties];
}
