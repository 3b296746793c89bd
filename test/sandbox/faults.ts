import type { RecordedRequest } from './recordedRequest';

/** What can go wrong. The README explains each kind. */
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
  | 'drip'
  | 'acceptedFewer'
  | 'notConsuming'
  | 'wrongShape'
  | 'redirect';

/** Something that goes wrong with one or several requests. */
export interface Fault {
  kind: FaultKind;
  /** Affects only requests to this path (without the prefix). */
  path?: string;
  /** Affects only requests for which this returns true. */
  match?: (request: RecordedRequest) => boolean;
  /** Affects the nth matching request from now on, counted from 1. Default 1. */
  nth?: number;
  /** How many consecutive matching requests are affected. Default 1. Infinity: all. */
  times?: number;
  /** Whether the platform executes the request, such as a send. Default: see NOT_EXECUTED. */
  accept?: boolean;
  /** `businessCode`, `status`, `tooManyRequests`: `code` of the answer. */
  code?: number;
  /** `businessCode`, `status`, `tooManyRequests`: `msg` of the answer. */
  msg?: string;
  /** HTTP status. Default 500 for `status`, 302 for `redirect`. */
  status?: number;
  /** `tooManyRequests`, `status`: value of the header Retry-After. */
  retryAfter?: string;
  /** `slow`: milliseconds before the answer. Default 1000. */
  delayMs?: number;
  /** `acceptedFewer`: number of accepted messages. Default: all except the last. */
  acceptedCount?: number;
  /**
   * `status`, `html`, `wrongShape`: body of the answer. `status` and `html` send a string as HTML.
   * `wrongShape` also takes a function that gets the correct body and returns the wrong one.
   */
  body?: unknown;
  /** `redirect`: value of the header Location. Default: an unknown path of the gateway. */
  location?: string;
}

/** After these the platform does not execute the request, unless the fault has `accept`. */
export const NOT_EXECUTED: readonly FaultKind[] = [
  'businessCode',
  'status',
  'tooManyRequests',
  'resetBeforeAccept',
  'redirect',
];

interface Queued {
  fault: Fault;
  seen: number;
  left: number;
}

/**
 * The queue of faults. Each fault counts the requests that match it. A request gets at most one
 * fault: the first in the queue that is due. So two faults without `nth` affect two consecutive
 * requests.
 */
export class Faults {
  private queued: Queued[] = [];

  add(fault: Fault): void {
    this.queued.push({ fault, seen: 0, left: fault.times ?? 1 });
  }

  clear(): void {
    this.queued = [];
  }

  /** The fault that affects this request, or undefined. Counts the request. */
  take(request: RecordedRequest): Fault | undefined {
    let due: Queued | undefined;
    for (const entry of this.queued) {
      const { path, match, nth = 1 } = entry.fault;
      if (path !== undefined && path !== request.path) continue;
      if (match && !match(request)) continue;
      entry.seen += 1;
      if (!due && entry.seen >= nth) due = entry;
    }
    if (!due) return undefined;
    due.left -= 1;
    if (due.left <= 0) this.queued = this.queued.filter((entry) => entry !== due);
    return due.fault;
  }
}
