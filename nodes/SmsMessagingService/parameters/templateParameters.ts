import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import type { ParameterReader } from './reader';
import { describeValue, requireJsonObject } from './values';

/** The part of the resource mapper's value that is read here. */
interface MapperValue {
  value?: IDataObject | null;
  /** The template's parameters at the time it was chosen. */
  schema?: { id: string }[];
}

/**
 * Reads the template parameters of one item (`params` of Send template SMS): name → text.
 *
 * Mapped names are checked against the template as the editor loaded it. Names in JSON are not checked,
 * because that would cost a request in every run. Do not change the result: items share what is constant.
 *
 * @throws UserError that names a parameter that is missing, unknown, or not text
 */
export function readTemplateParameters(
  parameters: ParameterReader,
  itemIndex: number,
): Record<string, string> {
  switch (parameters.get('parameterMode', itemIndex)) {
    case 'json':
      return parameters.get('parametersJson', itemIndex, undefined, parseJson);
    case 'input':
      return readInput(parameters, itemIndex, 'inputParameters');
    default:
      // A choice of n8n's mapper, which only a workflow that is written by hand can have.
      return parameters.get('parameters.mappingMode', itemIndex, '') === 'autoMapInputData'
        ? readInput(parameters, itemIndex, 'parameters')
        : // n8n silently turns a number into text if the values are read alone.
          parameters.get('parameters', itemIndex, undefined, parseMapper);
  }
}

function parseJson(value: unknown): Record<string, string> {
  return requireTexts(requireJsonObject('Parameters (JSON)', value));
}

function readInput(parameters: ParameterReader, itemIndex: number, mapper: string) {
  const names = parameters.get(`${mapper}.schema`, itemIndex, [], namesIn);
  if (names.length === 0) throw noSchema();
  return requireTexts(pick(parameters.json(itemIndex), names));
}

function parseMapper(mapper: unknown): Record<string, string> {
  const { value, schema } = mapper as MapperValue;
  const mapped = value ?? {};
  const names = namesIn(schema);
  // Without a schema, as in a workflow that was not made in the editor, every name is accepted.
  if (names.length === 0) return requireTexts(mapped);
  const extra = Object.keys(mapped).find((name) => !names.includes(name));
  if (extra !== undefined) throw unknownParameter(extra, names);
  return requireTexts(pick(mapped, names));
}

function namesIn(schema: unknown): string[] {
  return ((schema ?? []) as { id: string }[]).map(({ id }) => id);
}

function pick(source: IDataObject, names: string[]): IDataObject {
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(source, name) ? source[name] : undefined]),
  );
}

function requireTexts(values: IDataObject): Record<string, string> {
  for (const name of Object.keys(values)) requireParameterText(name, values[name]);
  return values as Record<string, string>;
}

function noSchema(): UserError {
  return new UserError('The parameters of the template are not known, so none can be mapped', {
    description:
      "Open this node and choose the template again, so that its parameters are loaded, or set 'Specify Parameters' to 'As JSON'. For a template without parameters choose 'One Field for Each'.",
  });
}

function unknownParameter(name: string, names: string[]): UserError {
  return new UserError(`The template has no parameter '${name}'`, {
    description: `It has ${names.join(', ')}. Refresh the list of parameters if the template was changed, or remove '${name}'.`,
  });
}

function requireParameterText(name: string, value: unknown): void {
  if (typeof value === 'string' && value.trim() !== '') return;
  if (value === undefined || value === null || typeof value === 'string') {
    throw new UserError(`The template parameter '${name}' has no value`, {
      description: `Map a value to '${name}', or check that the item has it: without it, the message would be incomplete.`,
    });
  }
  throw new UserError(
    `The template parameter '${name}' must be text, not ${describeValue(value)}`,
    {
      description: `The service takes text only, and a number may have lost leading zeros. Turn it into text where it is made, or with {{ String($json[${JSON.stringify(name)}]) }}.`,
    },
  );
}
