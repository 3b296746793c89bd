import type { IDataObject } from 'n8n-workflow';
import { isObject } from './json';

/** How deep nested lists and objects are read. No known answer is deeper. JSON in a text counts as a level. */
export const MAX_NESTING = 10;

/** Reads a part of a value. The context says where the part is. */
export type Inside<T, C> = (part: unknown, context: C) => T;

/** Turns each kind of value in an answer into a result. It decides which parts to read. */
export interface Visitor<T, C> {
  object(value: IDataObject, inside: Inside<T, C>, context: C): T;
  list(values: unknown[], inside: Inside<T, C>, context: C): T;
  /** A text, number, boolean or null, or a list or object that is too deep. */
  leaf(value: unknown, inside: Inside<T, C>): T;
}

/** Shows an answer to a visitor, at most `levels` deep. */
export function visit<T, C>(
  value: unknown,
  visitor: Visitor<T, C>,
  context: C,
  levels = MAX_NESTING,
): T {
  const inside: Inside<T, C> = (part, place) => visit(part, visitor, place, levels - 1);
  if (levels > 0 && isObject(value)) return visitor.object(value, inside, context);
  if (levels > 0 && Array.isArray(value)) return visitor.list(value, inside, context);
  return visitor.leaf(value, inside);
}
