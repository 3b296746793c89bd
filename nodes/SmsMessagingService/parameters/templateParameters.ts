import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { parseTokens } from '../service/json';
import { partOf } from './expression';
import type { Part } from './expression';
import { readJson } from './json';
import { choiceOption, readValues } from './options';
import { evaluated, requireCollection } from './reader';
import type { ItemReader, ParameterReader } from './reader';
import { missing, readText, requireNotFailed, requireWhole, textField } from './texts';
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

type ReadNamed = (item: ItemReader) => [name: string, parts: Part[]][];

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
  const { parameterMode } = readValues({ parameterMode: PARAMETER_MODE }, item, '');
  if (parameterMode === 'json') return readJsonParameters(item);
  const name = parameterMode === 'input' ? 'inputParameters' : 'parameters';
  const read = item.parameters.once(name, () => compileMapper(item.parameters, name));
  return Object.fromEntries(
    read(item).map(([key, parts]) => [key, readText(parameterField(key), parts, item)]),
  );
}

interface MapperValue {
  mappingMode?: string;
  value?: IDataObject | null;
  /** The template's parameters at the time it was chosen. */
  schema?: { id: string }[];
}

/** @throws UserError if the parameters are not known, or for one that the template does not have */
function compileMapper(parameters: ParameterReader, name: string): ReadNamed {
  const mapper: MapperValue = requireCollection(name, parameters.readRaw(name, {}));
  const names = (mapper.schema ?? []).map(({ id }) => id);
  // n8n's own mode of that kind is only in workflows that are written by hand.
  if (name === 'inputParameters' || mapper.mappingMode === 'autoMapInputData') {
    if (names.length === 0) {
      const { label, choices } = PARAMETER_MODE;
      throw new UserError('The parameters of the template are not known, so none can be mapped', {
        description: `Open this node and choose the template again, so that its parameters are loaded, or set '${label}' to '${choices.json.name}', or to '${choices.fields.name}' for a template without parameters.`,
      });
    }
    return ({ json }) =>
      names.map((each) => [each, [partOf(own(json, each), ` $json[${JSON.stringify(each)}] `)]]);
  }
  const mapped = requireCollection('parameters', mapper.value);
  // Without a schema, as in a workflow that was not made in the editor, every name is accepted.
  const known = names.length === 0 ? Object.keys(mapped) : names;
  const extra = Object.keys(mapped).find((each) => !known.includes(each));
  if (extra !== undefined) {
    throw new UserError(`The template has no parameter '${extra}'`, {
      description: `Remove '${extra}', or refresh the list if the template was changed: it has ${known.join(', ')}.`,
    });
  }
  const reads = known.map((each) => [each, parameters.compile(own(mapped, each))] as const);
  return ({ itemIndex }) =>
    reads.map(([each, read]) => [each, evaluated(parameterField(each), () => read(itemIndex))]);
}

const own = (object: IDataObject, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined;

export const PARAMETERS_JSON = { displayName: 'Parameters (JSON)', name: 'parametersJson' };

function readJsonParameters(item: ItemReader): Record<string, string> {
  const { name, displayName } = PARAMETERS_JSON;
  const values = readJson(item, name, displayName, parseTokens);
  if (values === undefined) throw missing(textField(displayName, 'value'));
  return Object.fromEntries(
    values.map(([key, part]) => {
      const field = parameterField(key);
      const isJudged = part.type === 'string' && part.code === undefined;
      if (!isJudged) return [key, readText(field, [part], item)];
      // Its codes were judged when they were put in, but not what they make together.
      requireNotFailed(field, part);
      return [key, requireWhole(field, part.text)];
    }),
  );
}
