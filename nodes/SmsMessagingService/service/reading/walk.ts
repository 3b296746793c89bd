import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../json';

/**
 * How many lists and objects in each other are looked into: more than any known answer has. JSON in a text
 * counts as one.
 */
export const MAX_NESTING = 10;

/** Reads a part of a value. The context says where the part is. */
export type Inside<T, C> = (part: unknown, context: C) => T;

/** What each kind of value in an answer becomes. A reader decides which parts to read. */
export interface Reader<T, C> {
  object(value: IDataObject, inside: Inside<T, C>, context: C): T;
  list(values: unknown[], inside: Inside<T, C>, context: C): T;
  /** A text, number, boolean or null, or a list or object that is too deep. */
  leaf(value: unknown, inside: Inside<T, C>): T;
}

/** Walks over an answer, at most `MAX_NESTING` deep. */
export function walk<T, C>(
  value: unknown,
  reader: Reader<T, C>,
  context: C,
  levels = MAX_NESTING,
): T {
  const inside: Inside<T, C> = (part, place) => walk(part, reader, place, levels - 1);
  if (levels > 0 && isObject(value)) return reader.object(value, inside, context);
  if (levels > 0 && Array.isArray(value)) return reader.list(value, inside, context);
  return reader.leaf(value, inside);
}
