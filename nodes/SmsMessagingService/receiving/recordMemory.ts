import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { canonicalJson, isObject } from '../service/json';
import { findNew, markSeen } from '../service/newRecords';
import type { SeenRecords, Sighting } from '../service/newRecords';

/**
 * A memory as it is kept in static data: the fingerprints, oldest first, and a count for each that came
 * more than once in one page. The fingerprints are one text, because n8n compares and copies them on
 * every page.
 */
interface StoredMemory {
  version: 2;
  seen: string;
  counts: Record<string, number>;
}

/** In characters: 48 bits, so two different records practically never share a fingerprint. */
const FINGERPRINT_LENGTH = 8;

/** In records: enough for what a service may deliver twice, and small enough to store on every page (24 kB). */
export const MIN_SIZE = 3_000;

/** A memory above the minimum shrinks by this factor on every page: one large page is not kept for ever. */
const DECAY = 0.99;

/**
 * Remembers which records came before, so that a service that delivers records twice, or does not
 * consume them, does no harm. The memory is bounded.
 */
export class RecordMemory {
  /** How often each fingerprint was seen in one page, oldest first. */
  private seen: SeenRecords = new Map();

  /** Compares a page with what came before, and remembers nothing. */
  look(page: unknown[]): Sighting<unknown> {
    return findNew(this.seen, page, fingerprintOf);
  }

  /** Remembers the records of a page. Call this only once they are safe. */
  mark(sighting: Sighting<unknown>): void {
    // Room for two pages: otherwise a page that is shown again could not be recognised as a whole.
    const size = Math.max(2 * sighting.length, Math.floor(DECAY * this.seen.size));
    markSeen(this.seen, sighting);
    this.trim(size);
  }

  /** Adds what another process remembers. */
  merge(stored: unknown): void {
    const others = parse(stored);
    if (others.size === 0) return;
    const size = Math.max(this.seen.size, others.size);
    this.seen = united(this.seen, others);
    this.trim(size);
  }

  /** The memory for static data, in the form that `merge` reads. */
  get stored(): IDataObject {
    const counts = Object.fromEntries([...this.seen].filter(([, count]) => count > 1));
    return { version: 2, seen: [...this.seen.keys()].join(''), counts } satisfies StoredMemory;
  }

  private trim(size: number): void {
    for (const oldest of this.seen.keys()) {
      if (this.seen.size <= Math.max(MIN_SIZE, size)) break;
      this.seen.delete(oldest);
    }
  }
}

/**
 * Two memories in one. What is last in either of them is last: static data may be older than what a process
 * remembers, and newer where another process has gone on.
 */
function united(one: SeenRecords, other: SeenRecords): SeenRecords {
  const counts = new Map<string, number>();
  const ages = new Map<string, number>();
  const ageOf = (fingerprint: string) => ages.get(fingerprint) ?? Infinity;
  for (const memory of [one, other]) {
    let age = memory.size;
    for (const [fingerprint, count] of memory) {
      age -= 1;
      counts.set(fingerprint, Math.max(count, counts.get(fingerprint) ?? 0));
      ages.set(fingerprint, Math.min(age, ageOf(fingerprint)));
    }
  }
  return new Map([...counts].sort(([a], [b]) => ageOf(b) - ageOf(a)));
}

/** Tolerates anything: static data may have been edited by hand, or come from another version. */
function parse(stored: unknown): SeenRecords {
  const seen: SeenRecords = new Map();
  if (!isObject(stored) || stored.version !== 2 || typeof stored.seen !== 'string') return seen;
  const counts = isObject(stored.counts) ? stored.counts : {};
  for (let start = 0; start < stored.seen.length; start += FINGERPRINT_LENGTH) {
    const fingerprint = stored.seen.slice(start, start + FINGERPRINT_LENGTH);
    const count = counts[fingerprint];
    seen.set(fingerprint, Number.isSafeInteger(count) ? (count as number) : 1);
  }
  return seen;
}

/** Equal for records with the same fields and values, whatever the order of the fields. */
function fingerprintOf(record: unknown): string {
  return hash('sha256', canonicalJson(record), 'base64url').slice(0, FINGERPRINT_LENGTH);
}
