import type { Unanswered } from './answer';

/** Codes of Node.js that only occur before a connection is open, when nothing was sent yet. */
const NEVER_OPENED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/**
 * The beginning of the error if a TLS handshake is answered with plain text: nothing of the request was
 * sent yet. If plain text comes after the handshake, the error has no "write", and proves nothing.
 */
const PLAIN_TEXT = /^write EPROTO .*:(?:wrong version number|packet length too long):/s;

/**
 * Reads an error of the request function. The request is `unreachable` only if the error proves that
 * nothing was sent. Otherwise it may have arrived, and is `unclear`. Nothing of the raw error is kept,
 * because it holds the API key, the request signature and the body.
 *
 * @param timeoutMs how long the request was allowed to take
 */
export function readNetworkFailure(error: unknown, timeoutMs: number): Unanswered {
  const causes = causeChain(error);
  const code = causes.map(codeOf).find((value) => typeof value === 'string');
  const unreachable = (why: string) => ({
    kind: 'unreachable' as const,
    reason: `No connection to the service could be opened${why} (${code ?? 'blocked'})`,
  });
  if (causes.some(({ message }) => PLAIN_TEXT.test(String(message)))) {
    return { ...unreachable(': the port does not speak https'), needs: 'http' };
  }
  if (causes.some(isBeforeOpen)) return unreachable('');
  const isTimeout =
    code === 'ECONNABORTED' || code === 'ETIMEDOUT' || causes[0]?.name === 'TimeoutError';
  const reason = isTimeout
    ? `The service did not answer within ${timeoutMs} ms`
    : `The connection broke before the answer was complete (${code ?? 'no reason given'})`;
  return { kind: 'unclear', reason };
}

/** Whether a cause only occurs before a connection is open. Ssrf… means that n8n forbids the address. */
function isBeforeOpen(cause: Cause): boolean {
  const { syscall, name, request } = cause;
  const socket = request?.socket;
  return (
    NEVER_OPENED.has(String(codeOf(cause))) ||
    ['connect', 'getaddrinfo'].includes(String(syscall)) ||
    String(name).startsWith('Ssrf') ||
    // Nothing is sent before a connection is open and, with https, its handshake is over.
    [socket?.connecting, socket?.secureConnecting].includes(true)
  );
}

/** The code of Node.js. n8n's own error has it under another name, and before 2.34 it has no cause. */
function codeOf({ code, httpCode }: Cause): unknown {
  return code ?? httpCode;
}

interface Cause {
  request?: { socket?: { connecting?: boolean; secureConnecting?: boolean } | null };
  code?: unknown;
  httpCode?: unknown;
  syscall?: unknown;
  name?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** An error, its causes, and the parts of an AggregateError (one for each address that was tried). */
function causeChain(error: unknown): Cause[] {
  const chain: Cause[] = [];
  let next = error;
  while (typeof next === 'object' && next !== null && !chain.includes(next)) {
    const cause: Cause = next;
    chain.push(cause, ...(Array.isArray(cause.errors) ? (cause.errors as Cause[]) : []));
    next = cause.cause;
  }
  return chain;
}
