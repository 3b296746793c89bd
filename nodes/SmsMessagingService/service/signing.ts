import { createHash, createHmac, randomUUID } from 'node:crypto';

export type SignatureAlgorithm = 'sha256' | 'hmacSha256';

/** What a signature can be made of. All values go in exactly as they are sent. */
export interface SigningInput {
  apiKey: string;
  apiSecret: string;
  /** Unix time in seconds, as sent in X-Timestamp. */
  timestamp: string;
  /** As sent in X-Nonce. */
  nonce: string;
  method: string;
  /** Path of the URL with any prefix of the base URL, without query. */
  path: string;
  /** The bytes of the body, as text. */
  body: string;
}

export const DEFAULT_SIGNATURE_PAYLOAD = '{apiKey}{apiSecret}{timestamp}{nonce}';

const PLACEHOLDER = /\{(apiKey|apiSecret|timestamp|nonce|method|path|body)\}/g;

/**
 * Computes X-Sign (§5): fills the payload's placeholders and hashes the UTF-8 text, with the API
 * secret as the key where the algorithm is HMAC. Returns lower-case hexadecimal.
 */
export function computeSignature(
  payload: string,
  algorithm: SignatureAlgorithm,
  input: SigningInput,
): string {
  // One pass: a secret or body that happens to contain a placeholder is not expanded again.
  const text = payload.replace(PLACEHOLDER, (_, name: keyof SigningInput) => input[name]);
  const hash =
    algorithm === 'hmacSha256' ? createHmac('sha256', input.apiSecret) : createHash('sha256');
  return hash.update(text, 'utf8').digest('hex');
}

/** A fresh value for X-Nonce (§5); it never repeats. */
export function createNonce(): string {
  return randomUUID().replaceAll('-', '');
}

/** The current time for X-Timestamp (§5): Unix seconds. */
export function createTimestamp(): string {
  return Math.floor(Date.now() / 1000).toString();
}
