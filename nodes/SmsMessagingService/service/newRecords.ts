/** Key of a record → how often it was seen on one page. The key that was seen last comes last. */
export type SeenRecords = Map<string, number>;

/** A page, compared with the pages before it. */
export interface Sighting<T> {
  fresh: T[];
  counts: Map<string, number>;
}

/**
 * Finds the new records of a page, and notes all of it as seen. Equal records on one page count as different ones, because nothing says
 * that they are the same: a page with one more of them than before has one new record.
 *
 * @param keyOf the same for equal records
 */
export function seePage<T>(
  seen: SeenRecords,
  page: T[],
  keyOf: (record: T) => string,
): Sighting<T> {
  const counts = new Map<string, number>();
  const fresh = page.filter((record) => {
    const key = keyOf(record);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count > (seen.get(key) ?? 0);
  });
  markSeen(seen, counts);
  return { fresh, counts };
}

export function markSeen(seen: SeenRecords, counts: Map<string, number>): void {
  for (const [key, count] of counts) {
    const known = seen.get(key) ?? 0;
    // Moved to the end: what the service still shows is forgotten last.
    seen.delete(key);
    seen.set(key, Math.max(count, known));
  }
}
