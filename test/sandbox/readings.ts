/** Which parts of openapi.yaml are in force: two readings of it, and how to find a part. */

const MARK = 'x-inferred';

/**
 * What the specification shows: everything but the objects with the mark. An `allOf` that becomes empty
 * goes too, because JSON Schema does not allow it.
 */
export function withoutMarks<T>(part: T): T {
  if (Array.isArray(part)) return part.filter(isUnmarked).map(withoutMarks) as T;
  if (!isObject(part)) return part;
  const kept = Object.entries(part)
    .filter(([, value]) => isUnmarked(value))
    .map(([key, value]): [string, unknown] => [key, withoutMarks(value)])
    .filter(([key, value]) => key !== 'allOf' || (value as unknown[]).length > 0);
  return Object.fromEntries(kept) as T;
}

/**
 * With every schema that lists fields closed to others. The specification does not forbid further
 * fields. The sandbox does, so that a misspelled field is found.
 */
export function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T;
  if (!isObject(part)) return part;
  const inside = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, closed(value)]),
  );
  const listsFields = part.type === 'object' && 'properties' in part;
  return (listsFields ? { additionalProperties: false, ...inside } : inside) as T;
}

/** The part of a document that a reference such as `#/components/schemas/Lead` points to. */
export function resolve(document: object, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document);
}

function isUnmarked(part: unknown): boolean {
  return !isObject(part) || part[MARK] !== true;
}

function isObject(part: unknown): part is Record<string, unknown> {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}
