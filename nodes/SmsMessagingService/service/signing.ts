import { createHash, createHmac, randomUUID } from 'node:crypto';

export type SignatureAlgorithm = 'sha256' | 'hmacSha256';

/** What a request signature can be computed from. Each value is exactly as it is sent. */
export interface SigningInput {
  apiKey: string;
  apiSecret: string;
  /** Unix time in seconds, as sent in X-Timestamp. */
  timestamp: string;
  nonce: string;
  method: string;
  /** The path of the URL, with the path prefix of the Base URL, without query. */
  path: string;
  body: string;
}

export const DEFAULT_SIGNATURE_PAYLOAD = '{apiKey}{apiSecret}{timestamp}{nonce}';

const PLACEHOLDER = /\{(apiKey|apiSecret|timestamp|nonce|method|path|body)\}|\\n/g;

/**
 * Computes the request signature (X-Sign) in lower-case hexadecimal: fills the placeholders of the payload
 * and hashes the text as UTF-8. `\n` in the payload is a line break. The key of HMAC is the API secret.
 */
export function computeSignature(
  payload: string,
  algorithm: SignatureAlgorithm,
  input: SigningInput,
): string {
  // In one pass, so that a placeholder in a secret or body is not replaced.
  const text = payload.replace(PLACEHOLDER, (_, name?: keyof SigningInput) =>
    name ? input[name] : '\n',
  );
  const hash =
    algorithm === 'hmacSha256' ? createHmac('sha256', input.apiSecret) : createHash('sha256');
  return hash.update(text, 'utf8').digest('hex');
}

/** Returns a new value for X-Nonce. It never repeats. */
export function createNonce(): string {
  return randomUUID().replaceAll('-', '');
}
