import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { partOf } from './expression';
import type { Part } from './expression';
import { readChosen } from './locators';
import { collectionOf } from './options';
import { requireCollection } from './reader';
import type { ItemReader } from './reader';
import { parseEntered, readText, textField } from './texts';
import type { TextField } from './texts';
import { locatorValue, requireInteger } from './values';

/*
 * Request fields as data: the name in the API, what the editor shows, and the type that is sent. The
 * parameter of a field has the API's name in camelCase. For the ID of another record, it has the name of
 * the locator.
 */

interface ValueField {
  /** Left out: a text. A code is a whole number whose values nobody has documented. */
  type?: 'code' | 'stringList';
  displayName: string;
  description: string;
  placeholder?: string;
  rows?: number;
  /** Whether `{{name}}` in it is a placeholder of the SMS provider, and no code. */
  hasPlaceholders?: boolean;
}

/** In a form, what may stay empty is left out of the request then. */
export type Field = (ValueField | ReturnType<typeof reference>) & { mayBeEmpty?: boolean };

/** @param example what the empty field shows */
export function text(displayName: string, example: string, description: string) {
  return { displayName, placeholder: `e.g. ${example}`, description };
}

export function list(displayName: string, example: string, about: string) {
  const description = `${about}. An expression may also give an array.`;
  return { ...text(displayName, example, description), type: 'stringList' } as const;
}

export function code(displayName: string, about: string) {
  const description = `${about}. Its values are not documented; ask your SMS provider.`;
  return { ...text(displayName, '1', description), type: 'code' } as const;
}

export function reference(locator: INodeProperties, description: string) {
  return { type: 'reference', locator, description } as const;
}

/** API name → field. */
export type Fields = Record<string, Field>;

/** Each collection of optional fields, by the name of its parameter, and the place of the texts in it. */
export const COLLECTIONS = {
  additionalFields: {
    displayName: 'Additional Fields',
    placeholder: 'Add field',
    place: 'optional',
  },
  updateFields: { displayName: 'Update Fields', placeholder: 'Add field', place: 'update' },
  filters: { displayName: 'Filters', placeholder: 'Add filter', place: 'filter' },
} as const;

type CollectionName = keyof typeof COLLECTIONS;

export function formProperties(fields: Fields): INodeProperties[] {
  return Object.entries(fields).map(([apiName, field]) => ({
    ...describeField(apiName, field),
    ...(field.mayBeEmpty ? {} : { required: true }),
  }));
}

export function collectionProperty(name: CollectionName, fields: Fields): INodeProperties {
  const entries = Object.entries(fields);
  const properties = entries.map(([apiName, field]) => describeField(apiName, field));
  return collectionOf(name, COLLECTIONS[name], properties);
}

function describeField(apiName: string, field: Field): INodeProperties {
  if (field.type === 'reference') {
    const property = { ...field.locator, description: field.description };
    delete property.required;
    return property;
  }
  const { displayName, description, placeholder, rows } = field;
  return {
    displayName,
    name: nameOf(apiName, field),
    // Also for a code: a field for numbers cannot be empty, and no number is harmless.
    type: 'string',
    ...(rows ? { typeOptions: { rows } } : {}),
    default: '',
    ...(placeholder ? { placeholder } : {}),
    description,
  };
}

/**
 * Reads the request fields of a form, or those that the user added to a collection, each in the type of the API. In an
 * update an empty text clears its field. Otherwise, what may be empty is not sent then.
 *
 * @throws UserError that names the first field whose value cannot be used
 */
export function readFields(
  fields: Fields,
  item: ItemReader,
  collection?: CollectionName,
): IDataObject {
  const readRaw = (name: string, absent: unknown) => item.parameters.readRaw(name, absent);
  const saved = collection && requireCollection(collection, readRaw(collection, {}));
  const body: IDataObject = {};
  for (const [apiName, field] of Object.entries(fields)) {
    const name = nameOf(apiName, field);
    const raw = saved ? saved[name] : readRaw(name, '');
    const place = placeOf(field, collection);
    const mayClear = place === 'update' && field.type !== 'code';
    const isUnset = locatorValue(raw) === '' && !mayClear && place !== 'required';
    if (raw === undefined || isUnset) continue;
    const value = readField(field, [collection, name].filter(Boolean).join('.'), item, place);
    if (value !== '' || mayClear) body[apiName] = value;
  }
  return body;
}

function placeOf({ mayBeEmpty }: Field, collection?: CollectionName): TextField['place'] {
  if (collection) return COLLECTIONS[collection].place;
  return mayBeEmpty ? 'optional' : 'required';
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
    return readChosen(item, field.locator, place, { path, min }) as IDataObject[string];
  }
  const { type, displayName: label, hasPlaceholders } = field;
  if (type === 'code') {
    const read = (value: unknown) => (value === '' ? '' : requireInteger(label, value));
    return item.value(path, { label, place, read });
  }
  const text = { ...textField(label, place), hasPlaceholders };
  const parts = item.parts(path, label);
  return type === 'stringList' ? readList(text, parts, item) : readText(text, parts, item);
}

/** Reads a list of texts: a list, JSON, or lines, which may have several links, with a space or a sign between. */
function readList(field: TextField, parts: Part[], item: ItemReader): string[] {
  const [{ code, value } = partOf('')] = parts;
  const text = Array.isArray(value) ? '' : readText(field, parts, item);
  const list = Array.isArray(value) ? value : parseEntered(text, JSON.parse);
  if (Array.isArray(list)) {
    return list.map((entry) => readText(field, [partOf(entry, code, true)], item));
  }
  return text
    .split(/\r?\n|(?<=https?:\/\/\S*)[\s,;，；、|]+(?=https?:\/\/)/i)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function nameOf(apiName: string, field: Field): string {
  if (field.type === 'reference') return field.locator.name;
  return apiName.replace(/_+(.)/g, (_, character: string) => character.toUpperCase());
}
