import type { IncomingHttpHeaders } from 'node:http';

export interface RecordedRequest {
  method: string;
  /** Without the prefix. */
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: string;
  /** Undefined when the body is not JSON. */
  body: unknown;
  /** Of the answer; 0 as long as there is none, and when the connection was cut instead. */
  status: number;
  /** `ok`, `refused <code>`, `http <status>`, `fault <kind>`, `aborted`, or `pending`. */
  outcome: string;
}
