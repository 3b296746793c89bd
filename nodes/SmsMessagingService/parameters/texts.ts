import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject, parseTokens } from '../service/json';
import { listed, shortened } from '../service/sentences';
import { choiceOption, readValues } from './options';
import type { ParameterReader } from './reader';
import { entered, partOf } from './textParts';
import type { Part } from './textParts';
import { describeValue, requireJsonObject } from './values';

/*
 * The texts of a message: what a person reads, or a join relies on. Where one shows that something failed
 * before this node, its item is refused.
 */

/** A field with a text. */
interface Field {
  /** The subject of sentences about it. */
  name: string;
  /** Whether it tells items apart. Then no part may be missing. */
  isKey?: boolean;
  /** What to do if it has no value. */
  ifMissing?: string;
}

const fieldOf = (label: string): Field => ({ name: `'${label}'` });

const JSON_LABEL = 'Parameters (JSON)';

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

/** Reads the texts of a run. */
export class TextReader {
  /** What was entered for all items is read once. */
  private readonly constants = new Map<Part[], string>();

  private readonly named = new Map<string, ReadNamed>();

  constructor(readonly parameters: ParameterReader) {}

  /** The text of constant parts. */
  once(parts: Part[], read: () => string): string {
    let text = this.constants.get(parts);
    if (text === undefined) this.constants.set(parts, (text = read()));
    return text;
  }

  /** The values of the mapper "One Field for Each". */
  mapped(itemIndex: number): Named {
    return this.readNamed('parameters', (raw) => {
      if (isObject(raw) && typeof raw.value !== 'string') return this.compile(valuesOf(raw));
      // Only in a workflow that is written by hand, the mapper can be an expression.
      return (index) =>
        Object.entries(valuesOf(this.parameters.get('parameters', index))).map(([name, value]) => [
          name,
          entered(value),
        ]);
    })(itemIndex);
  }

  /** The entries of an object that was entered in the place of JSON text. */
  entries(parameter: string, object: IDataObject, itemIndex: number): Named {
    return this.readNamed(parameter, () => this.compile(object))(itemIndex);
  }

  private readNamed(parameter: string, compile: (raw: unknown) => ReadNamed): ReadNamed {
    let read = this.named.get(parameter);
    if (read === undefined) {
      read = compile(this.parameters.readRaw(parameter));
      this.named.set(parameter, read);
    }
    return read;
  }

  private compile(values: IDataObject): ReadNamed {
    const reads = Object.entries(values).map(
      ([name, raw]) => [name, this.parameters.compileText(raw)] as const,
    );
    return (itemIndex) => reads.map(([name, read]) => [name, read(itemIndex)]);
  }
}

/** What somebody should look at in the texts of an item, as sentences without a full stop. */
export interface Remarks {
  /** About what is sent all the same. */
  readonly warnings: string[];
  /** About numbers. Said in a check only. */
  readonly numbers: string[];
}

/** Reads the texts of one item. All methods throw a UserError that names field and expression. */
export class ItemTexts implements Remarks {
  readonly warnings: string[] = [];

  readonly numbers: string[] = [];

  constructor(
    private readonly reader: TextReader,
    private readonly itemIndex: number,
  ) {}

  /** A text that is not blank. */
  required(parameter: string, label: string): string {
    return this.textOf(fieldOf(label), this.partsOf(parameter));
  }

  /** Undefined, and so not in the request, if nothing was entered, or a computed text is empty. */
  optional(parameter: string, label: string): string | undefined {
    const field = { ...fieldOf(label), ifMissing: ADVICE_ON_OPTIONS };
    const parts = this.partsOf(parameter);
    const text = this.join(field, parts);
    if (text.trim() === '' && parts.some(isGap)) throw missing(field, parts);
    return text || undefined;
  }

  /** An idempotency key. Undefined if the item has none. */
  key(parameter: string, label: string): string | undefined {
    const field = { ...fieldOf(label), isKey: true, ifMissing: ADVICE_ON_KEYS };
    const parts = this.partsOf(parameter);
    const isConstant = parts.every(({ type }) => type === 'literal');
    const text = this.join(field, parts);
    if (text.trim() === '' && isConstant) return undefined;
    return filled(field, text, parts);
  }

  /**
   * The template parameters (`params` of Send template SMS): name → text. Mapped names are checked against the
   * template as the editor loaded it. Names in JSON are not: that would cost a request in every run.
   */
  templateParameters(): Record<string, string> {
    const { parameters } = this.reader;
    switch (readValues(MODE, parameters.forItem(this.itemIndex), '').parameterMode) {
      case 'json':
        return this.jsonParameters();
      case 'input':
        return this.inputParameters('inputParameters');
      default:
        // A choice of n8n's mapper, which only a workflow that is written by hand can have.
        return parameters.get('parameters.mappingMode', this.itemIndex, '') === 'autoMapInputData'
          ? this.inputParameters('parameters')
          : this.textsOf(this.reader.mapped(this.itemIndex));
    }
  }

  private partsOf(parameter: string): Part[] {
    return this.reader.parameters.parts(parameter, this.itemIndex);
  }

  private inputParameters(mapper: string): Record<string, string> {
    const { parameters } = this.reader;
    const names = parameters.get(`${mapper}.schema`, this.itemIndex, [], namesIn);
    if (names.length === 0) throw noSchema();
    const json = parameters.json(this.itemIndex);
    const valueOf = (name: string) => (Object.hasOwn(json, name) ? json[name] : undefined);
    return this.textsOf(
      names.map((name) => {
        const code = ` $json[${JSON.stringify(name)}] `;
        return [name, [partOf(valueOf(name), { code, isPath: true })]];
      }),
    );
  }

  private jsonParameters(): Record<string, string> {
    const parts = this.partsOf('parametersJson');
    const [{ value, code, isPath } = partOf(undefined)] = parts;
    if (isObject(value)) {
      const named: Named =
        code === undefined
          ? this.reader.entries('parametersJson', value, this.itemIndex)
          : Object.entries(value).map(([name, each]) => [name, [partOf(each, { code, isPath })]]);
      return this.textsOf(named);
    }
    const values = requireJsonObject(JSON_LABEL, this.jsonOf(parts), parseTokens);
    const gaps = parts.filter(isGap);
    const texts = Object.entries(values).map(([name, each]) => {
      const field = parameterField(name);
      // A text is as it is: its parts were read when they were put in.
      const text =
        typeof each === 'string'
          ? filled(field, wellFormed(field, each, []), gaps)
          : this.textOf(field, [partOf(each)]);
      return [name, text];
    });
    return Object.fromEntries(texts) as Record<string, string>;
  }

  /** JSON text. A part inside quotes is put in as JSON escapes it, unless its code does so. */
  private jsonOf(parts: Part[]): unknown {
    const field = fieldOf(JSON_LABEL);
    const [only] = parts;
    if (only && parts.length === 1) {
      const isText = ['literal', 'string', 'nothing'].includes(only.type);
      return isText ? this.textOf(field, parts) : only.value;
    }
    let isInside = false;
    return parts
      .map((part) => {
        if (part.type === 'literal') isInside = endsInside(part.text, isInside);
        else if (!isInside)
          return part.type === 'string' ? this.requireSound(field, part) : part.text;
        const text = this.readPart(field, part, false);
        const isReady = part.type === 'literal' || /JSON\.|\\/.test(part.code ?? '');
        return isReady ? text : JSON.stringify(text).slice(1, -1);
      })
      .join('');
  }

  private textsOf(named: Named): Record<string, string> {
    return Object.fromEntries(
      named.map(([name, parts]) => [name, this.textOf(parameterField(name), parts)]),
    );
  }

  private textOf(field: Field, parts: Part[]): string {
    return filled(field, this.join(field, parts), parts);
  }

  private join(field: Field, parts: Part[]): string {
    const [first] = parts;
    if (!first) return '';
    const isWhole = parts.length === 1;
    const read = () =>
      wellFormed(field, parts.map((part) => this.readPart(field, part, isWhole)).join(''), parts);
    return isWhole && first.type === 'literal' ? this.reader.once(parts, read) : read();
  }

  /** @param isWhole whether there is no text beside the part */
  private readPart(field: Field, part: Part, isWhole: boolean): string {
    if (isGap(part) || (field.isKey && part.type === 'string' && part.text.trim() === '')) {
      return this.gap(field, part, isWhole);
    }
    switch (part.type) {
      case 'literal':
        return requireEvaluated(field, part.text);
      case 'string':
        return this.requireSound(field, part);
      case 'number':
        return this.requirePlain(field, part);
      default:
        return requireKeyPart(field, part, isWhole);
    }
  }

  private gap(field: Field, part: Part, isWhole: boolean): string {
    if (isWhole) throw missing(field, [part]);
    if (field.isKey) {
      throw unusable(`${field.name} has a part without value`, [part], ADVICE_ON_KEYS);
    }
    this.warnings.push(`${field.name} has a gap${expressions([part])}`);
    return '';
  }

  /** A text without the words that JavaScript writes where something failed. */
  private requireSound(field: Field, part: Part): string {
    const { text, isPath } = part;
    const [word] = FAILED.exec(text) ?? [];
    if (word === undefined) return text;
    const problem = `${field.name} has "${word}" in it`;
    if (!isPath || IS_FAILED.test(text)) throw unusable(problem, [part], ADVICE_ON_FAILED);
    // The words of somebody, such as an error message that is passed on.
    this.warnings.push(problem + expressions([part]));
    return text;
  }

  /** The digits of a number that JavaScript shows as it is. */
  private requirePlain(field: Field, part: Part): string {
    const { text } = part;
    if (!Number.isFinite(Number(text))) {
      throw unusable(`${field.name} has "${text}" in it`, [part], ADVICE_ON_FAILED);
    }
    if (!isPlain(text)) throw notText(field, part);
    if (!field.isKey)
      this.numbers.push(`${field.name} has the number ${text}, without leading zeros`);
    return text;
  }
}

const parameterField = (name: string): Field => ({ name: `The template parameter '${name}'` });

/** What JavaScript writes where there is no value, or for an object. No honest text has `undefined` in a word. */
const FAILED =
  /undefined|(?<![A-Za-z])(?:null|NaN)(?![A-Za-z])|Invalid Date(?:Time)?|\[object \w+\]/;

/** A text that is nothing else, or that shows an object. */
const IS_FAILED = /^\s*(?:undefined|null|NaN|Invalid Date(?:Time)?)\s*$|\[object \w+\]/;

/** A replacement character, or half of a character that takes two places. */
const LOST = /[\ufffd\p{Cs}]/u;

/** An expression that was entered as text: in a field that is not switched to Expression, or without `{{ }}`. */
const NOT_EVALUATED = /\{\{[^]*?\}\}|\$(?:json|input|node|itemIndex)\b|\$\(["']/;

/** A part without value. An empty text is one if nothing has computed it. */
function isGap({ type, text, isPath }: Part): boolean {
  return type === 'nothing' || (type === 'string' && text === '' && isPath === true);
}

/** Whether JSON text ends inside quotes. */
function endsInside(json: string, isInside: boolean): boolean {
  const quotes = json.match(/\\[^]|"/g)?.filter((sign) => sign === '"').length ?? 0;
  return quotes % 2 === 0 ? isInside : !isInside;
}

const MAX_DIGITS = 15;

/** Whether a number has no more digits than JavaScript keeps, and no exponent. */
function isPlain(text: string): boolean {
  const [, whole = '', fraction] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const value = Number(text);
  if (fraction === undefined) return whole !== '' && Number.isSafeInteger(value);
  const digits = (whole + fraction).replace(/^0+/, '');
  return digits.length <= MAX_DIGITS && !String(value).includes('e');
}

function filled(field: Field, text: string, parts: Part[]): string {
  if (text.trim() === '') throw missing(field, parts);
  return text;
}

function wellFormed(field: Field, text: string, parts: Part[]): string {
  if (!LOST.test(text)) return text;
  const lost = parts.filter((part) => LOST.test(part.text));
  throw unusable(
    `${field.name} has characters that were lost`,
    lost,
    'They were lost where the text was read or cut. Set the encoding there, such as GBK for a file from Excel, and do not cut an emoji in two.',
  );
}

function requireEvaluated(field: Field, text: string): string {
  if (!NOT_EVALUATED.test(text)) return text;
  throw new UserError(`${field.name} has ${describeValue(text)}, which is not evaluated`, {
    description: `Switch ${field.name} from Fixed to Expression, with {{ }} around what differs for each item.`,
  });
}

/** A key may have true, false and dates in it: they tell items apart, and nobody reads them. */
function requireKeyPart(field: Field, part: Part, isWhole: boolean): string {
  const { type, text } = part;
  if (field.isKey && !isWhole && (type === 'boolean' || type === 'date')) return text;
  throw notText(field, part);
}

const ADVICE_ON_KEYS =
  'Each item needs a key of its own. Items that are to be sent without a key go through a node without this option.';

const ADVICE_ON_FAILED =
  'A value was missing before this node, or is an object. Mend it there, or choose the field that has the text.';

function missing(field: Field, parts: Part[]): UserError {
  const isFixed = parts.every(({ type }) => type === 'literal');
  const problem = isFixed ? 'is empty' : 'has no value for this item';
  return unusable(`${field.name} ${problem}`, parts, field.ifMissing ?? ADVICE_ON_GAPS);
}

const ADVICE_ON_GAPS =
  'Fill it in, or check that the item has it: without it, the message would be incomplete.';

const ADVICE_ON_OPTIONS =
  "Check the expression that fills it. If it may be empty, say so in the expression, as in {{ $json.note || '' }}.";

/** How a value is written as text, by its type. */
const HOW_TO_WRITE: Partial<Record<Part['type'], string>> = {
  number: 'Say with how many digits it is written, as in {{ $json.price.toFixed(2) }}.',
  boolean: "Say how it is written, as in {{ $json.isPaid ? 'yes' : 'no' }}.",
  date: "Say how it is written, as in {{ $now.format('yyyy-MM-dd') }}.",
  array: 'Join it, as in {{ $json.names.join() }}.',
  object: 'Choose the field of it that has the text.',
};

function notText(field: Field, part: Part): UserError {
  const { type, text } = part;
  const shown = { array: 'an array', object: 'an object', date: 'a date' }[type as string];
  const problem = `${field.name} must be text, not ${shown ?? `the ${type} ${shortened(text)}`}`;
  return unusable(problem, [part], HOW_TO_WRITE[type] ?? '');
}

function unusable(problem: string, parts: Part[], description: string): UserError {
  return new UserError(problem + expressions(parts), { description });
}

/** The number of expressions that an error names. */
const MAX_NAMED = 3;

/** The codes of parts, as the end of a sentence. */
function expressions(parts: Part[]): string {
  const codes = parts.flatMap(({ code }) => (code === undefined ? [] : `{{${shortened(code)}}}`));
  return codes.length > 0 ? `: ${listed(codes, MAX_NAMED)}` : '';
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
