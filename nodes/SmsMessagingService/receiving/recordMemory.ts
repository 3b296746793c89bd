import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/answer';

/**
 * How a memory is kept between polls: fingerprints, oldest first, without anything between; and how
 * often those were seen that came more than once in one page. One text, because n8n compares and copies
 * it on every page.
 */
interface StoredMemory {
  version: 2;
  seen: string;
  counts: Record<string, number>;
}

/** Characters of a fingerprint: 48 bits, so that two different records practically never share one. */
const FINGERPRINT_LENGTH = 8;

/** Enough for what a platform may deliver twice, small enough to be stored on every page: 24 kB. */
const MIN_SIZE = 3_000;

/** How much of what is larger than that is kept from page to page: one large page is not for ever. */
const DECAY = 0.99;

/** A page as the service showed it. */
export interface Sighting {
  /** Of all its records. */
  length: number;
  /** Those that did not come before. */
  fresh: unknown[];
  /** How often each fingerprint is in it. */
  counts: Map<string, number>;
}

/**
 * Remembers which records came before, so that a platform that does not consume, or that delivers
 * twice, does no harm. It counts: equal records inside one page are all kept, and a page that shows
 * one more of them than before brings one new record.
 */
export class RecordMemory {
  /** How often each fingerprint was seen in one page. Oldest first. */
  private readonly seen: Map<string, number>;

  /** @param store the object to keep the memory in, under `key`: a node's static data */
  constructor(
    private readonly store: IDataObject,
    private readonly key: string,
  ) {
    this.seen = parse(store[key] as StoredMemory | undefined);
  }

  /** Looks at a page, and remembers nothing. */
  look(page: unknown[]): Sighting {
    const counts = new Map<string, number>();
    const fresh = page.filter((record) => {
      const fingerprint = fingerprintOf(record);
      const count = (counts.get(fingerprint) ?? 0) + 1;
      counts.set(fingerprint, count);
      return count > (this.seen.get(fingerprint) ?? 0);
    });
    return { length: page.length, fresh, counts };
  }

  /** From now on the records of this page came before. To be called when they are safe, not earlier. */
  mark({ length, counts }: Sighting): void {
    // Twice a page, or a page that is shown again could not be recognised whole.
    const size = Math.max(MIN_SIZE, 2 * length, Math.floor(DECAY * this.seen.size));
    for (const [fingerprint, count] of counts) {
      const known = this.seen.get(fingerprint) ?? 0;
      // Moved to the end, so that what is still being shown is not what is forgotten first.
      this.seen.delete(fingerprint);
      this.seen.set(fingerprint, Math.max(count, known));
    }
    for (const oldest of this.seen.keys()) {
      if (this.seen.size <= size) break;
      this.seen.delete(oldest);
    }
    this.store[this.key] = stringify(this.seen);
  }
}

/** A memory of another version is not understood, so it is started anew. */
function parse(stored: StoredMemory | undefined): Map<string, number> {
  const seen = new Map<string, number>();
  if (stored?.version !== 2 || typeof stored.seen !== 'string') return seen;
  for (let start = 0; start < stored.seen.length; start += FINGERPRINT_LENGTH) {
    const fingerprint = stored.seen.slice(start, start + FINGERPRINT_LENGTH);
    seen.set(fingerprint, stored.counts?.[fingerprint] ?? 1);
  }
  return seen;
}

function stringify(seen: Map<string, number>): IDataObject {
  const counts = Object.fromEntries([...seen].filter(([, count]) => count > 1));
  return { version: 2, seen: [...seen.keys()].join(''), counts } satisfies StoredMemory;
}

/** The same for records with the same fields and values, in whatever order the fields come. */
function fingerprintOf(record: unknown): string {
  let canonical = record;
  if (isObject(record)) {
    const names = Object.keys(record).sort();
    canonical = [names, names.map((name) => record[name])];
  }
  return hash('sha256', JSON.stringify(canonical), 'base64url').slice(0, FINGERPRINT_LENGTH);
}
