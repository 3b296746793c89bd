import type { IDataObject } from 'n8n-workflow';

/**
 * A record of the service as the json of an item. n8n takes a first item with a field `error` for a
 * failure, and with Retry On Fail runs the node again: pulled records would be lost, and created ones
 * created twice. So that field becomes `service_error`.
 */
export function itemJson(record: IDataObject): IDataObject {
  if (!('error' in record)) return record;
  const { error, ...json } = record;
  return { ...json, service_error: error };
}
