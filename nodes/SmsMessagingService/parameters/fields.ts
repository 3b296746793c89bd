import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { locatorValue, requireChosen } from './locators';
import type { ItemParameter } from './reader';
import { describeValue, requireInteger, requireJsonObject, requireText } from './values';

/*
 * Request fields as data: the name in the API, what the editor shows, and the type that is sent. The
 * parameter of a field has the API's name in camelCase. For the ID of another record, it has the name of
 * the locator.
 */

interface ValueField {
  /** A code is a whole number whose values nobody has documented. */
  type: 'string' | 'code' | 'stringList';
  displayName: string;
  description: string;
  /** Not for a code: all codes have the same one. */
  placeholder?: string;
  /** Lines of the text box, for long texts. */
  rows?: number;
}

/** A field for the ID of a record that the user chooses. */
interface ReferenceField {
  type: 'reference';
  locator: INodeProperties;
  description: string;
}

export type Field = ValueField | ReferenceField;

/** Returns a field for a code. */
export function code(displayName: string, description: string) {
  return { type: 'code', displayName, description } as const;
}

/** Returns a field for the ID of another record. */
export function reference(locator: INodeProperties, description: string) {
  return { type: 'reference', locator, description } as const;
}

/** API name → field. */
export type Fields = Record<string, Field>;

/** The texts of each collection of optional fields, by the name of its parameter. */
export const COLLECTIONS = {
  additionalFields: { displayName: 'Additional Fields', placeholder: 'Add field' },
  updateFields: { displayName: 'Update Fields', placeholder: 'Add field' },
  filters: { displayName: 'Filters', placeholder: 'Add filter' },
};

type CollectionName = keyof typeof COLLECTIONS;

/** Returns one required property for each field. */
export function requiredProperties(fields: Fields): INodeProperties[] {
  return Object.entries(fields).map(([apiName, field]) => ({
    ...describeField(apiName, field),
    required: true,
  }));
}

/** Returns one property with all fields behind an "Add field" button, sorted by display name as n8n wants. */
export function collectionProperty(name: CollectionName, fields: Fields): INodeProperties {
  const { displayName, placeholder } = COLLECTIONS[name];
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
  const { displayName, description, rows } = field;
  const isCode = field.type === 'code';
  const placeholder = isCode ? 'e.g. 1' : field.placeholder;
  return {
    displayName,
    name: camelCase(apiName),
    // Also for a code: a field for numbers cannot be empty, and no number is harmless.
    type: 'string',
    ...(rows ? { typeOptions: { rows } } : {}),
    default: '',
    ...(placeholder ? { placeholder } : {}),
    description: isCode
      ? `${description}. Its values are not documented; ask your SMS provider.`
      : description,
  };
}

/**
 * Reads the required request fields of one item, each in the type of the API.
 *
 * @throws UserError that names the first field whose value cannot be used
 */
export function readRequired(fields: Fields, parameter: ItemParameter): IDataObject {
  return Object.fromEntries(
    Object.entries(fields).map(([apiName, field]) => {
      const value = parameter(parameterName(apiName, field));
      if (field.type === 'reference') return [apiName, requireChosen(field.locator, value)];
      if (field.type === 'string') requireText(field.displayName, value);
      return [apiName, readValue(field, value)];
    }),
  );
}

/**
 * Reads the fields that the user added to a collection. An empty text is sent, because it may clear a
 * field. An empty filter is not sent, and neither is an empty code.
 *
 * @throws UserError that names the first field whose value cannot be used
 */
export function readOptional(
  name: CollectionName,
  fields: Fields,
  parameter: ItemParameter,
): IDataObject {
  const values = requireJsonObject(COLLECTIONS[name].displayName, parameter(name, {}));
  const body: IDataObject = {};
  for (const [apiName, field] of Object.entries(fields)) {
    const key = parameterName(apiName, field);
    if (!Object.hasOwn(values, key)) continue;
    const value = values[key];
    const isUnset = locatorValue(value) === '';
    if (isUnset && (name === 'filters' || field.type === 'code')) continue;
    // 0 may mean that there is none, as in a template without a reported link.
    body[apiName] =
      field.type === 'reference' ? requireChosen(field.locator, value, 0) : readValue(field, value);
  }
  return body;
}

function readValue({ type, displayName }: ValueField, value: unknown): IDataObject[string] {
  if (type === 'code') return requireInteger(displayName, value, {});
  return type === 'string' ? readText(displayName, value) : readTexts(displayName, value);
}

/** Reads a text, possibly empty. Expressions often give a number for a text, such as a phone number. */
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

/** Reads a list of texts: an array, or one text per line. */
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
