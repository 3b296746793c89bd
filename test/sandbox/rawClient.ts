import { createHash, randomUUID } from 'node:crypto';
import { request } from 'undici';
import type { Gateway } from './gateway';

/** A raw client of the gateway, for its own tests: undici, and a signature in a few lines. */

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is not. */
  json: unknown;
}

export interface RawRequest {
  method?: 'GET' | 'POST' | 'PUT';
  /** Sent as it is, in place of the body as JSON. */
  rawBody?: string | Buffer;
  /** Replaces headers; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
}

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

/** Sends one signed request, and reads whatever comes back. */
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

/** A body for `/sendsms/template/send` that the seeds accept. */
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
