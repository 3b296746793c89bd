import type { IDataObject } from 'n8n-workflow';

/**
 * The fields that a reader of a table looks for first: what happened to whom, or what a record is. They
 * come first, in this order, and then all others as the service sent them.
 */
const FIRST_COLUMNS = [
  'event',
  'phone_number',
  'id',
  'name',
  'content',
  'status',
  'time_iso',
  'sign_name',
  'url',
  'phone_1',
  'phone_2',
  'balance',
];

/**
 * A record of the service as the json of an item. n8n takes a first item with a field `error` for a
 * failure, and with Retry On Fail runs the node again: pulled records would be lost, and created ones
 * created twice. So that field becomes `service_error`.
 */
export function itemJson(record: IDataObject): IDataObject {
  const first: IDataObject = {};
  for (const name of FIRST_COLUMNS) if (name in record) first[name] = record[name];
  // A name that is there already keeps its place.
  const json: IDataObject = { ...first, ...record };
  if (!('error' in json)) return json;
  const { error, ...others } = json;
  return { ...others, service_error: error };
}
