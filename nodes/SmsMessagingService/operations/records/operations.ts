import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { inferredProperties, readExtraFields } from '../inferred';
import type { ItemParameter, ListOperation, RequestOperation } from '../operation';
import { locatorValue } from '../../parameters/reader';
import { requireInteger } from '../../parameters/values';
import {
  collectionProperty,
  readOptional,
  readRequired,
  requiredProperties,
} from '../../parameters/fields';
import type { Fields, OptionalFields } from '../../parameters/fields';
import { findById, readChanged, readDeleted, readInferredChange } from './answers';

/** The five things that can be done with the records of the service, for any kind of record. */

/** What the operations of one kind of record share. */
export interface RecordKind {
  /** As in a sentence: "Get a qualification". */
  noun: string;
  plural: string;
  /** How a person picks a record of the kind. */
  locator: INodeProperties;
  /** The operation that lists them, which also finds one by its id. */
  list: Endpoint & {
    /** The name that it gives to the id; left out: `id`. */
    idField?: string;
  };
  /** The short version of a record, where it has more than ten fields. */
  simplify?: (record: IDataObject) => IDataObject;
}

interface Endpoint {
  /** As in §4. */
  path: string;
  /** Whether the path is inferred, since §4.14 gives only the operation's name. */
  isInferred?: boolean;
}

/** All records, or those that the filters leave. */
export function getManyOperation(
  { plural, simplify, list: { path, isInferred } }: RecordKind,
  { filters }: { filters: Fields },
): ListOperation {
  const optional: OptionalFields = {
    name: 'filters',
    displayName: 'Filters',
    placeholder: 'Add filter',
    fields: filters,
  };
  return {
    option: {
      name: 'Get Many',
      value: 'getAll',
      action: `Get many ${plural}`,
      description: `Get many ${plural}; filters narrow them down`,
    },
    properties: [
      {
        displayName: 'Return All',
        name: 'returnAll',
        type: 'boolean',
        default: false,
        description: 'Whether to return all results or only up to a given limit',
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'number',
        typeOptions: { minValue: 1, numberPrecision: 0 },
        default: 50,
        description: 'Max number of results to return',
        displayOptions: { show: { returnAll: [false] } },
      },
      ...simplifyProperties(simplify),
      collectionProperty(optional),
      ...(isInferred ? inferredProperties(path) : []),
    ],
    isList: true,
    path,
    isInferred,
    simplify,
    body: (parameter) => readOptional(optional, parameter),
  };
}

/** One record: the query filtered by id, since there is no operation of its own. */
export function getOperation({
  noun,
  locator,
  simplify,
  list: { path, isInferred, idField = 'id' },
}: RecordKind): RequestOperation {
  return {
    option: {
      name: 'Get',
      value: 'get',
      action: `Get a ${noun}`,
      description: `Get one ${noun} by its ID`,
    },
    properties: [
      locator,
      ...simplifyProperties(simplify),
      ...(isInferred ? inferredProperties(path) : []),
    ],
    path,
    isInferred,
    simplify,
    body: (parameter) => ({ [idField]: readId(locator, parameter) }),
    records: (answer, body) => findById(answer, body[idField], noun),
  };
}

/** A new record. */
export function createOperation(
  { noun }: RecordKind,
  {
    path,
    isInferred,
    required,
    additionalFields,
  }: Endpoint & { required: Fields; additionalFields: Fields },
): RequestOperation {
  const optional: OptionalFields = {
    name: 'additionalFields',
    displayName: 'Additional Fields',
    placeholder: 'Add field',
    fields: additionalFields,
  };
  return {
    option: {
      name: 'Create',
      value: 'create',
      action: `Create a ${noun}`,
      description: `Create a ${noun} and submit it to the operator`,
    },
    properties: [
      ...requiredProperties(required),
      collectionProperty(optional),
      ...(isInferred ? inferredProperties(path) : []),
    ],
    path,
    isInferred,
    body: (parameter) => ({
      ...readRequired(required, parameter),
      ...readOptional(optional, parameter),
    }),
    records: (answer) => (isInferred ? readInferredChange(answer) : readChanged(answer)),
  };
}

/** A changed record. Only the fields that the user added change. */
export function updateOperation(
  { noun, locator }: RecordKind,
  { path, isInferred, updateFields }: Endpoint & { updateFields: Fields },
): RequestOperation {
  const optional: OptionalFields = {
    name: 'updateFields',
    displayName: 'Update Fields',
    placeholder: 'Add field',
    fields: updateFields,
  };
  return {
    option: {
      name: 'Update',
      value: 'update',
      action: `Update a ${noun}`,
      description: `Change fields of a ${noun}; a field that is added and left empty is cleared`,
    },
    properties: [
      locator,
      collectionProperty(optional),
      ...(isInferred ? inferredProperties(path) : []),
    ],
    path,
    isInferred,
    body: (parameter) => {
      const id = readId(locator, parameter);
      const changes = readOptional(optional, parameter);
      const extra = isInferred ? readExtraFields(parameter) : {};
      if (Object.keys({ ...changes, ...extra }).length === 0) {
        throw new UserError(`'Update Fields' is empty, so nothing of the ${noun} would change`, {
          description: "Add the fields to change to 'Update Fields'.",
        });
      }
      return { id, ...changes };
    },
    records: (answer, { id }) =>
      isInferred ? readInferredChange(answer, id) : readChanged(answer, id),
  };
}

/** A deletion. */
export function deleteOperation(
  { noun, locator }: RecordKind,
  { path, isInferred }: Endpoint,
): RequestOperation {
  return {
    option: {
      name: 'Delete',
      value: 'delete',
      action: `Delete a ${noun}`,
      description: `Delete a ${noun} for good`,
    },
    properties: [locator, ...(isInferred ? inferredProperties(path) : [])],
    path,
    isInferred,
    body: (parameter) => ({ id: readId(locator, parameter) }),
    records: (answer, { id }) => readDeleted(answer, id),
  };
}

function readId({ name, displayName }: INodeProperties, parameter: ItemParameter): number {
  return requireInteger(displayName, locatorValue(parameter(name)));
}

function simplifyProperties(simplify: RecordKind['simplify']): INodeProperties[] {
  if (!simplify) return [];
  return [
    {
      displayName: 'Simplify',
      name: 'simplify',
      type: 'boolean',
      default: true,
      description: 'Whether to return a simplified version of the response instead of the raw data',
    },
  ];
}
