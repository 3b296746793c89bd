import { UserError } from 'n8n-workflow';
import { listed, shortened } from '../service/sentences';
import type { ParameterReader } from './reader';
import type { Part } from './textParts';
import { describeValue } from './values';

/*
 * The texts of a message: what a person reads, or a join relies on. Where one shows that something failed
 * before this node, its item is refused.
 */

/** A field with a text. */
export interface Field {
  /** The subject of sentences about it. */
  name: string;
  /** Whether it tells items apart. Then no part may be missing. */
  isKey?: boolean;
  /** What to do if it has no value. */
  ifMissing?: string;
}

export const fieldOf = (label: string): Field => ({ name: `'${label}'` });

/** The texts of a run. */
export class TextReader {
  private readonly made = new Map<unknown, unknown>();

  constructor(readonly parameters: ParameterReader) {}

  /** Makes what is the same for all items, once. The key stands for it. */
  once<T>(key: unknown, make: () => T): T {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key) as T;
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
    readonly reader: TextReader,
    readonly itemIndex: number,
  ) {}

  /** A text that is not blank. */
  required(parameter: string, label: string): string {
    const field = fieldOf(label);
    return this.textOf(field, this.partsOf(field, parameter));
  }

  /** Undefined, and so not in the request, if nothing was entered, or a computed text is empty. */
  optional(parameter: string, label: string): string | undefined {
    const field = { ...fieldOf(label), ifMissing: ADVICE_ON_OPTIONS };
    const parts = this.partsOf(field, parameter);
    const text = this.join(field, parts);
    if (text.trim() === '' && parts.some(isGap)) throw missing(field, parts);
    return text || undefined;
  }

  /** An idempotency key. Undefined if the item has none. */
  key(parameter: string, label: string): string | undefined {
    const field = { ...fieldOf(label), isKey: true, ifMissing: ADVICE_ON_KEYS };
    const parts = this.partsOf(field, parameter);
    const isConstant = parts.every(({ type }) => type === 'literal');
    const text = this.join(field, parts);
    if (text.trim() === '' && isConstant) return undefined;
    return filled(field, text, parts);
  }

  partsOf(field: Field, parameter: string): Part[] {
    return evaluated(field, () => this.reader.parameters.parts(parameter, this.itemIndex));
  }

  /** The text of parts, which is not blank. */
  textOf(field: Field, parts: Part[]): string {
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
  readPart(field: Field, part: Part, isWhole: boolean): string {
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
    this.warnings.push(`${field.name} has a gap where this has no value${expressions([part])}`);
    return '';
  }

  /** A text without the words that JavaScript writes where something failed. */
  requireSound(field: Field, part: Part): string {
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
      this.numbers.push(
        `${field.name} has the number ${text}: leading zeros, if it had any, are lost`,
      );
    return text;
  }
}

/**
 * What JavaScript and Luxon write where there is no value, or for an object. No honest text has `undefined` in a
 * word, and `Infinity` is a name where something stands beside it.
 */
const FAILED =
  /undefined|(?:null|NaN)(?![A-Za-z])|Invalid (?:Date(?:Time)?|Duration|Interval)|\[object \w+\]|^\s*-?Infinity\s*$/;

/** A text that is nothing else, or that shows an object. */
const IS_FAILED =
  /^\s*(?:undefined|null|NaN|Invalid (?:Date(?:Time)?|Duration|Interval))\s*$|\[object \w+\]/;

/** A replacement character, or half of a character that takes two places. */
const LOST = /[\ufffd\p{Cs}]/u;

/** An expression that was entered as text: in a field that is not switched to Expression, or without `{{ }}`. */
const NOT_EVALUATED = /\{\{[^]*?\}\}|\$(?:json|input|node|itemIndex)\b|\$\(["']/;

/** A part without value. An empty text is one if nothing has computed it. */
export function isGap({ type, text, isPath }: Part): boolean {
  return type === 'nothing' || (type === 'string' && text === '' && isPath === true);
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

/** @throws UserError if the text is blank */
export function filled(field: Field, text: string, parts: Part[]): string {
  if (text.trim() === '') throw missing(field, parts);
  return text;
}

/** @throws UserError if characters were lost */
export function wellFormed(field: Field, text: string, parts: Part[]): string {
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
    description: `Write what differs for each item as in {{ $json.name }}, and switch ${field.name} from Fixed to Expression.`,
  });
}

/** A key may have true, false and dates in it: they tell items apart, and nobody reads them. */
function requireKeyPart(field: Field, part: Part, isWhole: boolean): string {
  const { type, text } = part;
  if (field.isKey && !isWhole && (type === 'boolean' || type === 'date')) return text;
  throw notText(field, part);
}

/** @throws UserError with what n8n says if an expression cannot be evaluated */
export function evaluated<T>({ name }: Field, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw notEvaluated(name, error as Problem);
  }
}

interface Problem {
  message: string;
  description?: string | null;
}

function notEvaluated(name: string, { message, description }: Problem): UserError {
  return new UserError(`${name} cannot be evaluated: ${message}`, {
    description: description ?? 'Check the expression that fills it.',
  });
}

const ADVICE_ON_KEYS =
  'Each item needs a key of its own. Items that are to be sent without a key go through a node without this option.';

const ADVICE_ON_FAILED =
  'A value was missing before this node, is an object, or cannot be read as a date or a number. Mend it there, or choose the field that has the text.';

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
