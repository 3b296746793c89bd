import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { partOf } from './expression';
import type { Part } from './expression';
import { locatorValue, readChosen } from './locators';
import { requireCollection } from './reader';
import type { ItemReader } from './reader';
import { textField } from './texts';
import type { TextField } from './texts';
import { parseEntered, requireInteger } from './values';

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
  /** Whether `{{name}}` in it is a placeholder of the SMS provider, and no code. */
  hasPlaceholders?: boolean;
}

/** A field for the ID of a record that the user chooses. */
interface ReferenceField {
  type: 'reference';
  locator: INodeProperties;
  description: string;
}

/** In a form, what may stay empty is left out of the request then. */
export type Field = (ValueField | ReferenceField) & { mayBeEmpty?: boolean };

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

/** Returns one property for each field. */
export function formProperties(fields: Fields): INodeProperties[] {
  return Object.entries(fields).map(([apiName, field]) => ({
    ...describeField(apiName, field),
    ...(field.mayBeEmpty ? {} : { required: true }),
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
 * Reads the request fields in the form of one item, each in the type of the API.
 *
 * @throws UserError that names the first field whose value cannot be used
 */
export function readForm(fields: Fields, item: ItemReader): IDataObject {
  const body: IDataObject = {};
  for (const [apiName, field] of Object.entries(fields)) {
    const name = parameterName(apiName, field);
    if (field.mayBeEmpty && locatorValue(item.parameters.readRaw(name, '')) === '') continue;
    const value = readField(field, name, item, field.mayBeEmpty ? 'optional' : 'required');
    if (value !== '') body[apiName] = value;
  }
  return body;
}

/** The place of the texts in each collection. */
const PLACES = { additionalFields: 'optional', updateFields: 'update', filters: 'filter' } as const;

/**
 * Reads the fields that the user added to a collection. In an update an empty text clears its field. Otherwise, what
 * is empty is not sent.
 *
 * @throws UserError that names the first field whose value cannot be used
 */
export function readOptional(name: CollectionName, fields: Fields, item: ItemReader): IDataObject {
  const saved = requireCollection(name, item.parameters.readRaw(name, {}));
  const place = PLACES[name];
  const body: IDataObject = {};
  for (const [apiName, field] of Object.entries(fields)) {
    const key = parameterName(apiName, field);
    if (!Object.hasOwn(saved, key)) continue;
    const mayClear = place === 'update' && field.type !== 'code';
    const isUnset = locatorValue(saved[key]) === '' && field.type !== 'reference';
    if (isUnset && !mayClear) continue;
    if (place === 'filter' && locatorValue(saved[key]) === '') continue;
    const value = readField(field, `${name}.${key}`, item, place);
    if (value !== '' || mayClear) body[apiName] = value;
  }
  return body;
}

function readField(
  field: Field,
  path: string,
  item: ItemReader,
  place: TextField['place'],
): IDataObject[string] {
  if (field.type === 'reference') {
    // 0 may mean that there is none, as in a template without a reported link.
    const min = place === 'required' ? 1 : 0;
    return readChosen(item, field.locator, { path, place, min }) as IDataObject[string];
  }
  const { type, displayName: label, hasPlaceholders } = field;
  if (type === 'code') {
    const read = (value: unknown) => (value === '' ? '' : requireInteger(label, value, {}));
    return item.value(path, { label, place, read });
  }
  const text = { ...textField(label, place), hasPlaceholders };
  return type === 'string' ? item.text(text, item.parts(path, label)) : readList(text, path, item);
}

/** Reads a list of texts: a list, JSON, or lines. In a line, a comma or semicolon stands between links. */
function readList(field: TextField, path: string, item: ItemReader): string[] {
  const parts = item.parts(path, field.name.slice(1, -1));
  const [only] = parts;
  if (parts.length === 1 && Array.isArray(only?.value)) return readEntries(field, only, item);
  const text = item.text(field, parts);
  const parsed = /^\s*\[/.test(text) ? parseEntered(text, JSON.parse) : undefined;
  if (Array.isArray(parsed)) return readEntries(field, partOf(parsed, only?.code), item);
  return text
    .split(/\r?\n|[,;，；]\s*(?=https?:\/\/)/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function readEntries(field: TextField, { value, code }: Part, item: ItemReader): string[] {
  return (value as unknown[]).map((entry) =>
    item.text(field, [{ ...partOf(entry, code), isInside: true }]),
  );
}

function parameterName(apiName: string, field: Field): string {
  return field.type === 'reference' ? field.locator.name : camelCase(apiName);
}

function camelCase(apiName: string): string {
  return apiName.replace(/_+(.)/g, (_, character: string) => character.toUpperCase());
}
