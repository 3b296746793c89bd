import { createHash, createHmac, randomUUID } from 'node:crypto';

export type SignatureAlgorithm = 'sha256' | 'hmacSha256';

/** What a request signature can be made of. Each value is exactly what is sent. */
export interface SigningInput {
  apiKey: string;
  apiSecret: string;
  /** Unix time in seconds, as sent in X-Timestamp. */
  timestamp: string;
  /** As sent in X-Nonce. */
  nonce: string;
  method: string;
  /** Path of the URL, with the path prefix of the Base URL and without query. */
  path: string;
  /** The body that is sent, as text. */
  body: string;
}

export const DEFAULT_SIGNATURE_PAYLOAD = '{apiKey}{apiSecret}{timestamp}{nonce}';

const PLACEHOLDER = /\{(apiKey|apiSecret|timestamp|nonce|method|path|body)\}|\\n/g;

/**
 * Computes the request signature (X-Sign): fills the payload's placeholders and hashes the UTF-8 text.
 * `\n` in the payload is a line break. HMAC takes the API secret as its key. Returns lower-case
 * hexadecimal.
 */
export function computeSignature(
  payload: string,
  algorithm: SignatureAlgorithm,
  input: SigningInput,
): string {
  // In one pass, so that a placeholder inside a secret or body is not replaced.
  const text = payload.replace(PLACEHOLDER, (_, name?: keyof SigningInput) =>
    name ? input[name] : '\n',
  );
  const hash =
    algorithm === 'hmacSha256' ? createHmac('sha256', input.apiSecret) : createHash('sha256');
  return hash.update(text, 'utf8').digest('hex');
}

/** A new value for X-Nonce. It never repeats. */
export function createNonce(): string {
  return randomUUID().replaceAll('-', '');
}

/** The current time for X-Timestamp, in Unix seconds. */
export function createTimestamp(): string {
  return Math.floor(Date.now() / 1000).toString();
}
