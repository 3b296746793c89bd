import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { canonicalJson, textOf } from '../service/json';
import { markSeen, seePage } from '../service/newRecords';
import type { SeenRecords, Sighting } from '../service/newRecords';
import type { Pulled } from './pullPage';

/** In characters: 48 bits, so two different records practically never share a fingerprint. */
const FINGERPRINT_LENGTH = 8;
const FINGERPRINT = new RegExp(`.{${FINGERPRINT_LENGTH}}`, 'g');

/** In records: enough for what a service may deliver twice, and small enough to store on every page (24 to 100 kB). */
export const MIN_SIZE = 3_000;

/** After this time without it, a record without a time is a new one: somebody answers "1" again next week. */
export const FORGOTTEN_AFTER_MS = 3_600_000;

/**
 * Remembers which records of an account came before, so that a service that delivers records twice, or does not
 * consume them, does no harm. The memory is bounded.
 */
export class RecordMemory {
  /** How often each fingerprint was seen in one page, oldest first. */
  private seen: SeenRecords = new Map();

  /** By the fingerprint of a record without a time, when it came last. */
  private readonly timeless = new Map<string, number>();

  private answeredAt = 0;

  /** The length of the latest page with records. */
  private latest = 0;

  see({ kind, page }: Pick<Pulled, 'kind' | 'page'>): Sighting<unknown> {
    const now = Date.now();
    if (kind === 'page' || page.length > 0) this.forget(now);
    const fingerprints = new Map(page.map((record) => [record, fingerprintOf(record)]));
    const sighting = seePage(this.seen, page, (record) => fingerprints.get(record) ?? '');
    for (const [record, fingerprint] of fingerprints) {
      if (!hasTime(record)) this.timeless.set(fingerprint, now);
    }
    // An answer without records says nothing of those before it, and a short one may stand between two long ones.
    if (page.length > 0) this.trim(Math.max(page.length, this.latest));
    this.latest = page.length || this.latest;
    return sighting;
  }

  /** Not what was in the answer before: the service may give it for ever. Behind a clock that was set back, its time begins again. */
  private forget(now: number): void {
    for (const [fingerprint, at] of this.timeless) {
      if (at === this.answeredAt) continue;
      // Not as one of this answer.
      if (at > now) this.timeless.set(fingerprint, now - 1);
      else if (now - at >= FORGOTTEN_AFTER_MS) {
        this.timeless.delete(fingerprint);
        this.seen.delete(fingerprint);
      }
    }
    this.answeredAt = now;
  }

  /** Adds what another process remembers. It came later. */
  merge(stored: unknown): void {
    const { seen, counts, timeless, answeredAt } = Object(stored) as IDataObject;
    const times = Object(counts) as Record<string, unknown>;
    // Anything may stand there: static data may have been edited by hand.
    const fingerprints = typeof seen === 'string' ? (seen.match(FINGERPRINT) ?? []) : [];
    markSeen(this.seen, new Map(fingerprints.map((each) => [each, Number(times[each]) || 1])));
    for (const [fingerprint, at] of Object.entries(Object(timeless) as IDataObject)) {
      this.timeless.set(fingerprint, Number(at));
    }
    this.answeredAt = Number(answeredAt) || this.answeredAt;
  }

  /** The memory for static data, in the form that `merge` reads. One text of all, because n8n compares and copies it. */
  get stored(): IDataObject {
    const counts = Object.fromEntries([...this.seen].filter(([, count]) => count > 1));
    const timeless = Object.fromEntries(this.timeless);
    return { seen: [...this.seen.keys()].join(''), counts, timeless, answeredAt: this.answeredAt };
  }

  private trim(pageSize: number): void {
    for (const oldest of this.seen.keys()) {
      // Room for two pages: otherwise a page that is shown again could not be recognised as a whole.
      if (this.seen.size <= Math.max(MIN_SIZE, 2 * pageSize)) break;
      this.seen.delete(oldest);
      this.timeless.delete(oldest);
    }
  }
}

/** Equal for records with the same fields and values, whatever the order of the fields. */
function fingerprintOf(record: unknown): string {
  return hash('sha256', canonicalJson(record), 'base64url').slice(0, FINGERPRINT_LENGTH);
}

/** A date with a clock: 2026-01-31 10:00, 01-31 10:00. A year before 2000 stands for a time that is not known. */
const TIME = /^(?![01]\d{3}[-/.年])(?=.*(?:\d[:：时点]\d|T\d{4}|\s\d{6}$)).*(?:20\d\d|\d[-/.月]\d)/;

/** The year 2000, in Unix seconds. Milliseconds, and digits such as 20260131100000, are more; 20260131 is less. */
const MIN_TIME = 946_684_800;

function hasTime(record: unknown): boolean {
  return Object.entries(Object(record) as IDataObject).some(
    ([name, value]) =>
      /time/i.test(name) && (Number(textOf(value)) >= MIN_TIME || TIME.test(textOf(value))),
  );
}
