import { UserError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/json';
import { partOf } from './expression';
import type { Part } from './expression';
import type { ItemReader } from './reader';
import {
  codesOf,
  givesNothing,
  missing,
  readPart,
  requireNoCode,
  requireSound,
  textField,
} from './texts';
import type { TextField } from './texts';
import { parseEntered, requireJsonObject } from './values';

/* JSON that is entered: with codes in it, or given by one code as a whole. */

/** The value under each name, as a part. */
export type JsonValues = [name: string, value: Part][];

/**
 * Reads a JSON object. A value that one code gives as a whole is still to be judged: it is inside the code's.
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
): JsonValues | undefined {
  const parts = item.parts(name, label);
  const [only] = parts;
  if (only === undefined) return undefined;
  const field = textField(label, 'value');
  const isOne = parts.length === 1;
  if (isOne && givesNothing(only, false)) throw missing(field, parts, true);
  const json = isOne ? valueOf(field, only) : jsonOf(field, parts, item);
  const code = isOne ? only.code : undefined;
  return Object.entries(requireJsonObject(label, json, parse)).map(([key, value]) => [
    key,
    { ...partOf(value, code), isInside: true },
  ]);
}

function valueOf(field: TextField, { code, type, text, value }: Part): unknown {
  const given = type === 'string' ? text : value;
  return code === undefined ? requireNoCode(field, given) : given;
}

/** JSON text. A part inside quotes is put in as JSON escapes it, unless its code does so. */
function jsonOf(field: TextField, parts: Part[], item: ItemReader): string {
  let isInside = false;
  return parts
    .map((part) => {
      const { code, text } = part;
      if (code === undefined) {
        isInside = endsInside(text, isInside);
        return requireNoCode(field, text);
      }
      if (isInside) return insideQuotes(field, part, readPart(field, part, item));
      if (givesNothing(part, false)) throw missing(field, [part], true);
      return requireSound(field, part, item);
    })
    .join('');
}

/** The text of a part inside quotes. A code that escapes must not end the text before the next quotation mark. */
function insideQuotes({ name }: TextField, part: Part, text: string): string {
  if (!/JSON\.|\\/.test(part.code ?? '')) return JSON.stringify(text).slice(1, -1);
  if (parseEntered(`"${text}"`, JSON.parse) !== undefined) return text;
  throw new UserError(`${name} has a part that JSON cannot hold${codesOf([part])}`, {
    description:
      'A value is put in as it is where its code has a backslash or JSON. in it. Escape it in full with JSON.stringify(…).slice(1, -1), or change the value in a node before this one.',
  });
}

/** Whether JSON text ends inside quotes. */
function endsInside(json: string, isInside: boolean): boolean {
  const quotes = json.match(/\\[^]|"/g)?.filter((sign) => sign === '"').length ?? 0;
  return quotes % 2 === 0 ? isInside : !isInside;
}

/**
 * The values of a JSON object, each as it is sent: any JSON.
 *
 * @throws UserError for a text or number in it that cannot be sent
 */
export function plainJson(field: TextField, values: JsonValues, item: ItemReader): IDataObject {
  const require = (value: unknown, code: string | undefined): void => {
    const part = { ...partOf(value, code), isInside: true };
    if (Array.isArray(value) || isObject(value)) {
      for (const each of Object.values(value)) require(each, code);
    } else if (value !== null && typeof value !== 'boolean') readPart(field, part, item);
  };
  for (const [, { value, code }] of values) require(value, code);
  return Object.fromEntries(values.map(([name, { value }]) => [name, value])) as IDataObject;
}
