import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './http';
import type { OutgoingMessage } from './state';

/** An API request that the gateway received, and how it ended. */
export interface RecordedRequest {
  method: string;
  /** Without the prefix. */
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  /** The parsed body; undefined until the request has passed all checks. */
  body: unknown;
  /** HTTP status of the answer; 0 before the answer, or if the connection was cut instead. */
  status: number;
  /** The answer that was sent; undefined before it, or if the connection was cut instead. */
  answer?: Answer;
  /** The messages that the platform accepted, even if the answer says something else. */
  accepted: OutgoingMessage[];
  /** `ok`, `refused <code>`, `http <status>`, `fault <kind>`, `aborted`, or `pending`. */
  outcome: string;
}
