import type { IDataObject } from 'n8n-workflow';

/** A request body with the user's own fields, which replace fields of the same name. Null leaves a field out. */
export function withExtraFields(body: IDataObject, extra: IDataObject): IDataObject {
  const merged = Object.entries({ ...body, ...extra });
  return Object.fromEntries(merged.filter(([name]) => extra[name] !== null));
}
