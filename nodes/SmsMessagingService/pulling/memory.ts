import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../shared/answer';

/** How a memory is kept between polls: pairs of fingerprint and number of equal records in one page. */
interface StoredMemory {
  version: 1;
  seen: [string, number][];
}

/** Enough for what a platform that does not consume shows again, small enough to be stored each time. */
const MIN_SIZE = 2_000;

/**
 * Remembers which records came before, so that a platform that does not consume, or that delivers
 * twice, does no harm. It counts: equal records inside one page are all kept, and a page that shows
 * one more of them than before brings one new record.
 */
export class RecordMemory {
  /** Oldest first. */
  private readonly seen: Map<string, number>;

  /**
   * @param store the object to keep the memory in, under `key`: a node's static data, or a throw-away
   * @param pageSize a memory holds several pages, or a page could never be recognised whole
   */
  constructor(
    private readonly store: IDataObject,
    private readonly key: string,
    private readonly pageSize: number,
  ) {
    const stored = store[key] as StoredMemory | undefined;
    // A memory of another version is not understood, so it is started anew.
    this.seen = new Map(stored?.version === 1 ? stored.seen : []);
  }

  /** The records of a page that did not come before. They count as seen from now on. */
  takeNew(page: unknown[]): unknown[] {
    const inPage = new Map<string, number>();
    const fresh = page.filter((record) => {
      const fingerprint = fingerprintOf(record);
      const count = (inPage.get(fingerprint) ?? 0) + 1;
      inPage.set(fingerprint, count);
      return count > (this.seen.get(fingerprint) ?? 0);
    });
    for (const [fingerprint, count] of inPage) {
      const known = this.seen.get(fingerprint) ?? 0;
      // Moved to the end, so that what is still being shown is not what is forgotten first.
      this.seen.delete(fingerprint);
      this.seen.set(fingerprint, Math.max(count, known));
    }
    const surplus = this.seen.size - Math.max(MIN_SIZE, 4 * this.pageSize);
    for (const fingerprint of [...this.seen.keys()].slice(0, Math.max(0, surplus))) {
      this.seen.delete(fingerprint);
    }
    this.save();
    return fresh;
  }

  /** Takes records back that could not be handed over: if they come again, they are new. */
  forget(records: unknown[]): void {
    for (const record of records) {
      const fingerprint = fingerprintOf(record);
      const count = (this.seen.get(fingerprint) ?? 0) - 1;
      if (count > 0) this.seen.set(fingerprint, count);
      else this.seen.delete(fingerprint);
    }
    this.save();
  }

  private save(): void {
    const stored: StoredMemory = { version: 1, seen: [...this.seen] };
    this.store[this.key] = stored as unknown as IDataObject;
  }
}

/** The same for records with the same fields and values, in whatever order the fields come. */
function fingerprintOf(record: unknown): string {
  const canonical = isObject(record)
    ? Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
    : record;
  return createHash('sha256').update(JSON.stringify(canonical)).digest('base64url').slice(0, 12);
}
