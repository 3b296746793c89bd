import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { contractOperations } from '../../sandbox/contract';
import type { Gateway } from '../../sandbox/gateway';
import { fieldsOf } from '../../kit/engine/descriptions';
import type { World } from '../../kit/engine/gateway';
import { byId } from '../../kit/engine/locators';

/** What the tables of the operations are made of. Each resource has one. */

/** What an input item holds. The parameters of the tables read it by expressions. */
export interface Item extends IDataObject {
  id: number;
  name: string;
  phone: string;
}

export interface Request {
  parameters: INodeParameters;
  body: (item: Item) => IDataObject;
}

interface Case {
  /** With every field that the operation knows. */
  full: Request;
  /** With the required fields only. */
  minimal?: Request;
  /** What comes out for an item. */
  records: (item: Item, gateway: Gateway) => unknown[];
  /** The output of other situations, which has further fields. */
  more?: (world: World, parameters: INodeParameters) => Promise<IDataObject[]>;
}

/** By operation. */
export type Cases = Record<string, Case>;

/** The page that a list is asked for first when all records are wanted. */
export const FIRST_PAGE = { page: 1, page_size: 100 };

/** What Simplify leaves of a record. The carriers of a reported link stand beside its other fields. */
const pick = ({ report_info, ...record }: IDataObject, names: string[]): IDataObject => {
  const flat: IDataObject = { ...record, ...(report_info as IDataObject | undefined) };
  return Object.fromEntries(names.map((name) => [name, flat[name]]));
};

/** An operation in the contract, where one query gives a record, and a list. */
export function inContract({ resource, operation }: { resource: string; operation: string }) {
  const named = (name: string) =>
    contractOperations().find(({ operationId }) => operationId === `${resource}.${name}`);
  const described = named(operation) ?? named('query');
  if (!described) throw new Error(`${resource}.${operation} is not in test/sandbox/openapi.yaml`);
  return described;
}

const nameInEditor = (name: string) =>
  name.replace(/_+(.)/g, (_, letter: string) => letter.toUpperCase());

/** A request with these fields, and with the other texts of the contract, each with the name of the item. */
function withTexts(resource: string, operation: string, { parameters, body }: Request): Request {
  const { properties = {} } = inContract({ resource, operation }).request;
  const set = Object.keys(body({} as Item));
  const texts = Object.keys(properties).filter(
    (name) => properties[name]?.type === 'string' && !set.includes(name),
  );
  const textsOf = (text: string) =>
    Object.fromEntries(texts.map((name) => [name, `${name} of ${text}`]));
  const given = Object.entries(textsOf('{{ $json.name }}'));
  const entries = [
    ...Object.entries(parameters),
    ...given.map(([name, text]) => [nameInEditor(name), `=${text}`] as const),
  ];
  const shown = new Set(fieldsOf({ resource, operation }).map(({ name }) => name));
  const where = (isShown: boolean) =>
    Object.fromEntries(entries.filter(([name]) => shown.has(name) === isShown)) as INodeParameters;
  const collection = operation === 'create' ? 'additionalFields' : 'updateFields';
  return {
    parameters: { ...where(true), [collection]: where(false) },
    body: (item) => ({ ...body(item), ...textsOf(item.name) }),
  };
}

/** The operations on the records of a resource. */
interface Records {
  recordsOf: (gateway: Gateway) => Map<number, object>;
  /** The fields of a record that come out in a list, and after a change, if that differs. */
  simple: string[];
  changed?: string[];
  /** What Create and Update know beside texts. */
  both: Request;
  /** What only one of them knows, and what the service then sets. */
  create: { more?: Request; made: IDataObject; minimal: Request };
  update: { made?: IDataObject; minimal: Request };
  /** A list that has one record. */
  getAll: { full: Request; minimal: Request; found: number };
  /** The name of the ID in the request of Get. */
  idOfGet?: string;
}

/** Get Many, Get, Create, Update and Delete. The last but Create are about the record with the item's ID. */
export function ofRecords(resource: string, records: Records): Cases {
  const { recordsOf, simple, changed = simple, both, create, update, getAll } = records;
  const { more = { parameters: {}, body: () => ({}) } } = create;
  const ofItem = { [`${resource}Id`]: byId('={{ $json.id }}') };
  const change = ({ parameters, body }: Request): Request => ({
    parameters: { ...ofItem, ...parameters },
    body: (item) => ({ id: item.id, ...body(item) }),
  });
  const created = withTexts(resource, 'create', {
    parameters: { ...both.parameters, ...more.parameters },
    body: (item) => ({ ...both.body(item), ...more.body(item) }),
  });
  const updated = change(withTexts(resource, 'update', both));
  const stored = (gateway: Gateway, id: number) => recordsOf(gateway).get(id) as IDataObject;
  return {
    create: {
      full: created,
      minimal: create.minimal,
      records: (item) => [
        pick(
          { id: expect.any(Number), ...created.body(item), ...create.made } as IDataObject,
          changed,
        ),
      ],
    },
    update: {
      full: updated,
      minimal: change({
        parameters: { updateFields: update.minimal.parameters },
        body: update.minimal.body,
      }),
      records: (item, gateway) => [
        pick({ ...stored(gateway, item.id), ...updated.body(item), ...update.made }, changed),
      ],
    },
    get: {
      full: {
        parameters: { ...ofItem, simplify: false },
        body: ({ id }) => ({ [records.idOfGet ?? 'id']: id, page: 1, page_size: 20 }),
      },
      records: ({ id }, gateway) => [stored(gateway, id)],
    },
    getAll: { ...getAll, records: (_, gateway) => [pick(stored(gateway, getAll.found), simple)] },
    delete: {
      full: { parameters: ofItem, body: ({ id }) => ({ id }) },
      records: ({ id }) => [{ deleted: true, id }],
    },
  };
}
