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

/** An operation that is asked for once per input item. */
interface ItemOperation extends OperationBase {
  /** Path under the base URL, as in §4. */
  path: string;
  /**
   * Whether path and fields are inferred, because the specification only names the operation (§4.14).
   * Then the user can adapt both: see `inferredProperties`.
   */
  isInferred?: boolean;
  /** Builds the request body from the item's parameters. Left out where §4 shows no body. */
  body?: (parameter: ItemParameter) => IDataObject;
  /** Makes the short version of a record that 'Simplify' asks for. */
  simplify?: (record: IDataObject) => IDataObject;
}

/** An operation that is one request per input item. */
export interface RequestOperation extends ItemOperation {
  /**
   * Turns the answer to a body into records.
   *
   * @throws UserError when the answer is not what §4 shows
   */
  records: (answer: unknown, body: IDataObject) => IDataObject[];
}

/** An operation that reads the pages of a list (§2.8) for each input item. */
export interface ListOperation extends ItemOperation {
  isList: true;
}

/** Reads a parameter of the node for the item at hand. */
export type ItemParameter = (name: string, fallback?: unknown) => unknown;

/** An operation that works across items: the sends and the pulls. */
export interface BatchOperation extends OperationBase {
  run: (context: IExecuteFunctions) => Promise<INodeExecutionData[][]>;
}

export type Operation = RequestOperation | ListOperation | BatchOperation;

/** A resource with its operations, as the node's table of contents lists them. */
export interface Resource {
  option: INodePropertyOptions & { value: string };
  /** In the order of the editor's list. */
  operations: Operation[];
  defaultOperation: Operation;
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
    ...operations.flatMap(({ option, properties }) =>
      updateDisplayOptions(
        { show: { resource: [resource.value], operation: [option.value] } },
        properties,
      ),
    ),
  ];
}
