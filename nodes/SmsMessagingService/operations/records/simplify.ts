import type { IDataObject } from 'n8n-workflow';

/**
 * Makes the short version of a record: these fields, unchanged, where the record has them. The list
 * says what to keep, so a field that the service adds later stays out.
 */
export function simplifier(fields: string[]): (record: IDataObject) => IDataObject {
  return (record) =>
    Object.fromEntries(fields.flatMap((name) => (name in record ? [[name, record[name]]] : [])));
}
