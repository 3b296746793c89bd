import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../service/json';
import { findNew, markSeen } from '../service/newRecords';
import type { SeenRecords, Sighting } from '../service/newRecords';

/**
 * A memory as it is kept between polls: the fingerprints, oldest first, and a count for each that came
 * more than once in one page. The fingerprints are one text, because n8n compares and copies them on
 * every page.
 */
interface StoredMemory {
  version: 2;
  seen: string;
  counts: Record<string, number>;
}

/** In characters: 48 bits, so that two different records practically never share a fingerprint. */
const FINGERPRINT_LENGTH = 8;

/** In records: enough for what a service may deliver twice, and small enough to store on every page (24 kB). */
const MIN_SIZE = 3_000;

/** A memory above the minimum shrinks by this factor on every page: one large page is not kept for ever. */
const DECAY = 0.99;

/**
 * Remembers which records came before, so that a service that delivers records twice, or does not
 * consume them, does no harm. The memory is bounded.
 */
export class RecordMemory {
  /** How often each fingerprint was seen in one page, oldest first. */
  private readonly seen: SeenRecords;

  /** @param store the object to keep the memory in, under `key`: a node's static data */
  constructor(
    private readonly store: IDataObject,
    private readonly key: string,
  ) {
    this.seen = parse(store[key] as StoredMemory | undefined);
  }

  /** Compares a page with what came before, and remembers nothing. */
  look(page: unknown[]): Sighting<unknown> {
    return findNew(this.seen, page, fingerprintOf);
  }

  /** Remembers the records of a page. To be called when they are safe, not earlier. */
  mark(sighting: Sighting<unknown>): void {
    // Twice a page: otherwise a page that is shown again could not be recognised whole.
    const size = Math.max(MIN_SIZE, 2 * sighting.length, Math.floor(DECAY * this.seen.size));
    markSeen(this.seen, sighting);
    for (const oldest of this.seen.keys()) {
      if (this.seen.size <= size) break;
      this.seen.delete(oldest);
    }
    this.store[this.key] = stringify(this.seen);
  }
}

/** A memory of another version cannot be read, so a new one begins. */
function parse(stored: StoredMemory | undefined): SeenRecords {
  const seen: SeenRecords = new Map();
  if (stored?.version !== 2 || typeof stored.seen !== 'string') return seen;
  for (let start = 0; start < stored.seen.length; start += FINGERPRINT_LENGTH) {
    const fingerprint = stored.seen.slice(start, start + FINGERPRINT_LENGTH);
    seen.set(fingerprint, stored.counts?.[fingerprint] ?? 1);
  }
  return seen;
}

function stringify(seen: SeenRecords): IDataObject {
  const counts = Object.fromEntries([...seen].filter(([, count]) => count > 1));
  return { version: 2, seen: [...seen.keys()].join(''), counts } satisfies StoredMemory;
}

/** Equal for records with the same fields and values, in any order of the fields. */
function fingerprintOf(record: unknown): string {
  let canonical = record;
  if (isObject(record)) {
    const names = Object.keys(record).sort();
    canonical = [names, names.map((name) => record[name])];
  }
  return hash('sha256', JSON.stringify(canonical), 'base64url').slice(0, FINGERPRINT_LENGTH);
}
