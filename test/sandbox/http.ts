import type { IncomingMessage, ServerResponse } from 'node:http';

/** An HTTP response of the sandbox. */
export interface Answer {
  status: number;
  /** Sent as JSON. Ignored if `html` is given. */
  body?: unknown;
  html?: string;
  headers?: Record<string, string>;
}

const MAX_BODY_BYTES = 20 * 1024 * 1024;

/**
 * Returns the exact bytes of a request body.
 *
 * @throws Error if the client disconnects before the end, or the body exceeds 20 MiB
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('request body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns a body as text.
 *
 * @throws Error if the bytes are not UTF-8
 */
export function textOf(rawBody: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(rawBody);
}

/** Whether the content type is `application/json`. The only allowed parameter is charset=utf-8. */
export function isJson(contentType: string | undefined): boolean {
  return /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i.test(contentType ?? '');
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
