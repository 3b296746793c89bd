import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './http';

/** An API request that the gateway received, and how it ended. */
export interface RecordedRequest {
  method: string;
  /** Without the prefix. */
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  /** The parsed body; undefined until the request has passed all checks. */
  body: unknown;
  /** The answer that was sent; undefined before it, or if the connection was cut instead. */
  answer?: Answer;
  /** `ok`, `refused <code>`, `http 500`, `fault <kind>`, `aborted`, or `pending`. */
  outcome: string;
}
