import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../json';

/**
 * How many lists and objects in each other are looked into: more than any answer has that is known. JSON
 * in a text counts as one.
 */
export const MAX_NESTING = 10;

/** Goes on with a part of a value. */
export type Inside<T, C> = (part: unknown, context: C) => T;

/**
 * What to make of each kind of value in an answer.
 *
 * @typeParam C what a reader is told about the place of a value
 */
export interface Reader<T, C> {
  object(value: IDataObject, inside: Inside<T, C>, context: C): T;
  list(values: unknown[], inside: Inside<T, C>, context: C): T;
  /** A text, number, boolean or null. */
  single(value: unknown, inside: Inside<T, C>): T;
  /** A list or an object below `MAX_NESTING` others. */
  tooDeep(value: object): T;
}

/** Walks over an answer as far as the reader goes on, and at most `MAX_NESTING` deep. */
export function walk<T, C>(
  value: unknown,
  reader: Reader<T, C>,
  context: C,
  levels = MAX_NESTING,
): T {
  const inside: Inside<T, C> = (part, place) => walk(part, reader, place, levels - 1);
  if (typeof value !== 'object' || value === null) return reader.single(value, inside);
  if (levels <= 0) return reader.tooDeep(value);
  if (isObject(value)) return reader.object(value, inside, context);
  return reader.list(value as unknown[], inside, context);
}
