import { createHash, randomUUID } from 'node:crypto';
import { request } from 'undici';
import type { Gateway } from './gateway';

/** An answer of the gateway. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
}

/** What a test changes in a request. */
export interface RawRequest {
  method?: 'GET' | 'POST';
  /** Sent unchanged instead of the JSON body. */
  rawBody?: string | Buffer;
  /** Replaces headers. Undefined removes a header. */
  headers?: Record<string, string | undefined>;
}

/** Returns the headers of a signed request, with the default signature payload. `timestamp` in Unix seconds. */
export function signedHeaders(
  { apiKey, apiSecret }: Pick<Gateway, 'apiKey' | 'apiSecret'>,
  timestamp = String(Math.floor(Date.now() / 1000)),
  nonce: string = randomUUID(),
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-api-key': apiKey,
    'x-timestamp': timestamp,
    'x-nonce': nonce,
    'x-sign': createHash('sha256')
      .update(apiKey + apiSecret + timestamp + nonce)
      .digest('hex'),
  };
}

/**
 * Sends one signed request and reads the answer, whatever its status. It shares no code with the
 * package, so that the sandbox is tested independently.
 *
 * @throws Error if the connection fails, or after 5 seconds without an answer
 */
export async function call(
  gateway: Gateway,
  path: string,
  body: unknown = {},
  { method = 'POST', rawBody, headers = {} }: RawRequest = {},
): Promise<RawAnswer> {
  const sent = Object.entries({ ...signedHeaders(gateway), ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  const answer = await request(gateway.baseUrl + path, {
    method,
    headers: sent,
    body: method === 'GET' ? undefined : (rawBody ?? JSON.stringify(body)),
    signal: AbortSignal.timeout(5000),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a correct body for `/sendsms/template/send`, with a template and a signature of the seeds. */
export function templateSend(...phoneNumbers: string[]): Record<string, unknown> {
  return {
    template_id: 301,
    sms_sign_id: 201,
    messages: phoneNumbers.map((phone_number) => ({
      phone_number,
      params: { code: '482913', minutes: '5' },
    })),
  };
}
