import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { ExactNumber } from '../service/json';
import { compileChunks, compileObject, isAlone, isReference, splitExpression } from './itemPath';

/*
 * A text part by part: what stands in it as it is, and what each `{{ }}` gives, with its type. n8n itself
 * gives only the whole, in which a missing value is nothing, and an object is `[object Object]`.
 */

export interface Part {
  /** `literal`: entered as it is. `nothing`: undefined or null. */
  type: 'literal' | 'string' | 'number' | 'boolean' | 'date' | 'array' | 'object' | 'nothing';
  /** The value as n8n writes it. Empty for an array, an object and nothing. */
  text: string;
  /** The value itself. Undefined where there is text beside the code. */
  value?: unknown;
  /** What stands between `{{ }}`. Undefined if the value does not come from such a code. */
  code?: string;
  /** Whether the value is a field of an item, as somebody entered it. Otherwise it is computed. */
  isPath?: boolean;
}

export type ReadParts = (itemIndex: number) => Part[];

/** Gives values for an item. */
interface Engine {
  /** n8n's expression engine. The expression comes without `=`. */
  evaluate: (expression: string, itemIndex: number) => unknown;
  /** The item's fields, if `$json` stands for them. */
  json?: (itemIndex: number) => IDataObject;
}

/** A value as a part of a text. */
export function partOf(value: unknown, origin?: Pick<Part, 'code' | 'isPath'>): Part {
  const type = typeOf(value);
  const hasText = !['array', 'object', 'nothing'].includes(type);
  return { type, text: hasText ? String(value) : '', value, ...origin };
}

/** What was entered and is no expression. No part if it is empty. */
export function entered(value: unknown): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [literal(value)];
  return value === undefined ? [] : [partOf(value)];
}

function typeOf(value: unknown): Part['type'] {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value !== 'object') return typeof value as Part['type'];
  if (Array.isArray(value)) return 'array';
  if (value instanceof ExactNumber) return 'number';
  return value instanceof Date || 'isLuxonDateTime' in value ? 'date' : 'object';
}

/**
 * Compiles an expression. Each of its codes is evaluated once for an item: from the item where all are paths
 * to texts, numbers or booleans, otherwise by n8n's engine, all of them together.
 */
export function compileParts(raw: string, { evaluate, json }: Engine): ReadParts {
  const chunks = splitExpression(raw);
  if (chunks.length === 1) {
    const parts = entered(chunks[0]);
    return () => parts;
  }
  const origins = chunks.map((code, place) =>
    place % 2 === 0 ? undefined : { code, isPath: isReference(code) },
  );
  const readDirectly = json ? compileDirectly(raw, chunks, origins) : () => undefined;
  const readEvaluated = compileEvaluation(chunks, origins, evaluate);
  return (itemIndex) => {
    const parts = (json && readDirectly(json(itemIndex))) ?? readEvaluated(itemIndex);
    return parts.filter(({ type, text }) => type !== 'literal' || text);
  };
}

/** Where each chunk comes from. Undefined: it was entered as it is. */
type Origins = (Pick<Part, 'code' | 'isPath'> | undefined)[];

function literal(text: string): Part {
  return { type: 'literal', text };
}

function compileDirectly(
  raw: string,
  chunks: string[],
  origins: Origins,
): (json: IDataObject) => Part[] | undefined {
  const [, code = ''] = chunks;
  const readChunks = compileChunks(raw);
  const readObject = isAlone(chunks) ? compileObject(code) : undefined;
  return (json) => {
    const values = readChunks?.(json);
    if (values) {
      return values.map((value, place) => {
        const origin = origins[place];
        return origin ? partOf(value, origin) : literal(String(value));
      });
    }
    const object = readObject?.(json);
    return object && [partOf(object, { code, isPath: true })];
  };
}

/** Stands between the parts of an evaluated text. No text of a user contains it. */
const MARK = randomUUID();

/** JavaScript for n8n's engine: the type and text of a value. */
const TYPED = `((v) => v == null ? "nothing:" : typeof v !== "object" ? typeof v + ":" + String(v) : Array.isArray(v) ? "array:" : v instanceof Date || v.isLuxonDateTime ? "date:" + String(v) : "object:")`;

function compileEvaluation(
  chunks: string[],
  origins: Origins,
  evaluate: Engine['evaluate'],
): ReadParts {
  const together = chunks
    .map((chunk, place) => (place % 2 === 0 ? chunk : `${MARK}{{${TYPED}(${chunk}\n)}}${MARK}`))
    .join('');
  const readTogether: ReadParts = (itemIndex) => {
    const texts = String(evaluate(together, itemIndex)).split(MARK);
    if (texts.length !== chunks.length) throw new TypeError('Not the parts of the text');
    return texts.map((text, place) => {
      const origin = origins[place];
      return origin ? typedPart(text, origin) : literal(text);
    });
  };
  const readApart: ReadParts = (itemIndex) =>
    chunks.map((chunk, place) => {
      const origin = origins[place];
      return origin ? partOf(evaluate(`{{${chunk}}}`, itemIndex), origin) : literal(chunk);
    });
  // A code that n8n takes only alone, such as one that ends with a semicolon.
  let isApart = isAlone(chunks);
  return (itemIndex) => {
    if (isApart) return readApart(itemIndex);
    try {
      return readTogether(itemIndex);
    } catch {
      const parts = readApart(itemIndex);
      isApart = true;
      return parts;
    }
  };
}

/** @param typed what TYPED gives. Empty if the code failed, which n8n takes for no value */
function typedPart(typed: string, origin: Pick<Part, 'code' | 'isPath'>): Part {
  const [type = ''] = typed.split(':', 1);
  return {
    type: (type || 'nothing') as Part['type'],
    text: typed.slice(type.length + 1),
    ...origin,
  };
}
