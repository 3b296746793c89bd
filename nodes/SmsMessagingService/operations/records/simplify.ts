import type { IDataObject } from 'n8n-workflow';

/**
 * Makes the short version of a record: these fields, where the record has them, each as the service
 * sends it. A list of what to keep, and not of what to leave out, so that a field that a service adds
 * later stays out too.
 */
export function simplifier(fields: string[]): (record: IDataObject) => IDataObject {
  return (record) =>
    Object.fromEntries(fields.flatMap((name) => (name in record ? [[name, record[name]]] : [])));
}
