import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject, parseTokens, repeatsName } from '../service/json';
import { shortened } from '../service/sentences';
import { choiceOption, readValues } from './options';
import type { ParameterReader } from './reader';
import { partOf } from './textParts';
import type { Part } from './textParts';
import { evaluated, filled, isGap, textField, wellFormed } from './texts';
import type { ItemTexts, TextField } from './texts';
import { parseEntered, requireJsonObject } from './values';

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

type ReadNamed = (itemIndex: number) => Named;

const parameterField = (name: string): TextField => ({ name: `The template parameter '${name}'` });

/**
 * Reads the template parameters of one item (`params` of Send template SMS): name → text.
 *
 * Mapped names are checked against the template as the editor loaded it. Names in JSON are not checked,
 * because that would cost a request in every run.
 *
 * @throws UserError that names a parameter that is unknown, or whose text cannot be sent
 */
export function readTemplateParameters(texts: ItemTexts): Record<string, string> {
  const { itemIndex, parameters } = texts;
  switch (readValues(MODE, parameters.forItem(itemIndex), '').parameterMode) {
    case 'json':
      return readJson(texts);
    case 'input':
      return readInput(texts, 'inputParameters');
    default:
      // A choice of n8n's mapper, which only a workflow that is written by hand can have.
      return parameters.get('parameters.mappingMode', itemIndex, '') === 'autoMapInputData'
        ? readInput(texts, 'parameters')
        : textsOf(texts, parameters.once('parameters', () => compileMapper(parameters))(itemIndex));
  }
}

function textsOf(texts: ItemTexts, named: Named): Record<string, string> {
  return Object.fromEntries(
    named.map(([name, parts]) => [name, texts.textOf(parameterField(name), parts)]),
  );
}

function readInput(texts: ItemTexts, mapper: string): Record<string, string> {
  const { itemIndex, parameters } = texts;
  const names = parameters.get(`${mapper}.schema`, itemIndex, [], namesIn);
  if (names.length === 0) throw noSchema();
  const json = parameters.json(itemIndex);
  const valueOf = (name: string) => (Object.hasOwn(json, name) ? json[name] : undefined);
  const codeOf = (name: string) => ` $json[${JSON.stringify(name)}] `;
  return textsOf(
    texts,
    names.map((name) => [name, [partOf(valueOf(name), { code: codeOf(name), isPath: true })]]),
  );
}

function compileMapper(parameters: ParameterReader): ReadNamed {
  const raw = parameters.readRaw('parameters');
  if (isObject(raw) && typeof raw.value !== 'string') return compile(parameters, valuesOf(raw));
  // Only in a workflow that is written by hand, the mapper can be an expression.
  return (itemIndex) => namedIn(valuesOf(parameters.get('parameters', itemIndex)));
}

function namedIn(values: IDataObject, origin?: Pick<Part, 'code' | 'isPath'>): Named {
  return Object.entries(values).map(([name, value]) => [name, [partOf(value, origin)]]);
}

function compile(parameters: ParameterReader, values: IDataObject): ReadNamed {
  const reads = Object.entries(values).map(
    ([name, raw]) => [name, parameters.compileText(raw)] as const,
  );
  return (itemIndex) =>
    reads.map(([name, read]) => [name, evaluated(parameterField(name), () => read(itemIndex))]);
}

export const PARAMETERS_JSON = { displayName: 'Parameters (JSON)', name: 'parametersJson' };

const JSON_FIELD = textField(PARAMETERS_JSON.displayName);

function readJson(texts: ItemTexts): Record<string, string> {
  const parts = texts.partsOf(PARAMETERS_JSON.name, PARAMETERS_JSON.displayName);
  const [{ value, code, isPath } = partOf(undefined)] = parts;
  if (isObject(value)) {
    requireNames(value, value);
    if (code !== undefined) return textsOf(texts, namedIn(value, { code, isPath }));
    // Entered as an object, which only a workflow that is written by hand can have.
    const { itemIndex, parameters } = texts;
    return textsOf(texts, parameters.once(value, () => compile(parameters, value))(itemIndex));
  }
  const json = jsonOf(texts, parts);
  const values = requireJsonObject(PARAMETERS_JSON.displayName, json, parseTokens);
  requireNames(values, json);
  const gaps = parts.filter(isGap);
  const read = (name: string, each: unknown) => {
    const field = parameterField(name);
    // A text is as it is: its parts were read when they were put in.
    return typeof each === 'string'
      ? filled(field, wellFormed(field, each, []), gaps)
      : texts.textOf(field, [partOf(each)]);
  };
  return Object.fromEntries(Object.entries(values).map(([name, each]) => [name, read(name, each)]));
}

/** @throws UserError if a name is empty, or stands there twice: one may come from a value with a quote in it */
function requireNames(values: IDataObject, json: unknown): void {
  const isTwice = typeof json === 'string' && repeatsName(json, JSON.parse(json) as object);
  if (!isTwice && !Object.hasOwn(values, '')) return;
  throw new UserError(
    `${JSON_FIELD.name} has ${isTwice ? 'a name twice' : 'a name that is empty'}`,
    {
      description: 'Each parameter has a name of its own. Check the expressions around the names.',
    },
  );
}

/** JSON text. A part inside quotes is put in as JSON escapes it, unless its code does so. */
function jsonOf(texts: ItemTexts, parts: Part[]): unknown {
  const [only] = parts;
  if (only && parts.length === 1) {
    const isText = ['literal', 'string', 'nothing'].includes(only.type);
    return isText ? texts.textOf(JSON_FIELD, parts) : only.value;
  }
  let isInside = false;
  return parts
    .map((part) => {
      if (part.type === 'literal') isInside = endsInside(part.text, isInside);
      else if (!isInside) {
        return part.type === 'string' ? texts.requireSound(JSON_FIELD, part) : part.text;
      }
      const text = texts.readPart(JSON_FIELD, part, false);
      return part.type === 'literal' ? text : insideQuotes(part, text);
    })
    .join('');
}

/** The text of a part inside quotes. A code that escapes must not end the text before the next quotation mark. */
function insideQuotes({ code = '' }: Part, text: string): string {
  if (!/JSON\.|\\/.test(code)) return JSON.stringify(text).slice(1, -1);
  if (parseEntered(`"${text}"`, JSON.parse) !== undefined) return text;
  throw new UserError(
    `${JSON_FIELD.name} has a part that JSON cannot hold: {{${shortened(code)}}}`,
    {
      description:
        'A value is put in as it is where its code has a backslash or JSON. in it. Escape it in full with JSON.stringify(…).slice(1, -1), or change the value in a node before this one.',
    },
  );
}

/** Whether JSON text ends inside quotes. */
function endsInside(json: string, isInside: boolean): boolean {
  const quotes = json.match(/\\[^]|"/g)?.filter((sign) => sign === '"').length ?? 0;
  return quotes % 2 === 0 ? isInside : !isInside;
}

/** The part of the resource mapper's value that is read here. */
interface MapperValue {
  value?: IDataObject | null;
  /** The template's parameters at the time it was chosen. */
  schema?: { id: string }[];
}

/** @throws UserError for a parameter that the template does not have */
function valuesOf(mapper: unknown): IDataObject {
  const { value, schema } = mapper as MapperValue;
  const mapped = value ?? {};
  const names = namesIn(schema);
  // Without a schema, as in a workflow that was not made in the editor, every name is accepted.
  if (names.length === 0) return mapped;
  const extra = Object.keys(mapped).find((name) => !names.includes(name));
  if (extra !== undefined) throw unknownParameter(extra, names);
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(mapped, name) ? mapped[name] : undefined]),
  );
}

function namesIn(schema: unknown): string[] {
  return ((schema ?? []) as { id: string }[]).map(({ id }) => id);
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
