import type { RecordedRequest } from './recordedRequest';

/** What a test can make go wrong, and which request it happens to. */

export type FaultKind =
  | 'businessCode'
  | 'status'
  | 'tooManyRequests'
  | 'hang'
  | 'resetBeforeAccept'
  | 'resetAfterAccept'
  | 'truncatedJson'
  | 'html'
  | 'slow'
  | 'acceptedFewer'
  | 'notConsuming'
  | 'repeatPage'
  | 'wrongShape'
  | 'redirect'
  | 'emptyBody';

export interface Fault {
  kind: FaultKind;
  /** Only requests to this path (without the prefix). */
  path?: string;
  /** Only requests for which this holds. */
  match?: (request: RecordedRequest) => boolean;
  /** The how-many-th matching request from now on, from 1. Without it: the next one. */
  nth?: number;
  /** On how many matching requests in a row; Infinity: from there on, always. Default 1. */
  times?: number;
  /** Whether the platform did what was asked (accepted the messages). Default: see ACCEPTS. */
  accept?: boolean;
  /** `businessCode`, `status`, `tooManyRequests`: the code and text of the answer. */
  code?: number;
  msg?: string;
  /** `status`: 500 unless given. `redirect`: 302 unless given. */
  status?: number;
  /** `tooManyRequests`, `status`: the header Retry-After. */
  retryAfter?: string;
  /** `slow`: how long before the answer; 1000 unless given. */
  delayMs?: number;
  /** `acceptedFewer`: how many messages of the request are accepted; all but one unless given. */
  acceptedCount?: number;
  /**
   * `status`, `wrongShape`, `html`: another body; a string goes out as HTML. Of `wrongShape` also a
   * function that makes it of the true one.
   */
  body?: unknown;
  /** `truncatedJson`: announce the whole length, send half, and close the connection. */
  mismatchedLength?: boolean;
  /** `redirect`: where to. */
  location?: string;
}

/** Whether the platform did what was asked, unless the fault says otherwise by `accept`. */
export const ACCEPTS: Readonly<Record<FaultKind, boolean>> = {
  businessCode: false,
  status: false,
  tooManyRequests: false,
  hang: true,
  resetBeforeAccept: false,
  resetAfterAccept: true,
  truncatedJson: true,
  html: true,
  slow: true,
  acceptedFewer: true,
  notConsuming: true,
  repeatPage: true,
  wrongShape: true,
  redirect: false,
  emptyBody: true,
};

interface Queued {
  fault: Fault;
  seen: number;
  left: number;
}

/**
 * The queued faults. Each counts the requests that match it; a request gets the first fault whose
 * turn it is, so that two faults without `nth` hit the next request and the one after it.
 */
export class Faults {
  private queued: Queued[] = [];

  add(fault: Fault): void {
    this.queued.push({ fault, seen: 0, left: fault.times ?? 1 });
  }

  clear(): void {
    this.queued = [];
  }

  /** The fault that this request meets, if any. */
  take(request: RecordedRequest): Fault | undefined {
    let met: Queued | undefined;
    for (const entry of this.queued) {
      const { path, match, nth = 1 } = entry.fault;
      if (path !== undefined && path !== request.path) continue;
      if (match && !match(request)) continue;
      entry.seen += 1;
      if (!met && entry.seen >= nth) met = entry;
    }
    if (!met) return undefined;
    met.left -= 1;
    if (met.left <= 0) this.queued = this.queued.filter((entry) => entry !== met);
    return met.fault;
  }
}
