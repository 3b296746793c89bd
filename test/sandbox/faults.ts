import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { CODES } from './codes';
import { bytesOf } from './http';
import type { Answer } from './http';
import type { RecordedRequest } from './gateway';

/** Which requests a fault affects, and how. */
interface Details {
  /** Affects only requests to this path (without the prefix). */
  path?: string;
  /** Affects only requests for which this returns true. */
  match?: (request: RecordedRequest) => boolean;
  /** Affects the nth matching request from now on, counted from 1. Default 1. */
  nth?: number;
  /** How many consecutive matching requests are affected. Default 1. Infinity: all. */
  times?: number;
  /** Whether the platform executes the request, such as a send. Default: see EFFECTS. */
  accept?: boolean;
  /** `businessCode`, `status`, `tooManyRequests`: `code` of the answer. */
  code?: number;
  /** `businessCode`, `status`, `tooManyRequests`: `msg` of the answer. */
  msg?: string;
  /** `status`: HTTP status. Default 500. */
  status?: number;
  /** `tooManyRequests`, `status`: value of the header Retry-After. */
  retryAfter?: string;
  /** `slow`: milliseconds before the answer. Default 1000. */
  delayMs?: number;
  /** `acceptedFewer`: number of accepted messages. Default: all except the last. */
  acceptedCount?: number;
  /** `status`, `html`, `wrongShape`: body of the answer. `status` and `html` send a string as HTML. */
  body?: unknown;
  /** `redirect`: value of the header Location. */
  location?: string;
}

/** What a kind of fault does. */
export interface Effect {
  /** Whether the platform executes the request. `accept` of a fault overrides it. */
  isExecuted: boolean;
  /** Changes the platform's answer. */
  answer?: (details: Details, answer: Answer) => Answer;
  /** Ends the connection, with or without the answer. */
  cut?: (response: ServerResponse, answer: Answer) => void;
}

const REFUSED = '系统拒绝 (refused on demand)';

/** What the client gets if the platform does not execute the request. */
export const NOT_EXECUTED: Answer = {
  status: 200,
  body: { code: CODES.refused, msg: REFUSED },
};

/** Kind of fault → what it does. The README explains each. `slow`, `acceptedFewer` and `notConsuming` are the gateway's. */
export const EFFECTS = {
  businessCode: {
    isExecuted: false,
    answer: ({ code = CODES.refused, msg = REFUSED }) => ({
      status: 200,
      body: { code, msg, request_id: randomUUID() },
    }),
  },
  status: { isExecuted: false, answer: (details) => statusAnswer(details) },
  tooManyRequests: {
    isExecuted: false,
    answer: (details) => statusAnswer({ code: CODES.tooManyRequests, ...details, status: 429 }),
  },
  redirect: {
    isExecuted: false,
    answer: ({ location = '' }) => ({ status: 302, html: '', headers: { location } }),
  },
  resetBeforeAccept: { isExecuted: false, cut: reset },
  resetAfterAccept: { isExecuted: true, cut: reset },
  hang: { isExecuted: true, cut: () => undefined },
  slow: { isExecuted: true },
  drip: { isExecuted: true, cut: drip },
  truncatedJson: {
    isExecuted: true,
    cut: (response, answer) => {
      const bytes = bytesOf(answer);
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      response.end(bytes.subarray(0, Math.floor(bytes.length / 2)));
    },
  },
  html: {
    isExecuted: true,
    answer: ({ body = '<html><body>Please log in</body></html>' }) => ({
      status: 200,
      html: String(body),
    }),
  },
  wrongShape: {
    isExecuted: true,
    answer: ({ body = { code: 0, msg: 'success', result: 'unexpected' } }) => ({
      status: 200,
      body,
    }),
  },
  acceptedFewer: { isExecuted: true },
  notConsuming: { isExecuted: true },
} satisfies Record<string, Effect>;

export type FaultKind = keyof typeof EFFECTS;

/** Something that goes wrong with one or several requests. */
export interface Fault extends Details {
  kind: FaultKind;
}

function statusAnswer({ status = 500, code = status, msg, body, retryAfter }: Details): Answer {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  if (typeof body === 'string') return { status, html: body, headers };
  return { status, body: body ?? { code, msg: msg ?? 'fault on demand' }, headers };
}

/** Sends the answer byte by byte, and then spaces, until the client disconnects. */
function drip(response: ServerResponse, answer: Answer): void {
  const bytes = bytesOf(answer);
  let sent = 0;
  response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' });
  const timer = setInterval(() => {
    response.write(sent < bytes.length ? bytes.subarray(sent, sent + 1) : ' ');
    sent += 1;
  }, 5);
  response.once('close', () => clearInterval(timer));
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

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
