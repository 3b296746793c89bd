import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/json';
import { listed, shortened } from '../service/sentences';
import { isField } from './expression';
import type { Part } from './expression';
import { isPlain } from './numbers';
import { describeValue } from './values';

/*
 * What the parts of a field become: the text as n8n reads it, or a UserError that names field and code. There are no
 * gaps: one wrong capital in a code, and 300 people would get "Dear ,".
 */

/** What helps where a code gives no value, by the place of its field. */
const IF_MISSING = {
  required:
    "Give such items another text, as in {{ $json.name || 'customer' }}, or take them out with an IF node before this one.",
  optional: "If it may be empty, say so in the code, as in {{ $json.note || '' }}.",
  update:
    "To clear the field, give an empty text, as in {{ $json.note || '' }}. To leave it as it is, use a second node without it.",
  filter:
    'Take the filter away, or such items out before this node: without a value, all records are listed.',
  key: 'Each item needs a key of its own: choose a field that every item has, or send such items through a node without this option.',
  value:
    'Choose a field that every item has, or take such items out with an IF node before this one.',
};

export interface TextField {
  name: string;
  place: keyof typeof IF_MISSING;
  /** Whether `{{name}}` in it is a placeholder of the SMS provider, and no code. */
  hasPlaceholders?: boolean;
}

/** The item that a text is read for. */
interface TextItem {
  json: IDataObject;
  warn: (warning: string) => void;
}

export const textField = (label: string, place: TextField['place']): TextField => ({
  name: `'${label}'`,
  place,
});

/** Whether nothing of a text is seen: a zero-width space is no name. */
export const showsNothing = (text: string): boolean => /^[\s\u2800\p{Cf}\p{DI}]*$/u.test(text);

/** @throws UserError if the text, or a part of it, cannot be sent */
export function readText(field: TextField, parts: Part[], item: TextItem): string {
  const isWhole = parts.length === 1;
  const text = parts.map((part) => readPart(field, part, item, isWhole)).join('');
  return requireWhole(field, text, parts);
}

/** @throws UserError if nothing of a text is seen that is needed, or if characters were lost */
export function requireWhole(field: TextField, text: string, parts: Part[] = []): string {
  const isNeeded = field.place === 'required' || (field.place === 'key' && parts.length > 0);
  if (isNeeded && showsNothing(text)) throw missing(field, parts);
  if (!LOST.test(text)) return text;
  throw unusable(
    `${field.name} has characters that were lost`,
    parts.filter((part) => LOST.test(part.text)),
    'Set the encoding where the text is read, such as GBK for a file from Excel, and do not cut an emoji in two.',
  );
}

/** @param isWhole whether there is no text beside the part */
export function readPart(field: TextField, part: Part, item: TextItem, isWhole = false): string {
  const { type, text, code } = part;
  if (type === 'string' && code === undefined) return requireNoCode(field, text);
  requireGiven(field, part, isWhole);
  if (type === 'string') return requireSound(field, part, item);
  // Booleans and dates in a key tell items apart, and nobody reads them.
  const mayBeInKey = field.place === 'key' && !isWhole && ['boolean', 'date'].includes(type);
  if (type === 'number' ? isPlain(text) : mayBeInKey) return text;
  throw notText(field, part);
}

/** What a code that gives an empty text on purpose has behind `||`, `??`, `?` or `:`. */
const EMPTY = /(?:\|\||\?\?|[?:])\s*(?:''|""|``)/;

/**
 * @param isWhole whether there is no text beside the part
 * @throws UserError if there is no value, or if a code gives a blank text without meaning it
 */
export function requireGiven(field: TextField, part: Part, isWhole: boolean): void {
  const { code, type, text } = part;
  const isBlank = code !== undefined && type === 'string' && showsNothing(text);
  const isMeant = mayBeEmpty(field, isWhole) && EMPTY.test(code ?? '');
  if (type === 'nothing' || (isBlank && !isMeant)) throw missing(field, [part], isWhole);
}

function mayBeEmpty({ place }: TextField, isWhole: boolean): boolean {
  return !['key', 'filter'].includes(place) && !(isWhole && place === 'required');
}

/** What JavaScript and Luxon write where a value is missing or cannot be read. “Infinity Nails” is a name. */
const FAILED =
  /undefined|NaN(?![A-Za-z])|(?<![A-Za-z\d])(?:null|Infinity(?!\s[A-Za-z]))(?![A-Za-z\d])|Invalid (?:Date(?:Time)?|Duration|Interval)|\[object \w+\]/g;

/** A text that is nothing else, or that shows an object. */
const IS_FAILED =
  /^\s*(?:undefined|null|NaN|Invalid (?:Date(?:Time)?|Duration|Interval))\s*$|\[object \w+\]/;

/**
 * A text of a code without words that show a failure. The words of somebody, such as an error message that is passed
 * on, come from a field of an item, or stand in one with the same word beside them.
 */
export function requireSound(field: TextField, part: Part, { json, warn }: TextItem): string {
  const { text, code = '', isInside } = part;
  requireNotFailed(field, part);
  const [word] = text.match(FAILED) ?? [];
  // In a JSON object, null is a value.
  const mayBeNull = word === 'null' && isObject(parseEntered(text, JSON.parse));
  if (word === undefined || mayBeNull) return text;
  const isOfSomebody = (!isInside && isField(code)) || isQuoted(text, json);
  if (!isOfSomebody) throw failed(field, word, part);
  warn(failed(field, word, part).message);
  return text;
}

/** @throws UserError for a text that says only that something failed, or that shows an object */
export function requireNotFailed(field: TextField, part: Part): void {
  const [words] = IS_FAILED.exec(part.text) ?? [];
  if (words !== undefined) throw failed(field, words.trim(), part);
}

/** A Chinese character is a word of its own. */
const WORD = '(?:\\p{Script=Han}|(?:(?!\\p{Script=Han})[\\p{L}\\p{N}_])+)';
const BESIDE = '[^\\p{L}\\p{N}_]*';
const BEFORE = new RegExp(`${WORD}${BESIDE}$`, 'u');
const BEHIND = new RegExp(`^${BESIDE}${WORD}`, 'u');

/** Whether the item has each failed word of a text together with the word before or behind it. */
function isQuoted(text: string, json: IDataObject): boolean {
  const texts = textsIn(json);
  return [...text.matchAll(FAILED)].every(({ 0: word, index }) => {
    const [before] = BEFORE.exec(text.slice(0, index)) ?? [];
    const [behind] = BEHIND.exec(text.slice(index + word.length)) ?? [];
    const pairs = [before && before + word, behind && word + behind];
    return pairs.some((pair) => pair && texts.some((each) => each.includes(pair)));
  });
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Undefined if the text is not JSON. */
export function parseEntered(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** A replacement character, or half of a character that takes two places. */
const LOST = /[\ufffd\p{Cs}]/u;

const CODE_OF_N8N = /\$(?:json|input|node|itemIndex)\b|\$\(\s*["'`]/;

/** What stands between braces and is no name of a placeholder: {{ $now }}, {{ new Date() }}. */
const NO_NAME = /\{\{[^{}]*(?:\$[a-zA-Z(]|\bnew\s|\.\w+\()[^{}]*\}\}/;

/** @throws UserError if what was entered as it is has a code in it */
export function requireNoCode<T>({ name, hasPlaceholders }: TextField, value: T): T {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const isCode = CODE_OF_N8N.test(text) || (hasPlaceholders ? NO_NAME : /\{\{[^]*?\}\}/).test(text);
  if (!isCode) return value;
  const advice = `Write each code as in {{ $json.name }}, with ${name} switched from Fixed to Expression.`;
  throw unusable(`${name} has ${describeValue(text)}, which is not evaluated`, [], advice);
}

/** The advice on what is more likely with these codes than that an item lacks the value. */
export function likelyAdvice(parts: Pick<Part, 'code'>[]): string | undefined {
  const codes = parts.map(({ code }) => code).join(' ');
  if (/\$fromAI\(/.test(codes)) return 'Call the tool again with a value for this argument.';
  return /\.toFixed\(/.test(codes)
    ? 'A number that came as text needs Number(…), as in {{ Number($json.total).toFixed(2) }}.'
    : undefined;
}

/** The error about a field whose codes give nothing, or in which nothing was entered. */
export function missing(field: TextField, parts: Part[] = [], isWhole = true): UserError {
  const { name, place } = field;
  const codes = parts.flatMap(({ code }) => code ?? []);
  if (codes.length === 0) return unusable(`${name} is empty`, parts, 'Fill it in.');
  const mayFail = codes.some((code) => !isField(code));
  const problem = `${name} has no value for this item${mayFail ? ', or its code fails' : ''}`;
  const beside = !isWhole && mayBeEmpty(field, isWhole) ? 'optional' : place;
  return unusable(problem, parts, likelyAdvice(parts) ?? IF_MISSING[beside]);
}

function failed({ name }: TextField, words: string, part: Part): UserError {
  return unusable(
    `${name} has "${words}" in it`,
    [part],
    'Choose the field that has the text, or mend the value before this node: it is missing, an object, or no date or number.',
  );
}

const HOW_TO_WRITE: Record<string, string> = {
  number: 'Say with how many digits it is written, as in {{ Number($json.price).toFixed(2) }}.',
  long: 'Let the step before give it as text: a number of so many digits has lost some of them.',
  boolean: "Say how it is written, as in {{ $json.isPaid ? 'yes' : 'no' }}.",
  date: "Say how it is written, as in {{ $now.format('yyyy-MM-dd') }}.",
  array: 'Join it, as in {{ $json.names.join() }}.',
  object: 'Choose the field of it that has the text.',
};

function notText(field: TextField, part: Part): UserError {
  const { type, text } = part;
  const number = type === 'number' ? Math.abs(Number(text)) : 0;
  if (!Number.isFinite(number)) return failed(field, text, part);
  const shown = { array: 'an array', object: 'an object', date: 'a date' }[type];
  return unusable(
    `${field.name} must be text, not ${shown ?? `the ${type} ${shortened(text)}`}`,
    [part],
    HOW_TO_WRITE[number > Number.MAX_SAFE_INTEGER ? 'long' : type] ?? HOW_TO_WRITE.number,
  );
}

function unusable(problem: string, parts: Part[], description?: string): UserError {
  return new UserError(problem + codesOf(parts), { description });
}

export function codesOf(parts: Pick<Part, 'code'>[]): string {
  const codes = parts.flatMap(({ code }) => (code === undefined ? [] : `{{${shortened(code)}}}`));
  return codes.length > 0 ? `: ${listed(codes, 3)}` : '';
}
