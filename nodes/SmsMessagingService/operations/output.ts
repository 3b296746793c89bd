import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Fields } from '../parameters/fields';
import { booleanOption, choiceOption, optionProperty, readValues } from '../parameters/options';
import type { Option, ParameterSource } from '../parameters/options';
import { requireChoice } from '../parameters/values';
import { isObject } from '../service/json';
import { HIDDEN } from '../service/statement';

export interface RecordOutput {
  /** Every field except the ID: its name in the API and in the editor. */
  fields: Record<string, string>;
  /** The fields of the simplified record. A field that the service adds later is not in it. */
  simple: string[];
  /** Texts that do not come out of a simplified record under another name, either. */
  papers?: RegExp;
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

const SIMPLIFY = booleanOption({
  label: 'Simplify',
  default: true,
  description: 'Whether to return a simplified version of the response instead of the raw data',
});

const OUTPUT = choiceOption({
  label: 'Output',
  default: 'simple',
  choices: {
    simple: { name: 'Simplified', description: 'The most useful fields' },
    raw: { name: 'Raw', description: 'All fields' },
    fields: { name: 'Selected Fields', description: 'The ID and the fields you choose' },
  },
  description: 'Which fields of a record the model gets',
});

/** The selected fields. An expression or a model may give their names in any text. */
function fieldsOption(fields: RecordOutput['fields']): Option<string[]> {
  const label = 'Fields';
  const known = ['id', ...Object.keys(fields)];
  return {
    label,
    default: [],
    field: {
      type: 'multiOptions',
      default: [],
      options: Object.entries(fields)
        .map(([value, name]) => ({ name, value }))
        .sort((a, b) => a.name.localeCompare(b.name)),
      description: 'Fields that the model gets beside the ID',
    },
    read: (value) =>
      [value]
        .flat()
        .flatMap((entry: unknown) =>
          typeof entry === 'string' ? (entry.match(/\w+/g) ?? []) : [entry],
        )
        .map((name) => requireChoice(label, name, known)),
  };
}

/**
 * The fields with which the user chooses. n8n wants a switch Simplify in a node, and a choice of fields in
 * a tool of an AI agent, because a model has little room to read.
 */
export function outputProperties(output: RecordOutput): INodeProperties[] {
  return [
    {
      ...optionProperty('simplify', SIMPLIFY),
      displayOptions: { hide: { '@tool': [true] } },
    },
    {
      ...optionProperty('output', OUTPUT),
      displayOptions: { show: { '@tool': [true] } },
    },
    {
      ...optionProperty('fields', fieldsOption(output.fields)),
      displayOptions: { show: { '@tool': [true], output: ['fields'] } },
    },
  ];
}

export function outputOf(
  kind: RecordOutput,
  source: ParameterSource,
): (record: IDataObject) => IDataObject {
  // A node has the field Simplify, a tool has Output.
  const { simplify, output } = readValues({ simplify: SIMPLIFY, output: OUTPUT }, source, '');
  if (output === 'raw' || !simplify) return (record) => record;
  if (output !== 'fields') return reduceTo(kind);
  const chosen = { fields: fieldsOption(kind.fields) };
  return reduceTo(kind, readValues(chosen, source, '').fields);
}

/**
 * Returns a function that reduces a record to its ID and these fields. Without them it simplifies the record; one
 * without any known field stays whole. Where there are papers, what is inside is simplified, too.
 */
export function reduceTo(
  { simple, fields, papers, flatten = (record) => record }: RecordOutput,
  chosen?: string[],
): (record: IDataObject) => IDataObject {
  const names = ['id', ...(chosen ?? simple)];
  const reduce = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reduce);
    if (!isObject(value)) return papers?.test(String(value)) ? HIDDEN : value;
    const flat = flatten(value);
    const isKnown = chosen ?? Object.keys(flat).some((name) => Object.hasOwn(fields, name));
    if (!papers && !isKnown) return value;
    const own = (isKnown ? names : Object.keys(flat)).filter((name) => Object.hasOwn(flat, name));
    const inside = papers && !chosen ? reduce : (each: unknown) => each;
    return Object.fromEntries(own.map((name) => [name, inside(flat[name])]));
  };
  return reduce as (record: IDataObject) => IDataObject;
}

/**
 * Turns a record of the service into the json of an item. If the first item has a field `error`, n8n takes it
 * for a failure, and with Retry On Fail runs the node again: pulled records would be lost, and records
 * created twice. So that field becomes `service_error`.
 */
export function itemJson(record: IDataObject): IDataObject {
  if (!Object.hasOwn(record, 'error')) return record;
  const { error, ...others } = record;
  return { ...others, service_error: error };
}
