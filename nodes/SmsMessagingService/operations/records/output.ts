import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { ItemParameter } from '../../parameters/reader';
import { idNamesOf } from '../../service/reading/recordId';

/** What the user can choose to get of a record that has more than ten fields. */
export interface RecordOutput {
  /** What the record is, such as "lead". Its ID is kept under each name that it may have. */
  noun: string;
  /** Every field but the ID: its name in the API, and in the editor. */
  fields: Record<string, string>;
  /**
   * The fields of the simplified record. They say what to keep, so a field that the service adds later
   * stays out.
   */
  simple: string[];
  /** Puts nested fields beside the others. The raw record stays as it is. */
  flatten?: (record: IDataObject) => IDataObject;
}

/** The names of request fields, for the fields of the record that they become. */
export function namesOf(fields: Record<string, { displayName: string }>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([apiName, { displayName }]) => [apiName, displayName]),
  );
}

/**
 * The fields of the editor. As n8n wants it, a node has the switch Simplify, and a tool for AI agents lets
 * the user select fields, because a model has little room to read.
 */
export function outputProperties(output: RecordOutput | undefined): INodeProperties[] {
  if (!output) return [];
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
        { name: 'Simplified', value: 'simple', description: 'The ten most useful fields' },
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

/** Makes of a record what the user chose. Simplified, a record of which no field is known stays whole. */
export function outputOf(
  { noun, simple, fields, flatten = (record) => record }: RecordOutput,
  parameter: ItemParameter,
): (record: IDataObject) => IDataObject {
  // A node has the one field, a tool the other.
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
