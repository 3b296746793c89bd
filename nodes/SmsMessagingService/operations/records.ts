import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionProperty, COLLECTIONS, formProperties, readFields } from '../parameters/fields';
import type { Fields } from '../parameters/fields';
import { ABOUT, readChosen } from '../parameters/locators';
import type { ItemReader } from '../parameters/reader';
import { booleanOption, countOption, optionProperty } from '../parameters/options';
import { showsNothing } from '../parameters/texts';
import type { ServiceClient } from '../service/client';
import { lookUp } from '../service/pages';
import { readChanged, readDeleted } from '../service/changes';
import { readExtraFields } from './endpoint';
import type { Endpoint } from './endpoint';
import type { ListOperation, RecordKind, RequestOperation, Resource } from './operation';
import { namesOf, outputOf, outputProperties, reduceTo } from './output';

interface Changes {
  create: {
    endpoint: Endpoint;
    /** What stands above Additional Fields. */
    form: Fields;
    /** What only Create accepts, in Additional Fields too. */
    more?: Fields;
    /** The texts of which at least one is needed. */
    oneOf?: Fields;
  };
  delete: Endpoint;
  update: Endpoint;
}

export function recordResource(kind: RecordKind, changes: Changes): Resource {
  const { value, locator } = kind;
  const getMany = getManyOperation(kind);
  return {
    option: { name: locator.displayName, value, description: ABOUT[value] },
    operations: [
      createOperation(kind, changes.create),
      deleteOperation(kind, changes.delete),
      getOperation(kind),
      getMany,
      updateOperation(kind, changes.update),
    ],
    defaultOperation: getMany,
  };
}

function createOperation(
  kind: RecordKind,
  { endpoint, form, more, oneOf }: Changes['create'],
): RequestOperation {
  const { noun, fields } = kind;
  const others = Object.entries({ ...fields, ...more }).filter(([name]) => !(name in form));
  const additionalFields = Object.fromEntries(others);
  return {
    ...changedBy(kind, endpoint),
    repetition: 'created',
    option: {
      name: 'Create',
      value: 'create',
      action: `Create ${noun}`,
      description: `Submit a new ${noun} to your SMS provider`,
    },
    properties: [...formProperties(form), collectionProperty('additionalFields', additionalFields)],
    body: (item) => {
      const body = readFields(form, item);
      Object.assign(body, readFields(additionalFields, item, 'additionalFields'));
      if (oneOf) requireOneOf(oneOf, body, readExtraFields(item), noun);
      return body;
    },
  };
}

function deleteOperation({ noun, locator }: RecordKind, endpoint: Endpoint): RequestOperation {
  return {
    kind: 'request',
    repetition: 'deleted',
    option: {
      name: 'Delete',
      value: 'delete',
      action: `Delete ${noun}`,
      description: `Remove a ${noun} from the account`,
    },
    properties: [locator],
    endpoint,
    target: targetOf(locator),
    records: readDeleted,
  };
}

/** Looks for the record in the list, because the service has no other way to get one. */
function getOperation(kind: RecordKind): ListOperation {
  const { noun, locator, list } = kind;
  return {
    ...queryOf(kind),
    option: {
      name: 'Get',
      value: 'get',
      action: `Get ${noun}`,
      description: `Retrieve one ${noun} by its ID`,
    },
    properties: [locator, ...outputProperties(kind.output)],
    target: targetOf(locator, list.idField),
  };
}

/** How many records Get Many returns. */
export const HOW_MANY = {
  returnAll: booleanOption({
    label: 'Return All',
    description: 'Whether to return all results or only up to a given limit',
  }),
  limit: countOption({
    label: 'Limit',
    default: 50,
    description: 'Max number of results to return',
  }),
};

/** How many records Get Many asks for at once. */
export const LIST_OPTIONS = {
  pageSize: countOption({
    label: 'Page Size',
    default: 100,
    description:
      'Max number of records in one request. Lower it if the service rejects so many, or gives fewer and no total.',
  }),
};

function getManyOperation(kind: RecordKind): ListOperation {
  const { noun, list } = kind;
  return {
    ...queryOf(kind),
    option: {
      name: 'Get Many',
      value: 'getAll',
      action: `Get many ${noun}s`,
      description: `Retrieve a list of ${noun}s, complete or filtered`,
    },
    properties: [
      optionProperty('returnAll', HOW_MANY.returnAll),
      {
        ...optionProperty('limit', HOW_MANY.limit),
        // n8n drops what it does not show: a limit must stay if Return All is the text "false".
        displayOptions: { hide: { returnAll: [true] } },
      },
      ...outputProperties(kind.output),
      collectionProperty('filters', list.filters),
    ],
    options: LIST_OPTIONS,
    body: (item) => readFields(list.filters, item, 'filters'),
  };
}

/** Only the ID and the fields that the user added are sent. */
function updateOperation(kind: RecordKind, endpoint: Endpoint): RequestOperation {
  const { noun, locator, fields } = kind;
  return {
    ...changedBy(kind, endpoint),
    repetition: 'updated',
    option: {
      name: 'Update',
      value: 'update',
      action: `Update ${noun}`,
      description: `Change a ${noun}; only the fields that you add are sent`,
    },
    properties: [locator, collectionProperty('updateFields', fields)],
    target: targetOf(locator),
    body: (item) => {
      const changes = readFields(fields, item, 'updateFields');
      if (Object.keys({ ...changes, ...readExtraFields(item) }).length === 0) {
        const { displayName } = COLLECTIONS.updateFields;
        throw new UserError(`'${displayName}' is empty, so nothing of the ${noun} would change`, {
          description: `Add the fields to change to '${displayName}'.`,
        });
      }
      return changes;
    },
  };
}

/** What gives the changed record, as Get with Simplify does: its papers are for the service alone. */
function changedBy({ output }: RecordKind, endpoint: Endpoint) {
  const simplify = reduceTo(output);
  const records: RequestOperation['records'] = (answer, id) =>
    readChanged(answer, id, !endpoint.isGuess);
  return { kind: 'request' as const, endpoint, records, output: () => simplify };
}

/** @throws UserError if none of the fields is given. Extra Fields may give one under another name */
function requireOneOf(fields: Fields, body: IDataObject, extra: IDataObject, noun: string): void {
  const isGiven = (name: string) => !showsNothing(String(body[name] ?? ''));
  if (Object.keys(extra).length > 0 || Object.keys(fields).some(isGiven)) return;
  const labels = Object.values(namesOf(fields)).map((label) => `'${label}'`);
  throw new UserError(`A ${noun} needs ${labels.join(', ').replace(/, ([^,]*)$/, ' or $1')}`, {
    description: 'Fill in at least one of them: they are all empty.',
  });
}

/** What Get and Get Many have in common. */
function queryOf(recordKind: RecordKind) {
  const { list, output } = recordKind;
  return {
    kind: 'list' as const,
    repetition: 'reads' as const,
    recordKind,
    endpoint: list.endpoint,
    output: (item: ItemReader) => outputOf(output, item),
  };
}

/**
 * The record that the user chose for an operation.
 *
 * @param idField the name of its ID in the request
 */
function targetOf(locator: INodeProperties, idField = 'id') {
  const readId = (item: ItemReader) => readChosen(item, locator);
  return { idField, label: locator.displayName, readId };
}

/**
 * The record with an ID. Undefined if there is none.
 *
 * @throws what `lookUp` throws
 */
export async function findRecord(
  client: ServiceClient,
  { list: { endpoint, idField = 'id' } }: RecordKind,
  id: unknown,
): Promise<IDataObject | undefined> {
  const filters = { [idField]: id } as IDataObject;
  return (await lookUp({ ...endpoint, client, filters }, id))[0];
}
