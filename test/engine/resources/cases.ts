import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Gateway } from '../../sandbox/gateway';
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

/** The fields that an update changes, and what is sent of them. It returns the record as it is then. */
interface Update extends Pick<Case, 'full'>, Partial<Pick<Case, 'records'>> {
  minimal: Request;
}

/** By operation. */
export type Cases = Record<string, Case>;

/** The page that a list is asked for first when all records are wanted. */
export const FIRST_PAGE = { page: 1, page_size: 100 };

/** The body of a request with parameters under their names there, and what is not sent as it was set. */
export const bodyOf = (parameters: INodeParameters, converted: IDataObject): IDataObject => ({
  ...Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`),
      value,
    ]),
  ),
  ...converted,
});

/** What Simplify leaves of a record. */
export const pick = (record: object | undefined, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, (record as IDataObject)[name]]));

/** Get, Update and Delete of the record with the item's ID. The service may have another name for that of Get. */
export function ofOneRecord(
  resource: string,
  recordsOf: (gateway: Gateway) => Map<number, object>,
  update: Update,
  idOfGet = 'id',
): Record<'get' | 'update' | 'delete', Case> {
  const parameters = { [`${resource}Id`]: byId('={{ $json.id }}') };
  const change = ({ parameters: updateFields, body }: Request): Request => ({
    parameters: { ...parameters, updateFields },
    body: (item) => ({ id: item.id, ...body(item) }),
  });
  const full = change(update.full);
  return {
    get: {
      full: {
        parameters: { ...parameters, simplify: false },
        body: ({ id }) => ({ [idOfGet]: id, page: 1, page_size: 20 }),
      },
      records: ({ id }, gateway) => [recordsOf(gateway).get(id)],
    },
    update: {
      records: (item, gateway) => [{ ...recordsOf(gateway).get(item.id), ...full.body(item) }],
      ...update,
      full,
      minimal: change(update.minimal),
    },
    delete: {
      full: { parameters, body: ({ id }) => ({ id }) },
      records: ({ id }) => [{ deleted: true, id }],
    },
  };
}
