import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { locatorValue } from './reader';
import type { ItemParameter } from './reader';
import { describeValue, requireInteger, requireText } from './values';

/**
 * Request fields as data: by the name that the API gives them, what the editor shows and which type
 * goes out. A parameter is named by the camelCase of its field; the id of another record is named as
 * everywhere, by its locator.
 */

interface ValueField {
  type: 'string' | 'integer' | 'stringList';
  displayName: string;
  description: string;
  placeholder?: string;
  /** Lines of the text box, for long texts. */
  rows?: number;
}

/** The id of a record, which the user picks. */
interface ReferenceField {
  type: 'reference';
  locator: INodeProperties;
  description: string;
}

export type Field = ValueField | ReferenceField;

/** API name → field. */
export type Fields = Record<string, Field>;

/** A collection of optional fields. Only those that the user added are sent. */
export interface OptionalFields {
  name: 'additionalFields' | 'updateFields' | 'filters';
  displayName: string;
  placeholder: string;
  fields: Fields;
}

/** Each field by itself, required. */
export function requiredProperties(fields: Fields): INodeProperties[] {
  return Object.entries(fields).map(([apiName, field]) => ({
    ...describeField(apiName, field),
    required: true,
  }));
}

/** All fields behind one "Add field" button, sorted as n8n wants it. */
export function collectionProperty({
  name,
  displayName,
  placeholder,
  fields,
}: OptionalFields): INodeProperties {
  return {
    displayName,
    name,
    type: 'collection',
    placeholder,
    default: {},
    options: Object.entries(fields)
      .map(([apiName, field]) => describeField(apiName, field))
      .sort((a, b) => a.displayName.localeCompare(b.displayName)),
  };
}

function describeField(apiName: string, field: Field): INodeProperties {
  if (field.type === 'reference') {
    const property = { ...field.locator, description: field.description };
    delete property.required;
    return property;
  }
  const { displayName, description, placeholder, rows } = field;
  const isInteger = field.type === 'integer';
  const typeOptions = isInteger ? { numberPrecision: 0 } : rows && { rows };
  return {
    displayName,
    name: camelCase(apiName),
    type: isInteger ? 'number' : 'string',
    ...(typeOptions ? { typeOptions } : {}),
    default: isInteger ? 0 : '',
    ...(placeholder ? { placeholder } : {}),
    description,
  };
}

/**
 * The request fields of one item, each in the type of the API.
 *
 * @throws UserError that names the field whose value cannot be used
 */
export function readRequired(fields: Fields, parameter: ItemParameter): IDataObject {
  return Object.fromEntries(
    Object.entries(fields).map(([apiName, field]) => {
      const value = parameter(parameterName(apiName, field));
      if (field.type === 'reference') return [apiName, requireId(field, value, 1)];
      if (field.type === 'string') requireText(field.displayName, value);
      return [apiName, readValue(field, value)];
    }),
  );
}

/**
 * The fields of a collection that the user added. An empty text counts, since it clears a field,
 * except in a filter, where it stands for no filter.
 *
 * @throws UserError that names the field whose value cannot be used
 */
export function readOptional(
  { name, fields }: OptionalFields,
  parameter: ItemParameter,
): IDataObject {
  const values = (parameter(name, {}) ?? {}) as IDataObject;
  const body: IDataObject = {};
  for (const [apiName, field] of Object.entries(fields)) {
    const key = parameterName(apiName, field);
    if (!(key in values)) continue;
    const value = values[key];
    if (name === 'filters' && locatorValue(value) === '') continue;
    // 0 is how records say that they have no such record, e.g. a template without a lead.
    body[apiName] =
      field.type === 'reference' ? requireId(field, value, 0) : readValue(field, value);
  }
  return body;
}

function requireId({ locator }: ReferenceField, value: unknown, minimum: number): number {
  return requireInteger(locator.displayName, locatorValue(value), minimum);
}

function readValue({ type, displayName }: ValueField, value: unknown): IDataObject[string] {
  if (type === 'integer') return requireInteger(displayName, value, null);
  return type === 'string' ? readText(displayName, value) : readTexts(displayName, value);
}

/** A text, possibly empty. Expressions often give numbers where a text is meant, e.g. phone numbers. */
function readText(displayName: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new UserError(
    value === undefined || value === null
      ? `'${displayName}' has no value`
      : `'${displayName}' must be text, not ${describeValue(value)}`,
    { description: `Remove '${displayName}', or check the expression that fills it.` },
  );
}

/** One text per line, or an array. */
function readTexts(displayName: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((entry) => readText(displayName, entry));
  return readText(displayName, value)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function parameterName(apiName: string, field: Field): string {
  return field.type === 'reference' ? field.locator.name : camelCase(apiName);
}

function camelCase(apiName: string): string {
  return apiName.replace(/_+(.)/g, (_, character: string) => character.toUpperCase());
}
