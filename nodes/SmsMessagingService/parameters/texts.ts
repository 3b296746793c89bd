import { UserError } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { listed, shortened } from '../service/sentences';
import type { OptionField } from './options';
import type { ParameterReader } from './reader';
import type { Part } from './textParts';
import { describeValue } from './values';

/*
 * The texts of a message: what a person reads, or a join relies on. Where one shows that something failed
 * before this node, its item is refused.
 */

/** What the editor has a text for. */
export interface TextField {
  /** The subject of sentences about it. */
  name: string;
  /** Whether it tells items apart. Then no part may be missing. */
  isKey?: boolean;
  /** What to do if it has no value. */
  ifMissing?: string;
}

export const textField = (label: string): TextField => ({ name: `'${label}'` });

/** Reads the texts of one item. All methods throw a UserError that names field and expression. */
export class ItemTexts {
  /** What somebody should look at, but is sent all the same: sentences without a full stop. */
  readonly warnings: string[] = [];

  /** The same about numbers. Said in a check only. */
  readonly numbers: string[] = [];

  constructor(
    readonly parameters: ParameterReader,
    readonly itemIndex: number,
  ) {}

  /** A text that is not blank. */
  required({ name, displayName }: INodeProperties): string {
    return this.textOf(textField(displayName), this.partsOf(name, displayName));
  }

  /** Undefined, and so not in the request, if nothing was entered, or a computed text is empty. */
  optional<N extends string>(options: Record<N, OptionField>, name: N): string | undefined {
    const { label } = options[name];
    const parts = this.partsOf(`options.${name}`, label);
    if (parts.length === 0) return undefined;
    const field = { ...textField(label), ifMissing: ADVICE_ON_OPTIONS };
    const text = this.join(field, parts);
    if (text.trim() === '' && parts.some(isGap)) throw missing(field, parts);
    return text || undefined;
  }

  /** An idempotency key. Undefined if the item has none. */
  key<N extends string>(options: Record<N, OptionField>, name: N): string | undefined {
    const { label } = options[name];
    const parts = this.partsOf(`options.${name}`, label);
    if (parts.length === 0) return undefined;
    const field = { ...textField(label), isKey: true, ifMissing: ADVICE_ON_KEYS };
    const isConstant = parts.every(({ type }) => type === 'literal');
    const text = this.join(field, parts);
    if (text.trim() === '' && isConstant) return undefined;
    return filled(field, text, parts);
  }

  /** @throws UserError with what n8n says if an expression cannot be evaluated */
  partsOf(parameter: string, label: string): Part[] {
    return evaluated(textField(label), () => this.parameters.parts(parameter, this.itemIndex));
  }

  /** The text of parts, which is not blank. */
  textOf(field: TextField, parts: Part[]): string {
    return filled(field, this.join(field, parts), parts);
  }

  private join(field: TextField, parts: Part[]): string {
    const isWhole = parts.length === 1;
    const read = () =>
      wellFormed(field, parts.map((part) => this.readPart(field, part, isWhole)).join(''), parts);
    return isWhole && parts[0]?.type === 'literal' ? this.parameters.once(parts, read) : read();
  }

  /** @param isWhole whether there is no text beside the part */
  readPart(field: TextField, part: Part, isWhole: boolean): string {
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
        // A key may have these in it: they tell items apart, and nobody reads them.
        if (field.isKey && !isWhole && ['boolean', 'date'].includes(part.type)) return part.text;
        throw notText(field, part);
    }
  }

  private gap(field: TextField, part: Part, isWhole: boolean): string {
    if (isWhole) throw missing(field, [part]);
    if (field.isKey) {
      throw unusable(`${field.name} has a part without value`, [part], ADVICE_ON_KEYS);
    }
    this.warnings.push(`${field.name} has a gap where this has no value${expressions([part])}`);
    return '';
  }

  /** A text without the words that JavaScript writes where something failed. */
  requireSound(field: TextField, part: Part): string {
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
  private requirePlain(field: TextField, part: Part): string {
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
 * word, and `Infinity` is a name where something stands beside it: no space, nor one that is escaped in JSON.
 */
const FAILED =
  /undefined|(?:null|NaN)(?![A-Za-z])|Invalid (?:Date(?:Time)?|Duration|Interval)|\[object \w+\]|^(?:\s|\\[nrt])*-?Infinity(?:\s|\\[nrt])*$/;

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
export function filled(field: TextField, text: string, parts: Part[]): string {
  if (text.trim() === '') throw missing(field, parts);
  return text;
}

/** @throws UserError if characters were lost */
export function wellFormed(field: TextField, text: string, parts: Part[]): string {
  if (!LOST.test(text)) return text;
  const lost = parts.filter((part) => LOST.test(part.text));
  throw unusable(
    `${field.name} has characters that were lost`,
    lost,
    'They were lost where the text was read or cut. Set the encoding there, such as GBK for a file from Excel, and do not cut an emoji in two.',
  );
}

function requireEvaluated(field: TextField, text: string): string {
  if (!NOT_EVALUATED.test(text)) return text;
  throw new UserError(`${field.name} has ${describeValue(text)}, which is not evaluated`, {
    description: `Write what differs for each item as in {{ $json.name }}, and switch ${field.name} from Fixed to Expression.`,
  });
}

/** @throws UserError with what n8n says if an expression cannot be evaluated */
export function evaluated<T>({ name }: TextField, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw notEvaluated(name, error as { message: string; description?: string | null });
  }
}

function notEvaluated(
  name: string,
  { message, description }: { message: string; description?: string | null },
): UserError {
  return new UserError(`${name} cannot be evaluated: ${message}`, {
    description: description ?? 'Check the expression that fills it.',
  });
}

const ADVICE_ON_KEYS =
  'Each item needs a key of its own. Items that are to be sent without a key go through a node without this option.';

const ADVICE_ON_FAILED =
  'A value was missing before this node, is an object, or cannot be read as a date or a number. Mend it there, or choose the field that has the text.';

function missing(field: TextField, parts: Part[]): UserError {
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

function notText(field: TextField, part: Part): UserError {
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
