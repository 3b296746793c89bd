import { UserError } from 'n8n-workflow';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ParameterReader } from '../shared/parameters';
import { describeValue, requireJsonObject } from '../shared/values';

/** The resource mapper's value, as far as it is needed here. */
interface MapperValue {
  mappingMode?: string;
  value?: IDataObject | null;
  schema?: { id: string; removed?: boolean }[];
}

/**
 * Reads the template parameters of one item (`params` of §4.1): name to text.
 *
 * @param json the item's own fields, which the mapper's automatic mode takes
 * @throws UserError that names the parameter which is missing or not text
 */
export function readTemplateParameters(
  parameters: ParameterReader,
  itemIndex: number,
  json: IDataObject,
): Record<string, string> {
  const values =
    parameters.get('parameterMode', itemIndex) === 'json'
      ? requireJsonObject('Parameters (JSON)', parameters.get('parametersJson', itemIndex))
      : readMapper(parameters.get('parameters', itemIndex) as INodeParameters & MapperValue, json);
  for (const [name, value] of Object.entries(values)) requireParameterText(name, value);
  return values as Record<string, string>;
}

function readMapper(
  { mappingMode, value, schema = [] }: MapperValue,
  json: IDataObject,
): IDataObject {
  const names = schema.filter(({ removed }) => !removed).map(({ id }) => id);
  const source = mappingMode === 'autoMapInputData' ? json : (value ?? {});
  // Without a schema (a workflow that was not made in the editor) the mapped values name themselves.
  const wanted = schema.length > 0 ? names : Object.keys(value ?? {});
  return Object.fromEntries(wanted.map((name) => [name, source[name]]));
}

function requireParameterText(name: string, value: unknown): void {
  if (typeof value === 'string') return;
  if (value === undefined || value === null) {
    throw new UserError(`The template parameter '${name}' has no value`, {
      description: `Map a value to '${name}', or check that the item has it.`,
    });
  }
  throw new UserError(
    `The template parameter '${name}' must be text, not ${describeValue(value)}`,
    {
      description: `The service takes text only, and a number may have lost leading zeros. Turn it into text where it is made, or with {{ String($json.${name}) }}.`,
    },
  );
}
