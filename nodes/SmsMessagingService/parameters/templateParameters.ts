import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { parseTokens } from '../service/json';
import { partOf } from './expression';
import type { Part } from './expression';
import { readJson } from './json';
import { choiceOption, readValues } from './options';
import { evaluated, requireCollection } from './reader';
import type { ItemReader } from './reader';
import {
  missing,
  requireFilled,
  requireNotFailed,
  requireWellFormed,
  textField,
} from './texts';
import type { TextField } from './texts';

export const PARAMETER_MODE = choiceOption({
  label: 'Specify Parameters',
  default: 'fields',
  choices: {
    json: { name: 'As JSON', description: 'One JSON object with all parameters' },
    input: {
      name: 'From Input Fields of the Same Name',
      description: 'Each parameter is filled by the field of the item that has its name',
    },
    fields: {
      name: 'One Field for Each',
      description: 'One field for each parameter of the template',
    },
  },
  description: "How to give the values of the template's parameters",
});

const MODE = { parameterMode: PARAMETER_MODE };

/** Template parameters, each with the parts of its text. */
type Named = [name: string, parts: Part[]][];

const parameterField = (name: string): TextField => ({
  name: `The template parameter '${name}'`,
  place: 'required',
});

/**
 * Reads the template parameters of one item (`params` of Send template SMS): name → text.
 *
 * Mapped names are checked against the template as the editor loaded it. Names in JSON are not checked,
 * because that would cost a request in every run.
 *
 * @throws UserError that names a parameter that is unknown, or whose text cannot be sent
 */
export function readTemplateParameters(item: ItemReader): Record<string, string> {
  switch (readValues(MODE, item, '').parameterMode) {
    case 'json':
      return readJsonParameters(item);
    case 'input':
      return readInput(item, 'inputParameters');
    default:
      // A choice of n8n's mapper, which only a workflow that is written by hand can have.
      return mapperOf(item, 'parameters').mappingMode === 'autoMapInputData'
        ? readInput(item, 'parameters')
        : textsOf(item, item.parameters.once('parameters', () => compileMapper(item))(item));
  }
}

function textsOf(item: ItemReader, named: Named): Record<string, string> {
  return Object.fromEntries(
    named.map(([name, parts]) => [name, item.text(parameterField(name), parts)]),
  );
}

function readInput(item: ItemReader, name: string): Record<string, string> {
  const names = item.parameters.once(name, () => namesIn(mapperOf(item, name)));
  if (names.length === 0) throw noSchema();
  const { json } = item;
  return textsOf(
    item,
    names.map((each) => {
      const value = Object.hasOwn(json, each) ? json[each] : undefined;
      return [each, [partOf(value, ` $json[${JSON.stringify(each)}] `)]];
    }),
  );
}

function compileMapper(first: ItemReader): (item: ItemReader) => Named {
  const values = valuesOf(mapperOf(first, 'parameters'));
  const reads = Object.entries(values).map(
    ([name, raw]) => [name, first.parameters.compile(raw)] as const,
  );
  return ({ itemIndex }) =>
    reads.map(([name, read]) => [name, evaluated(parameterField(name), () => read(itemIndex))]);
}

export const PARAMETERS_JSON = { displayName: 'Parameters (JSON)', name: 'parametersJson' };

function readJsonParameters(item: ItemReader): Record<string, string> {
  const { name, displayName } = PARAMETERS_JSON;
  const values = readJson(item, name, displayName, parseTokens);
  if (values === undefined) throw missing(textField(displayName, 'value'), [], true);
  return Object.fromEntries(
    values.map(([key, part]) => {
      const field = parameterField(key);
      if (part.type !== 'string' || part.code !== undefined) return [key, item.text(field, [part])];
      // Its codes were judged when they were put in, but not what they make together.
      requireFilled(field, part.text, []);
      requireNotFailed(field, part);
      return [key, requireWellFormed(field, part.text, [])];
    }),
  );
}

/** The part of the resource mapper's value that is read here. */
interface MapperValue {
  mappingMode?: string;
  value?: IDataObject | null;
  /** The template's parameters at the time it was chosen. */
  schema?: { id: string }[];
}

/** @throws UserError for an expression in its place, which the editor does not offer */
function mapperOf({ parameters }: ItemReader, name: string): MapperValue {
  return parameters.once(`mapper ${name}`, () =>
    requireCollection(name, parameters.readRaw(name, {})),
  );
}

/** @throws UserError for a parameter that the template does not have */
function valuesOf(mapper: MapperValue): IDataObject {
  const mapped = requireCollection('parameters', mapper.value);
  const names = namesIn(mapper);
  // Without a schema, as in a workflow that was not made in the editor, every name is accepted.
  if (names.length === 0) return mapped;
  const extra = Object.keys(mapped).find((name) => !names.includes(name));
  if (extra !== undefined) throw unknownParameter(extra, names);
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(mapped, name) ? mapped[name] : undefined]),
  );
}

function namesIn({ schema = [] }: MapperValue): string[] {
  return schema.map(({ id }) => id);
}

function noSchema(): UserError {
  const { choices } = PARAMETER_MODE;
  return new UserError('The parameters of the template are not known, so none can be mapped', {
    description: `Open this node and choose the template again, so that its parameters are loaded, or set '${PARAMETER_MODE.label}' to '${choices.json.name}'. For a template without parameters choose '${choices.fields.name}'.`,
  });
}

function unknownParameter(name: string, names: string[]): UserError {
  return new UserError(`The template has no parameter '${name}'`, {
    description: `It has ${names.join(', ')}. Refresh the list of parameters if the template was changed, or remove '${name}'.`,
  });
}
