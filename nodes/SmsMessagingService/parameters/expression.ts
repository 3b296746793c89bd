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
  /** An error of syntax is one for every item. */
  refusal?: UserError;
}

export function partOf(value: unknown, code?: string, isInside?: boolean): Part {
  const type = typeOf(value);
  const hasText = !['array', 'object', 'nothing'].includes(type);
  return { type, text: hasText ? textOfValue(value) : '', value, code, isInside };
}

function typeOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'array';
  if (value instanceof ExactNumber) return 'number';
  return value instanceof Date || 'isLuxonDateTime' in value ? 'date' : 'object';
}

/** Of a date, a text that is the same in Node.js and in each engine. */
const textOfValue = (value: unknown): string =>
  value instanceof Date && value.getTime() ? value.toISOString() : String(value);

/** The last `{{` of an expression may be open. Braces after an odd number of backslashes are text. */
const CODE = /(?<=(?:^|[^\\])(?:\\\\)*)\{\{([^]*?)(?:(?<=[^\\](?:\\\\)*)\}\}|$)/;

/** Stands in the place of each code, or behind it, while n8n reads a field. No text of a user contains it. */
const MARK = randomUUID();

/** Compiles a field, given as it is saved, with its `=`. What the result throws has the code under `extra`. */
export function compile(raw: string, engine: Engine): ReadParts {
  // Literals, with the codes at the odd places.
  const chunks = raw.slice(1).split(CODE);
  const codes = chunks.filter((_, place) => place % 2 === 1);
  const entered = chunks.filter((_, place) => place % 2 === 0);
  const readPaths = compilePaths(codes, engine);
  const readCodes = compileCodes(codes, engine);
  /** The same for every item. */
  let literals = entered.join('') === '' ? entered : undefined;
  return (itemIndex) => {
    const values = readPaths?.(itemIndex) ?? readCodes(itemIndex);
    literals ??= String(ask(engine, entered.join(`{{\`${MARK}\`}}`), itemIndex)).split(MARK);
    // A code may be alone beside what was entered: n8n drops a text that ends in `\\{{`.
    if (values.length === 1 && literals.join('') === '') return values;
    const parts: Part[] = [];
    for (const [nth, text] of literals.entries()) {
      if (text !== '') parts.push(partOf(text));
      const value = values[nth];
      if (value) parts.push(besideText(value));
    }
    return parts;
  };
}

/** Beside text, n8n writes a list and an object as text, too. */
function besideText({ code, type, text, value }: Part): Part {
  return { code, type, text: value === undefined ? text : textOfValue(value) };
}

/** @throws UserError with what n8n says, and the code that it is about: without one, about the field as a whole */
function ask(engine: Engine, expression: string, itemIndex: number, code?: string): unknown {
  if (engine.refusal) throw engine.refusal;
  try {
    return engine.evaluate(expression, itemIndex);
  } catch (error) {
    const problem = codeError(error as UserError, code);
    if (problem.message === 'invalid syntax') engine.refusal = problem;
    throw problem;
  }
}

const codeError = ({ message, description }: UserError, code?: string) =>
  new UserError(message, { description, extra: { code } });

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

/** Only the engine can give it. */
const UNREAD = Symbol();

/**
 * Reads codes that are all paths, as drag and drop writes them: `{{ $json.customer["mobile"] }}`. The engine takes as
 * long for one as a message takes to be sent.
 *
 * @returns undefined if there is another code. The function returns undefined if a path leaves plain data.
 */
function compilePaths(codes: string[], { json }: Engine) {
  const paths = codes.map(stepsIn);
  if (!json || paths.includes(undefined)) return undefined;
  return (itemIndex: number): Part[] | undefined => {
    const values = paths.map((names) => follow(names as string[], json(itemIndex)));
    return values.includes(UNREAD)
      ? undefined
      : values.map((value, nth) => partOf(value, codes[nth]));
  };
}

/** The names in a path. Undefined for any other code, and for what n8n does not take as it is written. */
function stepsIn(code: string): string[] | undefined {
  const [, path] = (!/\\|\.\s*constructor/.test(code) && PATH.exec(code)) || [];
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

const TYPE =
  '(v == null ? `nothing` : typeof v !== `object` ? typeof v : v instanceof Date || v.isLuxonDateTime ? `date` : Array.isArray(v) ? `array` : `object`)';

/** As `textOfValue` has it. */
const TEXT = '(v instanceof Date && v.getTime() ? v.toISOString() : String(v))';

/**
 * A code in brackets of its own, which says its type and text. Without quotation marks before it, because n8n looks at
 * the first ones in a code to find its own functions.
 */
const typed = (code: string) =>
  `{{[(${code}\n)].map((v) => ${TYPE} + \`:\` + (v == null ? \`\` : ${TEXT}) + \`${MARK}\`)[0]}}`;

/** Reads each code alone until n8n has taken all: what it refuses alone could mean something in brackets. */
function compileCodes(codes: string[], engine: Engine): ReadParts {
  const field = codes.map(typed).join('');
  /** Whether they are read in one field. Undefined until each was read alone. */
  let isTogether: boolean | undefined;
  const readTogether = (itemIndex: number): string[] => {
    try {
      return String(engine.evaluate(field, itemIndex)).split(MARK);
    } catch {
      return [];
    }
  };
  return (itemIndex) => {
    const texts = isTogether ? readTogether(itemIndex) : [];
    // A code that has failed gives nothing, so that its mark is missing.
    if (texts.length > codes.length) return codes.map((code, nth) => typedPart(code, texts[nth]));
    const parts = codes.map((code) => partOf(ask(engine, `{{${code}}}`, itemIndex, code), code));
    // What n8n takes only one by one is read so.
    isTogether = isTogether === undefined ? codes.length > 1 : texts.length > 0;
    return parts;
  };
}

function typedPart(code: string, typedText = ''): Part {
  const [type = ''] = typedText.split(':', 1);
  return { code, type, text: typedText.slice(type.length + 1) };
}
