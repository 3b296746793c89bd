import type { ServerResponse } from 'node:http';

/** An HTTP response of the sandbox. */
export interface Answer {
  status: number;
  /** Sent as JSON. Ignored if `html` is given. */
  body?: unknown;
  html?: string;
  headers?: Record<string, string>;
}

/** Returns the bytes of the answer's body. */
export function bytesOf({ body, html }: Answer): Buffer {
  return Buffer.from(html ?? JSON.stringify(body) ?? '', 'utf8');
}

/** Sends the answer and ends the response. */
export function send(response: ServerResponse, answer: Answer): void {
  const bytes = bytesOf(answer);
  const type = answer.html === undefined ? 'application/json' : 'text/html';
  response.writeHead(answer.status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': bytes.length,
    ...answer.headers,
  });
  response.end(bytes);
}
