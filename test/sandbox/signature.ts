import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CODES, Refusal } from './codes';
import type { Account } from './options';

/**
 * The gateway's own check of the request signature (X-Sign). It shares no code with the package, so
 * that a mistake in one of them is found.
 */

/** What the request signature is computed from, unless an option says otherwise. */
export const DEFAULT_PAYLOAD = '{apiKey}{apiSecret}{timestamp}{nonce}';

/** The parts of a request that the signature can cover. */
export interface SignedRequest {
  method: string;
  /** Path of the URL as received: with the prefix, without the query. */
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
}

const WINDOW_SECONDS = 300;
const PLACEHOLDER = /(\{(?:apiKey|apiSecret|timestamp|nonce|method|path|body)\})/;

/** Returns the correct X-Sign of a request: SHA-256 or HMAC-SHA-256, in lower-case hexadecimal. */
function expectedSignature(
  rules: Account,
  request: SignedRequest & { timestamp: string; nonce: string },
): string {
  const values: Record<string, string | Buffer> = {
    '{apiKey}': rules.apiKey,
    '{apiSecret}': rules.apiSecret,
    '{timestamp}': request.timestamp,
    '{nonce}': request.nonce,
    '{method}': request.method,
    '{path}': request.path,
    '{body}': request.rawBody,
  };
  const digest =
    rules.signatureAlgorithm === 'hmacSha256'
      ? createHmac('sha256', Buffer.from(rules.apiSecret, 'utf8'))
      : createHash('sha256');
  for (const piece of (rules.signaturePayload ?? DEFAULT_PAYLOAD).split(PLACEHOLDER)) {
    // Hashes piece by piece, because the body is bytes: they must not be decoded and encoded again.
    digest.update(values[piece] ?? piece);
  }
  return digest.digest('hex');
}

/**
 * Checks the authentication headers.
 *
 * @param nonces those used before; receives the one of this request
 * @throws Refusal if a header is missing or wrong, or the nonce was used before
 */
export function checkSignature(rules: Account, nonces: Set<string>, request: SignedRequest): void {
  const key = header(request, 'x-api-key');
  const timestamp = header(request, 'x-timestamp');
  const nonce = header(request, 'x-nonce');
  const sign = header(request, 'x-sign');

  if (key !== rules.apiKey) throw new Refusal(CODES.unknownKey, 'unknown API key');
  if (!/^\d{10}$/.test(timestamp)) {
    throw new Refusal(CODES.badTimestamp, 'X-Timestamp is not a Unix timestamp in seconds');
  }
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > WINDOW_SECONDS) {
    throw new Refusal(CODES.badTimestamp, 'X-Timestamp is outside the allowed window');
  }
  if (sign !== expectedSignature(rules, { ...request, timestamp, nonce })) {
    throw new Refusal(CODES.badSignature, 'signature verification failed');
  }
  if (nonces.has(nonce)) throw new Refusal(CODES.nonceReused, 'X-Nonce has been used before');
  nonces.add(nonce);
}

function header(request: SignedRequest, name: string): string {
  const value = request.headers[name];
  if (typeof value !== 'string' || value === '') {
    throw new Refusal(CODES.missingHeader, `header ${name} is missing`);
  }
  return value;
}
