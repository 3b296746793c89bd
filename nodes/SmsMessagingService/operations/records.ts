import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionProperty, COLLECTIONS, formProperties, readFields } from '../parameters/fields';
import type { Fields } from '../parameters/fields';
import { ABOUT, readChosen } from '../parameters/locators';
import type { ItemReader } from '../parameters/reader';
import { booleanOption, countOption, optionProperty } from '../parameters/options';
import { showsNothing } from '../parameters/texts';
import { withExtraFields } from '../service/client';
import type { ServiceClient } from '../service/client';
import { toJson } from '../service/json';
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
    change: 'created',
    option: {
      name: 'Create',
      value: 'create',
      action: `Create ${noun}`,
      description: `Submit a new ${noun} to your SMS provider`,
    },
    properties: [...formProperties(form), collectionProperty('additionalFields', additionalFields)],
    body: (item) => {
      const body = {
        ...readFields(form, item),
        ...readFields(additionalFields, item, 'additionalFields'),
      };
      if (oneOf) requireOneOf(oneOf, body, readExtraFields(item), noun);
      return body;
    },
  };
}

function deleteOperation({ noun, locator }: RecordKind, endpoint: Endpoint): RequestOperation {
  return {
    kind: 'request',
    change: 'deleted',
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

export const RETURN_ALL = booleanOption({
  label: 'Return All',
  description: 'Whether to return all results or only up to a given limit',
});

export const GET_MANY = 'Get Many';

/** How many records Get Many returns at most, unless Return All is on. */
export const LIMIT = countOption({
  label: 'Limit',
  default: 50,
  description: 'Max number of results to return',
});

/** How many records Get Many asks for at once. */
export const PAGE_SIZE = countOption({
  label: 'Page Size',
  default: 100,
  description:
    'Max number of records in one request. Lower it if the service rejects so many, or gives fewer and no total.',
});

function getManyOperation(kind: RecordKind): ListOperation {
  const { noun, list } = kind;
  return {
    ...queryOf(kind),
    option: {
      name: GET_MANY,
      value: 'getAll',
      action: `Get many ${noun}s`,
      description: `Retrieve a list of ${noun}s, complete or filtered`,
    },
    properties: [
      optionProperty('returnAll', RETURN_ALL),
      {
        ...optionProperty('limit', LIMIT),
        // n8n drops what it does not show: a limit must stay if Return All is the text "false".
        displayOptions: { hide: { returnAll: [true] } },
      },
      ...outputProperties(kind.output),
      collectionProperty('filters', list.filters),
    ],
    options: { pageSize: PAGE_SIZE },
    body: (item) => readFields(list.filters, item, 'filters'),
  };
}

/** Only the ID and the fields that the user added are sent. */
function updateOperation(kind: RecordKind, endpoint: Endpoint): RequestOperation {
  const { noun, locator, fields } = kind;
  const target = targetOf(locator);
  return {
    ...changedBy(kind, endpoint),
    change: 'updated',
    option: {
      name: 'Update',
      value: 'update',
      action: `Update ${noun}`,
      description: `Change a ${noun}; only the fields that you add are sent`,
    },
    properties: [locator, collectionProperty('updateFields', fields)],
    target,
    body: (item) => {
      const changes = readFields(fields, item, 'updateFields');
      const extra = readExtraFields(item);
      if (!hasChange(changes, extra, target.readId(item))) {
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
  const isGiven = ([name, value]: [string, unknown]) =>
    Object.hasOwn(fields, name) ? !showsNothing(String(value)) : !Object.hasOwn(body, name);
  if (Object.entries(withExtraFields(body, extra)).some(isGiven)) return;
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
    recordKind,
    endpoint: list.endpoint,
    output: (item: ItemReader) => outputOf(output, item),
  };
}

/** Whether anything is sent besides the ID, which Extra Fields may repeat or give under another name. */
function hasChange(changes: IDataObject, extra: IDataObject, id: unknown): boolean {
  const sent = Object.keys(withExtraFields(changes, { ...extra, id: null }));
  const isOwnId = (name: string) => extra.id === null && digitsIn(extra[name]) === digitsIn(id);
  return sent.length > (sent.some(isOwnId) ? 1 : 0);
}

/** The digits of an ID, which may be text, or in an array. */
function digitsIn(value: unknown): string {
  return toJson([value]).replace(/["[\]]/g, '');
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
  const { found } = await lookUp({ client, path: endpoint.path, filters }, id);
  return found[0];
}
