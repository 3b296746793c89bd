import { randomUUID } from 'node:crypto';
import { isSafeObjectProperty, UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { ExactNumber } from '../service/json';

/*
 * A field as n8n reads it, part by part: its literals, and what each code between `{{ }}` gives, with its type.
 * n8n alone gives only the whole, in which a missing value is nothing, and an object is `[object Object]`.
 */

export interface Part {
  /** What stands between `{{ }}`. Undefined: the value was entered as it is. */
  code?: string;
  /** As `typeof` says, but `nothing` for undefined and null, `array` and `date`. */
  type: string;
  /** The value as n8n writes it beside text. Empty for an array, an object and nothing that stand alone. */
  text: string;
  /** The value itself. Undefined where there is text or code beside it. */
  value?: unknown;
  /** Whether the value is one inside that of the code, so that the code does not name its field. */
  isInside?: boolean;
}

/** Returns the parts of a field for an item, without empty literals. */
export type ReadParts = (itemIndex: number) => Part[];

/** What gives the values of codes: n8n's engine, and the item's fields unless `$json` is something else. */
interface Engine {
  /** @param expression without `=` */
  evaluate: (expression: string, itemIndex: number) => unknown;
  json?: (itemIndex: number) => IDataObject;
}

export function partOf(value: unknown, code?: string, isInside?: boolean): Part {
  const type = typeOf(value);
  const hasText = !['array', 'object', 'nothing'].includes(type);
  return { type, text: hasText ? String(value) : '', value, code, isInside };
}

function typeOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'array';
  if (value instanceof ExactNumber) return 'number';
  return value instanceof Date || 'isLuxonDateTime' in value ? 'date' : 'object';
}

/** The last `{{` of an expression may be open. Braces after an odd number of backslashes are text. */
const CODE = /(?<=(?:^|[^\\])(?:\\\\)*)\{\{([^]*?)(?:(?<=[^\\](?:\\\\)*)\}\}|$)/;

/** Compiles a field, given as it is saved, with its `=`. What the result throws has the code under `extra`. */
export function compile(raw: string, { evaluate, json }: Engine): ReadParts {
  const field = raw.slice(1);
  // Literals, with the codes at the odd places.
  const chunks = field.split(CODE);
  const readPaths = compilePaths(chunks);
  const evaluated = new EvaluatedField(chunks, evaluate);
  let constant: Part[] | undefined;
  if (chunks.length === 1) return (itemIndex) => (constant ??= evaluated.parts(itemIndex));
  return (itemIndex) => (json && readPaths?.(json(itemIndex))) ?? evaluated.parts(itemIndex);
}

const isCode = (place: number) => place % 2 === 1;

const isOneCode = ([before, , after, ...more]: string[]) =>
  before === '' && after === '' && more.length === 0;

const isNotEmpty = ({ code, text }: Part) => code !== undefined || text !== '';

// --- Paths into the item ---

/** `.name`, `[0]`, `["name"]` or `['name']`, with names that every version of n8n's parser knows. */
const STEP =
  /\.[A-Za-z_\u4e00-\u9fa5][\w\u4e00-\u9fa5]*|\[(?:0|[1-9]\d{0,8})\]|\["[^"{}\p{C}\u2028\u2029]*"\]|\['[^'{}\p{C}\u2028\u2029]*'\]/gu;

const PATH = new RegExp(`^\\s*\\$json((?:${STEP.source})+)\\s*$`, 'u');

/** What gives an item, of this node or an earlier one, behind its `$`. */
const ITEM = String.raw`(?:input|\(["'][^"']*["']\))\.(?:item|(?:first|last)\(\)|all\(\)\[\d+\]|itemMatching\(\d+\))|node\[["'][^"']*["']\]`;

/** A field of an item as it is: `$('Orders').item.json.note`. */
const FIELD = new RegExp(
  `^\\s*\\$(?:json|(?:${ITEM})\\.json)(?:\\??\\.?(?:${STEP.source}))+\\s*$`,
  'u',
);

/** Whether a code only names a field of an item, so that its value is as somebody entered it. */
export function isField(code: string): boolean {
  return FIELD.test(code);
}

/** What n8n does not take as it is written, wherever it is: a backslash, and `.constructor`. */
const SPECIAL = /\\|\.\s*constructor/;

/** Only the engine can give it. */
const UNREAD = Symbol();

/**
 * Reads a field whose codes are all paths, as drag and drop writes them: `{{ $json.customer["mobile"] }}`. The engine
 * takes as long for one as a message takes to be sent.
 *
 * @returns undefined if there is another code. The function returns undefined if a path leaves plain data.
 */
function compilePaths(chunks: string[]): ((json: IDataObject) => Part[] | undefined) | undefined {
  const steps = chunks.map((chunk, place) => (isCode(place) ? stepsIn(chunk) : []));
  if (steps.includes(undefined) || chunks.some((chunk) => SPECIAL.test(chunk))) return undefined;
  const isAlone = isOneCode(chunks);
  return (json) => {
    const parts: Part[] = [];
    for (const [place, chunk] of chunks.entries()) {
      const value = isCode(place) ? follow(steps[place] as string[], json) : chunk;
      // Beside text, the engine knows how an object is written.
      if (value === UNREAD || (!isAlone && typeof value === 'object')) return undefined;
      if (isCode(place)) parts.push(partOf(value, chunk));
      else if (chunk !== '') parts.push(partOf(chunk));
    }
    return parts;
  };
}

/** The names in a path. Undefined for any other code. */
function stepsIn(code: string): string[] | undefined {
  const [, path] = PATH.exec(code) ?? [];
  const names = path?.match(STEP)?.map((step) => step.replace(/^\.|^\[?["']?|["']?\]?$/g, ''));
  return names?.some(isSpecialName) ? undefined : names;
}

/** Whether an engine refuses the name, or has something of its own under it, as older ones under `toString`. */
function isSpecialName(name: string): boolean {
  return !isSafeObjectProperty(name) || name in Object.prototype || name === 'globalThis';
}

function follow(names: string[], json: IDataObject): unknown {
  let value: unknown = json;
  for (const name of names) {
    const isStep = Array.isArray(value) ? Number.isInteger(Number(name)) : isPlainObject(value);
    if (!isStep || !Object.hasOwn(value as object, name)) return UNREAD;
    value = (value as IDataObject)[name];
  }
  return isData(value) ? value : UNREAD;
}

/** Whether a value is an object that was made by `{}`, in any realm, or has no prototype. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is such as JSON has: each engine gives it as it is. */
function isData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return !['function', 'symbol', 'bigint'].includes(typeof value);
  }
  const entries = Object.entries(value);
  const isPlain = Array.isArray(value) ? entries.length === value.length : isPlainObject(value);
  return isPlain && entries.every(([name, part]) => !isSpecialName(name) && isData(part));
}

// --- Codes for n8n's engine ---

/** Stands between the parts of a field that n8n has read. No text of a user contains it. */
const MARK = randomUUID();

/** Of a date, one that is the same in Node.js and in each engine. */
const TEXT = '(v instanceof Date && v.getTime() ? v.toISOString() : String(v))';

const TYPE =
  '(v == null ? `nothing` : typeof v !== `object` ? typeof v : v instanceof Date || v.isLuxonDateTime ? `date` : Array.isArray(v) ? `array` : `object`)';

/**
 * A code in brackets of its own, which says its type and text. Without quotation marks before it, because n8n looks at
 * the first ones in a code to find its own functions.
 */
const typed = (code: string) =>
  `[(${code}\n)].map((v) => \`${MARK}\` + ${TYPE} + \`:\` + (v == null ? \`\` : ${TEXT}) + \`${MARK}\`)[0]`;

/** As `TEXT` has it. */
const textOfValue = (value: unknown): string =>
  value instanceof Date && value.getTime() ? value.toISOString() : String(value);

class EvaluatedField {
  private readonly codes: string[];

  /** Why n8n refuses a code for every item. Null if it does not; undefined if it was not asked yet. */
  private refusal?: UserError | null;

  /** Whether n8n takes a code only alone, such as one that ends with a semicolon. */
  private isApart = false;

  constructor(
    private readonly chunks: string[],
    private readonly evaluate: Engine['evaluate'],
  ) {
    this.codes = chunks.filter((_, place) => isCode(place));
  }

  parts(itemIndex: number): Part[] {
    if (this.refusal === undefined) return this.apart(this.readFirst(itemIndex), itemIndex);
    if (this.refusal) throw this.refusal;
    const { chunks } = this;
    const isAlone = this.isApart || isOneCode(chunks);
    const together = isAlone ? undefined : this.readTogether(itemIndex);
    // A code that has failed gives nothing, so that its marks are missing.
    if (together?.length === chunks.length) {
      return together
        .map((text, place) => (isCode(place) ? typedPart(chunks[place], text) : partOf(text)))
        .filter(isNotEmpty);
    }
    const codes = this.codes.map((code) => this.readCode(code, itemIndex));
    this.isApart ||= !together;
    return this.apart(codes, itemIndex);
  }

  /**
   * Reads each code of the first item alone: what n8n refuses alone could mean something in brackets. An error of
   * syntax is one for all items.
   */
  private readFirst(itemIndex: number): Part[] {
    const errors: UserError[] = [];
    const parts = this.codes.flatMap((code) => {
      try {
        return this.readCode(code, itemIndex);
      } catch (error) {
        errors.push(error as UserError);
        return [];
      }
    });
    this.refusal = errors.find(({ message }) => message === 'invalid syntax') ?? null;
    const [error] = errors;
    if (error) throw this.refusal ?? error;
    return parts;
  }

  /** The parts of a field whose codes were each read alone. */
  private apart(codes: Part[], itemIndex: number): Part[] {
    if (isOneCode(this.chunks)) return codes;
    const beside = codes.map(({ code, type, value }) => ({
      ...{ code, type },
      text: type === 'nothing' ? '' : textOfValue(value),
    }));
    return this.textsOf(() => `\`${MARK}\``, itemIndex)
      .flatMap((text, nth) => [partOf(text), ...beside.slice(nth, nth + 1)])
      .filter(isNotEmpty);
  }

  /** Undefined if n8n does not take the codes together. */
  private readTogether(itemIndex: number): string[] | undefined {
    try {
      return this.textsOf(typed, itemIndex);
    } catch {
      return undefined;
    }
  }

  /** What n8n reads between the marks, with other codes in the place of the field's. */
  private textsOf(write: (code: string) => string, itemIndex: number): string[] {
    const field = this.chunks.map((each, place) => (isCode(place) ? `{{${write(each)}}}` : each));
    return String(this.read(field.join(''), itemIndex)).split(MARK);
  }

  private readCode(code: string, itemIndex: number): Part {
    return partOf(this.read(`{{${code}}}`, itemIndex, code), code);
  }

  private read(expression: string, itemIndex: number, code?: string): unknown {
    try {
      return this.evaluate(expression, itemIndex);
    } catch (error) {
      throw codeError(error as UserError, code);
    }
  }
}

/** What n8n says of a code that it refuses, or cannot evaluate for an item; without a code, of the field as a whole. */
const codeError = ({ message, description }: UserError, code?: string) =>
  new UserError(message, { description, extra: { code } });

function typedPart(code: string | undefined, typedText: string): Part {
  const [type = ''] = typedText.split(':', 1);
  return { code, type, text: typedText.slice(type.length + 1) };
}
