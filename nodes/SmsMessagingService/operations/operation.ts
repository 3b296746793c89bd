import { updateDisplayOptions } from 'n8n-workflow';
import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import type { Fields } from '../parameters/fields';
import type { ABOUT } from '../parameters/locators';
import { withSavedCollections } from '../parameters/options';
import type { OptionField } from '../parameters/options';
import type { ItemReader } from '../parameters/reader';
import type { ExactNumber } from '../service/json';
import type { RecordId } from '../service/changes';
import { withEndpointFields } from './endpoint';
import type { Endpoint } from './endpoint';
import type { RecordOutput } from './output';

export interface RecordKind {
  /** The resource, as in workflows. */
  value: keyof typeof ABOUT;
  /** As in "Get qualification". Its plural has an s. */
  noun: string;
  /** The field in which the user chooses a record. */
  locator: INodeProperties;
  /** What both Create and Update accept. */
  fields: Fields;
  /** The request behind Get and Get Many. */
  list: {
    endpoint: Endpoint;
    /** The name of the ID in the request. Default: `id`. */
    idField?: string;
    /** What else can be searched for. */
    filters: Fields;
  };
  output: RecordOutput;
}

interface OperationBase {
  /** Its entry in the list of operations. */
  option: INodePropertyOptions & { value: string; action: string; description: string };
  endpoint: Endpoint;
  /** What a second call with the same values does. */
  repetition: keyof typeof REPETITION;
  /** Its own fields, and what is under Options. `describeResources` adds those that every operation has. */
  properties: INodeProperties[];
  options?: Record<string, OptionField>;
}

interface ItemOperationBase extends OperationBase {
  /** Builds the request body from the item's parameters. Default: an empty body. */
  body?: (item: ItemReader) => IDataObject;
  /** Reduces a record to what the user chose. Default: the whole record. */
  output?: (item: ItemReader) => (record: IDataObject) => IDataObject;
  /** The record that it is about: the name of the ID in the request, and the user's choice. */
  target?: {
    idField: string;
    /** The name of the field in which the user chooses it. */
    label: string;
    readId: (item: ItemReader) => number | ExactNumber;
  };
}

/** An operation that makes one request for each input item. */
export interface RequestOperation extends ItemOperationBase {
  kind: 'request';
  repetition: 'reads' | 'created' | 'updated' | 'deleted';
  /**
   * Turns the answer into records.
   *
   * @param id of the record that the operation is about, whatever field it was sent in
   * @throws UserError if the answer does not have the expected shape
   */
  records: (answer: unknown, id?: RecordId) => IDataObject[];
}

/** An operation that reads the pages of a list for each input item: for its target, or for all records. */
export interface ListOperation extends ItemOperationBase {
  kind: 'list';
  repetition: 'reads';
  recordKind: RecordKind;
}

/** An operation that works on all items together: the sends and the pulls. */
export interface BatchOperation extends OperationBase {
  kind: 'batch';
  run: (context: IExecuteFunctions) => Promise<INodeExecutionData[]>;
}

export type ItemOperation = RequestOperation | ListOperation;

export type Operation = ItemOperation | BatchOperation;

export interface Resource {
  option: INodePropertyOptions & { value: string };
  operations: Operation[];
  defaultOperation: Operation;
}

/** The node's properties: the list of resources, then the operations of each resource with their fields. */
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
      options: operations.map((operation) => ({
        ...operation.option,
        builderHint: { propertyHint: REPETITION[operation.repetition] },
      })),
      default: defaultValue,
    },
    ...operations.flatMap((operation) => {
      const { option, properties, endpoint, options } = operation;
      return updateDisplayOptions(
        { show: { resource: [resource.value], operation: [option.value] } },
        [
          toolDescription(operation),
          ...withSavedCollections(withEndpointFields(properties, endpoint, options)),
        ],
      );
    }),
  ];
}

/**
 * What a second call with the same values does, by what the first one did: said to people in
 * docs/reference/operations.md, and to models in the tool's description and in the hint for n8n's workflow builder.
 */
const REPETITION = {
  reads: 'It only reads, so it can be repeated.',
  sends:
    'Each message costs money and cannot be taken back. A second call with the same values sends a second message.',
  usesUp:
    'What is pulled may be gone from the service, for a trigger too. To start a workflow with delivery reports or replies, use the SMS Messaging Service Trigger instead.',
  created: 'A second call may create a second one.',
  updated: 'It can be repeated: it sets the same values again.',
  deleted: 'It may be impossible to undo.',
} as const;

/**
 * What an agent's model is told about a tool. Without this field, n8n tells it only the operation's action,
 * which does not say that a message costs money. n8n adds no field of its own if this one is there.
 */
function toolDescription({ option, repetition }: Operation): INodeProperties {
  const { action, description } = option;
  return {
    displayName: 'Tool Description',
    name: 'toolDescription',
    type: 'string',
    typeOptions: { rows: 5 },
    default: `${action}. ${description}. ${REPETITION[repetition]}`,
    required: true,
    placeholder:
      'e.g. Sends the customer the status of an order, once the customer has asked for it.',
    description:
      'What the model is told about this tool. Add when it should use the tool, and when it should not.',
    displayOptions: { show: { '@tool': [true] } },
  };
}
