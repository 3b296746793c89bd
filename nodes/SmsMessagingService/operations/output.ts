import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Fields } from '../parameters/fields';
import type { ItemParameter } from '../parameters/reader';
import { idNamesOf } from '../service/recordId';

/** The fields of a record that the user can choose from. */
export interface RecordOutput {
  /** Every field except the ID: its name in the API and in the editor. */
  fields: Record<string, string>;
  /** The fields of the simplified record. A field that the service adds later is not in it. */
  simple: string[];
  /** Puts nested fields beside the others. The raw record does not change. */
  flatten?: (record: IDataObject) => IDataObject;
}

/** API name → name in the editor, of request fields. The record has the same fields. */
export function namesOf(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([apiName, field]) => [
      apiName,
      field.type === 'reference' ? `${field.locator.displayName} ID` : field.displayName,
    ]),
  );
}

/**
 * The fields with which the user chooses. n8n wants a switch Simplify in a node, and a choice of fields in
 * a tool of an AI agent, because a model has little room to read.
 */
export function outputProperties(output: RecordOutput): INodeProperties[] {
  return [
    {
      displayName: 'Simplify',
      name: 'simplify',
      type: 'boolean',
      default: true,
      description: 'Whether to return a simplified version of the response instead of the raw data',
      displayOptions: { hide: { '@tool': [true] } },
    },
    {
      displayName: 'Output',
      name: 'output',
      type: 'options',
      default: 'simple',
      options: [
        { name: 'Simplified', value: 'simple', description: 'The most useful fields' },
        { name: 'Raw', value: 'raw', description: 'All fields' },
        {
          name: 'Selected Fields',
          value: 'fields',
          description: 'The ID and the fields you choose',
        },
      ],
      description: 'Which fields of a record the model gets',
      displayOptions: { show: { '@tool': [true] } },
    },
    {
      displayName: 'Fields',
      name: 'fields',
      type: 'multiOptions',
      default: [],
      options: Object.entries(output.fields)
        .map(([value, name]) => ({ name, value }))
        .sort((a, b) => a.name.localeCompare(b.name)),
      description: 'Fields that the model gets beside the ID',
      displayOptions: { show: { '@tool': [true], output: ['fields'] } },
    },
  ];
}

/**
 * Returns a function that reduces a record to what the user chose. If simplified, a record without any known
 * field stays whole.
 *
 * @param noun what the record is: its ID is kept under each name that it may have
 */
export function outputOf(
  { simple, fields, flatten = (record) => record }: RecordOutput,
  noun: string,
  parameter: ItemParameter,
): (record: IDataObject) => IDataObject {
  // A node has the field Simplify, a tool has Output.
  const output =
    parameter('output', null) ?? (parameter('simplify', true) === false ? 'raw' : 'simple');
  if (output === 'raw') return (record) => record;
  const chosen = output === 'fields' ? selectedFields(parameter) : simple;
  const names = [...idNamesOf(noun), ...chosen];
  return (record) => {
    const flat = flatten(record);
    const isKnown = Object.keys(flat).some((name) => Object.hasOwn(fields, name));
    if (output !== 'fields' && !isKnown) return record;
    const present = names.filter((name) => Object.hasOwn(flat, name));
    return Object.fromEntries(present.map((name) => [name, flat[name]]));
  };
}

/** The names in a list, or in any text that an expression or a model gives. */
function selectedFields(parameter: ItemParameter): string[] {
  return [parameter('fields', [])].flat().flatMap((names) => String(names).split(/\W+/));
}

/**
 * The fields that a reader of a table looks for first: what happened to whom, or what a record is. The others
 * follow as the service sent them.
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
 * Turns a record of the service into the json of an item. If the first item has a field `error`, n8n takes it
 * for a failure, and with Retry On Fail runs the node again: pulled records would be lost, and records
 * created twice. So that field becomes `service_error`.
 */
export function itemJson(record: IDataObject): IDataObject {
  const first: IDataObject = {};
  for (const name of FIRST_COLUMNS) if (Object.hasOwn(record, name)) first[name] = record[name];
  // A name that is there already keeps its place.
  const json: IDataObject = { ...first, ...record };
  if (!Object.hasOwn(json, 'error')) return json;
  const { error, ...others } = json;
  return { ...others, service_error: error };
}
