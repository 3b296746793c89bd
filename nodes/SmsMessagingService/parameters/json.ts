import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/json';
import { partOf } from './expression';
import type { Part } from './expression';
import type { ItemReader } from './reader';
import {
  codesOf,
  missing,
  parseEntered,
  readPart,
  requireGiven,
  requireNoCode,
  requireSound,
  showsNothing,
  textField,
} from './texts';
import type { TextField } from './texts';
import { describeValue } from './values';

/* JSON that is entered: with codes in it, or given by one code as a whole. */

/**
 * Reads a JSON object: its values as parts. A value that one code gives as a whole is still to be judged.
 *
 * @param parse throws if a text is not JSON
 * @returns undefined if nothing was entered
 * @throws UserError if it is not an object, or if a code in it gives what cannot be sent
 */
export function readJson(
  item: ItemReader,
  name: string,
  label: string,
  parse: (text: string) => unknown,
): [name: string, value: Part][] | undefined {
  const field = textField(label, 'value');
  const parts = item.parts(name, label);
  const [first, ...more] = parts;
  if (first === undefined) return undefined;
  const only = more.length === 0 ? first : partOf(jsonOf(field, parts, item));
  requireGiven(field, only, true);
  if (only.type === 'string' && showsNothing(only.text)) throw missing(field, parts, true);
  if (first.code === undefined) requireNoCode(field, first.value);
  const values = requireObject(label, only.value, parse);
  return Object.entries(values).map(([key, value]) => [key, partOf(value, only.code, true)]);
}

/** JSON text. A part inside quotes is put in as JSON escapes it, unless its code does so. */
function jsonOf(field: TextField, parts: Part[], item: ItemReader): string {
  let isInside = false;
  const texts = parts.map((part) => {
    if (part.code === undefined) {
      const quotes = part.text.match(/\\[^]|"/g)?.filter((sign) => sign === '"') ?? [];
      if (quotes.length % 2 === 1) isInside = !isInside;
      return requireNoCode(field, part.text);
    }
    if (isInside) return insideQuotes(field, part, readPart(field, part, item));
    requireGiven(field, part, false);
    // In a list, null is a value.
    const isList = Array.isArray(parseEntered(part.text, JSON.parse));
    const text = isList ? part.text.replace(/\bnull\b/g, '') : part.text;
    requireSound(field, { ...part, text }, item);
    return part.text;
  });
  return texts.join('');
}

/** The text of a part inside quotes. A code that escapes must not end the text before the next quotation mark. */
function insideQuotes({ name }: TextField, part: Part, text: string): string {
  if (!/JSON\.stringify|String\.raw|\\\\|\\(?:u00|x)5c/i.test(part.code ?? ''))
    return JSON.stringify(text).slice(1, -1);
  if (parseEntered(`"${text}"`, JSON.parse) !== undefined) return text;
  throw new UserError(`${name} has a part that JSON cannot hold${codesOf([part])}`, {
    description:
      'Escape it in full with JSON.stringify(…).slice(1, -1): where a code has JSON.stringify or \\\\ in it, its value is put in as it is.',
  });
}

function requireObject(
  label: string,
  json: unknown,
  parse: (text: string) => unknown,
): IDataObject {
  const value = typeof json === 'string' ? parseEntered(json, parse) : json;
  if (isObject(value)) return value;
  if (value !== undefined) {
    throw new UserError(`'${label}' must be a JSON object, not ${describeValue(value)}`, {
      description: 'It starts with { and ends with }, for instance {"code": "123456"}.',
    });
  }
  const outsideTexts = String(json).replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const [, description] = MISTAKES.find(([found]) => found.test(outsideTexts)) ?? [];
  throw new UserError(`'${label}' is not valid JSON`, { description });
}

/** What people type that looks like JSON, and what to type instead. The last one is found in every text. */
const MISTAKES: [found: RegExp, advice: string][] = [
  [/[“”„‟＂]/, 'It has typographic quotation marks (“ ”), and JSON needs straight ones (").'],
  [/[‘’']/, 'It has single quotation marks, and JSON needs double ones (").'],
  [
    /[：，；、｛｝［］\u3000]/,
    'It has full-width punctuation (： ，), and JSON needs the half-width signs (: ,).',
  ],
  [/,\s*[}\]]/, 'Take away the comma before a closing bracket.'],
  [
    /(?<![\w"])(?!(true|false|null)\b)\p{L}/u,
    'Names and texts stand in double quotes, for instance {"code": "123456"}.',
  ],
  [
    /^/,
    'A comma, a bracket or a quotation mark is missing or too much. In a text, write \\" for a quotation mark and \\n for a line break.',
  ],
];

/**
 * The values of a JSON object as they are sent: any JSON.
 *
 * @throws UserError for a text or number in it that cannot be sent
 */
export function plainJson(
  field: TextField,
  values: [string, Part][],
  item: ItemReader,
): IDataObject {
  const judge = (value: unknown, code: string | undefined): void => {
    if (Array.isArray(value) || isObject(value)) {
      for (const each of Object.values(value)) judge(each, code);
    } else if (value !== null && typeof value !== 'boolean') {
      readPart(field, partOf(value, code, true), item);
    }
  };
  for (const [, { value, code }] of values) judge(value, code);
  return Object.fromEntries(values.map(([name, { value }]) => [name, value])) as IDataObject;
}
