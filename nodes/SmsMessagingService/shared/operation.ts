import { updateDisplayOptions } from 'n8n-workflow';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';

/** What every operation says of itself. Adding an operation is adding one such description. */
interface OperationBase {
  /** Its entry in the Operation dropdown. */
  option: INodePropertyOptions & { value: string; action: string };
  /** Its fields. They are shown for this operation only; nobody writes that condition by hand. */
  properties: INodeProperties[];
}

/** An operation that is one request per input item. */
export interface RequestOperation extends OperationBase {
  /** Path under the base URL, as in §4. */
  path: string;
  /** Builds the request body from the item's parameters. Left out where §4 shows no body. */
  body?: (parameter: (name: string) => unknown) => IDataObject;
  /**
   * Turns the answer into records.
   *
   * @throws UnexpectedShape when the answer is not what §4 shows
   */
  records: (answer: unknown) => IDataObject[];
}

/** An operation that works across items: the sends and the pulls. */
export interface BatchOperation extends OperationBase {
  run: (context: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
}

export type Operation = RequestOperation | BatchOperation;

/** A resource with its operations, as the node's table of contents lists them. */
export interface Resource {
  option: INodePropertyOptions & { value: string };
  /** The first one is the default. */
  operations: [Operation, ...Operation[]];
}

/** The node's properties: the Resource dropdown, and per resource its operations and their fields. */
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

function describeOperations({ option: resource, operations }: Resource): INodeProperties[] {
  const defaultOperation = operations[0].option.value;
  return [
    {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [resource.value] } },
      options: operations.map(({ option }) => option),
      default: defaultOperation,
    },
    ...operations.flatMap(({ option, properties }) =>
      updateDisplayOptions(
        { show: { resource: [resource.value], operation: [option.value] } },
        properties,
      ),
    ),
  ];
}
