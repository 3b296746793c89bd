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
  /** As `typeof` says, and `nothing` for undefined and null. */
  type: string;
  /** The value as n8n writes it beside text. Empty for a list, an object and nothing that stand alone. */
  text: string;
  /** The value itself. Undefined where there is text or code beside it. */
  value?: unknown;
  /** The value is inside that of the code, so the code does not name a field with it. */
  isInside?: boolean;
}

/** Returns the parts of a field for an item, without empty literals. */
export type ReadParts = (itemIndex: number) => Part[];

/** What gives the values of codes. */
export interface Engine {
  /** n8n's expression engine. The expression comes without `=`. */
  evaluate: (expression: string, itemIndex: number) => unknown;
  /** The item's fields. Undefined if `$json` is something else, as in a tool. */
  json?: (itemIndex: number) => IDataObject;
}

/** What n8n says of a code that it refuses, or cannot evaluate for an item. */
export class CodeError extends UserError {
  /** @param code undefined if it is about the field as a whole */
  constructor(
    { message, description }: { message: string; description?: string | null },
    readonly code?: string,
  ) {
    super(message, { description: description ?? undefined });
  }
}

/** A value as a part. */
export function partOf(value: unknown, code?: string): Part {
  const type = typeOf(value);
  const hasText = !['array', 'object', 'nothing'].includes(type);
  return { type, text: hasText ? String(value) : '', value, code };
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

/** Compiles a field, given as it is saved, with its `=`. What the result throws is a CodeError. */
export function compile(raw: string, { evaluate, json }: Engine): ReadParts {
  const field = raw.slice(1);
  // Literals, with the codes at the odd places.
  const chunks = field.split(CODE);
  const readPaths = compilePaths(chunks);
  const evaluated = new EvaluatedField(field, chunks, evaluate);
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

/** A field of an item, of this node or an earlier one, as it is: `$('Orders').item.json.note`. */
const FIELD = new RegExp(
  `^\\s*\\$(?:json|input\\.item\\.json|\\(["'][^"']*["']\\)\\.(?:item|first\\(\\))\\.json)(?:\\??\\.?(?:${STEP.source}))+\\s*$`,
  'u',
);

/** Whether a code only names a field of an item, so that its value is as somebody entered it. */
export function isField(code: string): boolean {
  return FIELD.test(code);
}

/** What n8n does not take as it is written, wherever it is: a backslash, and `.constructor`. */
const SPECIAL = /\\|\.\s*constructor/;

/**
 * Reads a field whose codes are all paths, as drag and drop writes them: `{{ $json.customer["mobile"] }}`. The engine
 * takes as long for one as a message takes to be sent.
 *
 * @returns undefined if there is another code. The function returns undefined if a path leaves plain data.
 */
function compilePaths(chunks: string[]): ((json: IDataObject) => Part[] | undefined) | undefined {
  const steps = chunks.map((chunk, place) => (isCode(place) ? stepsIn(chunk) : []));
  const isAlone = isOneCode(chunks);
  if (chunks.length === 1 || steps.includes(undefined) || chunks.some((each) => SPECIAL.test(each)))
    return undefined;
  return (json) => {
    const parts: Part[] = [];
    for (const [place, chunk] of chunks.entries()) {
      const value = isCode(place) ? follow(steps[place] as string[], json) : chunk;
      // Beside text, the engine knows how an object is written.
      if (value === UNREAD || (!isAlone && typeof value === 'object')) return undefined;
      if (value !== '' || isCode(place))
        parts.push(partOf(value, isCode(place) ? chunk : undefined));
    }
    return parts;
  };
}

/** The names in a path. Undefined for any other code. */
function stepsIn(code: string): string[] | undefined {
  const names = PATH.exec(code)?.[1]
    ?.match(STEP)
    ?.map((step) => step.replace(/^\.|^\[?["']?|["']?\]?$/g, ''));
  return names?.some(isSpecialName) ? undefined : names;
}

/** Whether an engine refuses the name, or has something of its own under it, as older ones under `toString`. */
function isSpecialName(name: string): boolean {
  return !isSafeObjectProperty(name) || name in Object.prototype || name === 'globalThis';
}

/** Only the engine can give it. */
const UNREAD = Symbol();

function follow(names: string[], json: IDataObject): unknown {
  let value: unknown = json;
  for (const name of names) {
    if (!isContainer(value, name) || !Object.hasOwn(value, name)) return UNREAD;
    value = value[name];
  }
  return isData(value) ? value : UNREAD;
}

/** Whether a value is a plain object, or a list of which an entry is asked for. */
function isContainer(value: unknown, name: string): value is Record<string, unknown> {
  if (Array.isArray(value)) return Number.isInteger(Number(name));
  return typeof value === 'object' && value !== null && isPlainObject(value);
}

/** Whether an object was made by `{}`, in any realm, or has no prototype. */
function isPlainObject(value: object): boolean {
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

/**
 * A code in brackets of its own, which says its place, type and text. It has no quotation mark, because n8n looks at
 * the first ones of a code to find its own functions.
 */
function typed(code: string, place: number): string {
  const type =
    '(v == null ? `nothing` : typeof v !== `object` ? typeof v : v instanceof Date || v.isLuxonDateTime ? `date` : Array.isArray(v) ? `array` : `object`)';
  return `[(${code}\n)].map((v) => \`${MARK}${place}:\` + ${type} + \`:\` + (v == null ? \`\` : String(v)) + \`${MARK}\`)[0]`;
}

/** A field that n8n's engine reads. */
class EvaluatedField {
  private readonly codes: string[];

  /** Whether the field is one code, whose value n8n gives as it is. */
  private readonly isAlone: boolean;

  /** The field with other codes, which tell what each gives, or where it stands. */
  private readonly together: string;

  private readonly marked: string;

  /** Whether n8n has been asked about each code alone: one that it refuses could mean something in brackets. */
  private isChecked = false;

  /** Why n8n refuses a code, for every item. */
  private refusal?: CodeError;

  /** Whether n8n takes a code only alone, such as one that ends with a semicolon. */
  private isApart = false;

  constructor(
    private readonly field: string,
    private readonly chunks: string[],
    private readonly evaluate: Engine['evaluate'],
  ) {
    const withCodes = (write: (code: string, place: number) => string) =>
      chunks.map((each, place) => (isCode(place) ? `{{${write(each, place)}}}` : each)).join('');
    this.codes = chunks.filter((_, place) => isCode(place));
    this.isAlone = isOneCode(chunks);
    this.together = withCodes(typed);
    this.marked = withCodes(() => `\`${MARK}\``);
  }

  parts(itemIndex: number): Part[] {
    if (!this.isChecked) {
      this.refusal = this.codes.map((code) => this.findRefusal(code, itemIndex)).find(Boolean);
      this.isChecked = true;
    }
    if (this.refusal) throw this.refusal;
    if (this.isAlone) return this.readCodes(itemIndex);
    return this.isApart ? this.readApart(itemIndex) : this.readTogether(itemIndex);
  }

  /** Any error but one of syntax is about the item, and comes again. */
  private findRefusal(code: string, itemIndex: number): CodeError | undefined {
    try {
      this.readCode(code, itemIndex);
      return undefined;
    } catch (error) {
      return (error as Error).message === 'invalid syntax' ? (error as CodeError) : undefined;
    }
  }

  private readTogether(itemIndex: number): Part[] {
    try {
      return partsIn(String(this.read(this.together, itemIndex)).split(MARK), this.chunks);
    } catch {
      const parts = this.readApart(itemIndex);
      this.isApart = true;
      return parts;
    }
  }

  private readApart(itemIndex: number): Part[] {
    const codes = this.readCodes(itemIndex);
    const literals = String(this.read(this.marked, itemIndex)).split(MARK);
    const parts = literals.flatMap((text, nth) => [partOf(text), ...codes.slice(nth, nth + 1)]);
    // Codes can have an effect on each other. Then neither reading can be trusted.
    const isSound = codes.every(({ type }) => type === 'string' || type === 'number');
    const whole = parts.map(({ text }) => text).join('');
    if (isSound && whole !== String(this.read(this.field, itemIndex))) {
      throw new CodeError(NOT_TOGETHER);
    }
    return parts.filter(isNotEmpty);
  }

  private readCodes(itemIndex: number): Part[] {
    return this.codes.map((code) => this.readCode(code, itemIndex));
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

const codeError = (cause: UserError, code?: string) => new CodeError(cause, code);

const NOT_TOGETHER = {
  message: 'n8n reads its codes together otherwise than one by one',
  description: 'Put each code into a field of an Edit Fields (Set) node before this one.',
};

/** The parts of a field that n8n has read together. A code that has failed is missing in it, and gives nothing. */
function partsIn(texts: string[], chunks: string[]): Part[] {
  const isWhole = texts.length === chunks.length;
  const given = new Map(
    texts.filter((_, place) => isCode(place)).map((text) => [parseInt(text, 10), text]),
  );
  return chunks
    .map((chunk, place): Part => {
      if (!isCode(place)) return partOf(isWhole ? texts[place] : chunk);
      const [, type = 'nothing', text = ''] =
        /^\d+:(\w+):([^]*)$/.exec(given.get(place) ?? '') ?? [];
      return { code: chunk, type, text };
    })
    .filter(isNotEmpty);
}
