import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CODES, Refusal } from './codes';

/**
 * The gateway's own check of the authentication headers of §5. It is written from the specification
 * and the design, and shares no code with the package's signer, so that one can prove the other.
 */

export const DEFAULT_PAYLOAD = '{apiKey}{apiSecret}{timestamp}{nonce}';

export type SignatureAlgorithm = 'sha256' | 'hmacSha256';

export interface SignatureRules {
  apiKey: string;
  apiSecret: string;
  /** What is hashed; placeholders {apiKey} {apiSecret} {timestamp} {nonce} {method} {path} {body}. */
  payload?: string;
  algorithm?: SignatureAlgorithm;
}

export interface SignedRequest {
  method: string;
  /** The path of the URL as received: with the prefix, without the query. */
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
}

const WINDOW_SECONDS = 300;
const MAX_REMEMBERED_NONCES = 500_000;
const PLACEHOLDER = /(\{(?:apiKey|apiSecret|timestamp|nonce|method|path|body)\})/;

/** The X-Sign that a request should carry: lower-case hexadecimal SHA-256 (§5). */
export function expectedSignature(
  rules: SignatureRules,
  request: { timestamp: string; nonce: string; method: string; path: string; rawBody: Buffer },
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
    rules.algorithm === 'hmacSha256'
      ? createHmac('sha256', Buffer.from(rules.apiSecret, 'utf8'))
      : createHash('sha256');
  for (const piece of (rules.payload ?? DEFAULT_PAYLOAD).split(PLACEHOLDER)) {
    // Pieces are hashed one by one, so that the body counts as the very bytes received.
    digest.update(values[piece] ?? piece);
  }
  return digest.digest('hex');
}

/** Checks the headers of §5, and remembers nonces for as long as their timestamp could be valid. */
export class SignatureCheck {
  private fresh = new Set<string>();
  private old = new Set<string>();
  private rotatedAt = Date.now();

  constructor(private readonly rules: SignatureRules) {}

  /** Throws the refusal of a request that is not signed as it should be. */
  verify(request: SignedRequest): void {
    const key = header(request, 'x-api-key');
    const timestamp = header(request, 'x-timestamp');
    const nonce = header(request, 'x-nonce');
    const sign = header(request, 'x-sign');

    if (key !== this.rules.apiKey) throw new Refusal(CODES.unknownKey, 'unknown API key');
    if (!/^\d{10}$/.test(timestamp)) {
      throw new Refusal(CODES.badTimestamp, 'X-Timestamp is not a Unix timestamp in seconds');
    }
    if (Math.abs(Date.now() / 1000 - Number(timestamp)) > WINDOW_SECONDS) {
      throw new Refusal(CODES.badTimestamp, 'X-Timestamp is outside the allowed window');
    }
    if (sign !== expectedSignature(this.rules, { ...request, timestamp, nonce })) {
      throw new Refusal(CODES.badSignature, 'signature verification failed');
    }
    if (this.fresh.has(nonce) || this.old.has(nonce)) {
      throw new Refusal(CODES.nonceReused, 'X-Nonce has been used before');
    }
    this.remember(nonce);
  }

  reset(): void {
    this.fresh.clear();
    this.old.clear();
  }

  private remember(nonce: string): void {
    // A timestamp may lie a window ahead, so a nonce has to be known for two windows.
    const expired = Date.now() - this.rotatedAt > 2 * WINDOW_SECONDS * 1000;
    if (expired || this.fresh.size >= MAX_REMEMBERED_NONCES) {
      this.old = this.fresh;
      this.fresh = new Set();
      this.rotatedAt = Date.now();
    }
    this.fresh.add(nonce);
  }
}

function header(request: SignedRequest, name: string): string {
  const value = request.headers[name];
  if (typeof value !== 'string' || value === '') {
    throw new Refusal(CODES.missingHeader, `header ${name} is missing`);
  }
  return value;
}
