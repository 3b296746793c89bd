import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { contractOperations } from '../../sandbox/contract';
import type { Gateway } from '../../sandbox/gateway';
import { fieldsOf } from '../../kit/engine/descriptions';
import type { World } from '../../kit/engine/gateway';
import { byId, FIRST_ID } from '../../kit/engine/locators';

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

/** The fields that are IDs of records, and the resources of these. */
const IDS: Record<string, string> = {
  ...{ certification_id: 'qualification', lead_id: 'lead' },
  ...{ sign_id: 'signature', signature_id: 'signature' },
};

/** A field of the contract with a value, as the node has it. */
const inNode = (name: string, value: unknown): [name: string, value: unknown] =>
  IDS[name]
    ? [`${IDS[name]}Id`, byId(value)]
    : [name.replace(/_+(.)/g, (_, letter: string) => letter.toUpperCase()), value];

/** A value for a field, as the node has it and as it is sent. No other field of a record has the same. */
function valueOf(
  name: string,
  type?: string,
): [given: unknown, sent: (item: Item) => IDataObject[string]] {
  const firstId = FIRST_ID[IDS[name] ?? ''];
  if (firstId) return [firstId + 1, () => firstId + 1];
  if (type === 'integer') return [name.length, () => name.length];
  return type === 'array'
    ? [`={{ ["${name}", 7, $json.name] }}`, (item) => [name, '7', item.name]]
    : [`=${name} of {{ $json.name }}`, (item) => `${name} of ${item.name}`];
}

/** A request with these fields of the contract, or with all but the ID of the record. */
function withFields(resource: string, operation: string, names?: string[]): Request {
  const { properties = {} } = inContract({ resource, operation }).request;
  const all = Object.keys(properties).filter((name) => name !== 'id');
  const values = (names ?? all).map(
    (name) => [name, ...valueOf(name, properties[name]?.type)] as const,
  );
  const given = values.map(([name, value]) => inNode(name, value));
  const shown = new Set(fieldsOf({ resource, operation }).map(({ name }) => name));
  const where = (isShown: boolean) =>
    Object.fromEntries(given.filter(([name]) => shown.has(name) === isShown)) as INodeParameters;
  const collection = operation === 'create' ? 'additionalFields' : 'updateFields';
  return {
    parameters: { ...where(true), [collection]: where(false) },
    body: (item) => Object.fromEntries(values.map(([name, , sent]) => [name, sent(item)])),
  };
}

/** The operations on the records of a resource. */
interface Records {
  recordsOf: (gateway: Gateway) => Map<number, object>;
  /** The fields of a record that come out in a list, and after a change, if that differs. */
  simple: string[];
  changed?: string[];
  /** What Create needs beside what the contract requires. */
  needed?: string[];
  /** What the service sets when a record is created, and when it is updated. */
  created?: IDataObject;
  updated?: IDataObject;
  /** Filters of a list, by their names in the contract, and the record that it has then. */
  filters: IDataObject;
  found: number;
  /** The name of the ID in the request of Get. */
  idOfGet?: string;
}

/** Get Many, Get, Create, Update and Delete. The last but Create are about the record with the item's ID. */
export function ofRecords(resource: string, records: Records): Cases {
  const { recordsOf, simple, changed = simple, needed = [], filters, idOfGet = 'id' } = records;
  const ofItem = { [`${resource}Id`]: byId('={{ $json.id }}') };
  const change = ({ parameters, body }: Request): Request => ({
    parameters: { ...ofItem, ...parameters },
    body: (item) => ({ id: item.id, ...body(item) }),
  });
  const [anyField = 'name'] = needed;
  const { required = [] } = inContract({ resource, operation: 'create' }).request;
  const created = withFields(resource, 'create');
  const updated = change(withFields(resource, 'update'));
  const stored = (gateway: Gateway, id: number) => recordsOf(gateway).get(id) as IDataObject;
  const filtered = Object.entries(filters).map(([name, value]) => inNode(name, value));
  return {
    create: {
      full: created,
      minimal: withFields(resource, 'create', [...required, ...needed]),
      records: (item) => [
        pick(
          { id: expect.any(Number), ...created.body(item), ...records.created } as IDataObject,
          changed,
        ),
      ],
    },
    update: {
      full: updated,
      // Guess: partial-edit, update-id
      minimal: change(withFields(resource, 'update', [anyField])),
      records: (item, gateway) => [
        pick({ ...stored(gateway, item.id), ...updated.body(item), ...records.updated }, changed),
      ],
    },
    get: {
      full: {
        parameters: { ...ofItem, simplify: false },
        body: ({ id }) => ({ [idOfGet]: id, page: 1, page_size: 20 }),
      },
      records: ({ id }, gateway) => [stored(gateway, id)],
    },
    getAll: {
      full: {
        parameters: { returnAll: true, filters: Object.fromEntries(filtered) as INodeParameters },
        body: () => ({ ...filters, page: 1, page_size: 100 }),
      },
      minimal: { parameters: { limit: 2 }, body: () => ({ page: 1, page_size: 2 }) },
      records: (_, gateway) => [pick(stored(gateway, records.found), simple)],
    },
    delete: {
      full: { parameters: ofItem, body: ({ id }) => ({ id }) },
      records: ({ id }) => [{ deleted: true, id }],
    },
  };
}
