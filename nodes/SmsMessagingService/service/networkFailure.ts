import { causeFromText } from '../n8n/olderVersions';
import type { Unanswered } from './reading/answer';

/** Codes of Node.js that only occur before a connection is open, so nothing was sent. */
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
 * How the error begins when a TLS handshake gets plain text for an answer: the request still waits to be
 * written. When plain text comes behind the handshake, the error has no "write", and proves nothing.
 */
const PLAIN_TEXT = /^write EPROTO .*:(?:wrong version number|packet length too long):/s;

/**
 * Reads an error of the request function. The request is `unreachable` only where the error proves
 * that nothing was sent; otherwise it may have arrived, and is `unclear`. Nothing of the raw error is
 * kept: it holds the API key, the request signature and the body.
 */
export function readNetworkFailure(error: unknown, timeoutMs: number): Unanswered {
  const causes = causeChain(error);
  const code = causes.map((cause) => cause.code).find((value) => typeof value === 'string');
  const isPlain = causes.some(({ message }) => PLAIN_TEXT.test(String(message)));
  const neverOpened =
    isPlain ||
    causes.some(
      (cause) =>
        NEVER_OPENED.has(String(cause.code)) ||
        cause.syscall === 'connect' ||
        cause.syscall === 'getaddrinfo' ||
        String(cause.name).startsWith('Ssrf') ||
        isOpening(cause.request?.socket),
    );
  if (neverOpened) {
    const why = isPlain ? ': the port does not speak https' : '';
    return {
      kind: 'unreachable',
      reason: `No connection to the service could be opened${why} (${code ?? 'blocked'})`,
      needs: isPlain ? 'http' : undefined,
    };
  }
  const timedOut =
    code === 'ECONNABORTED' || code === 'ETIMEDOUT' || causes[0]?.name === 'TimeoutError';
  return {
    kind: 'unclear',
    isTimeout: timedOut,
    reason: timedOut
      ? `The service did not answer within ${timeoutMs} ms`
      : `The connection broke before the answer was complete (${code ?? 'no reason given'})`,
  };
}

/** A connection carries nothing before it is open and, with https, its handshake is over. */
function isOpening(socket: Socket | null | undefined): boolean {
  return socket?.connecting === true || socket?.secureConnecting === true;
}

interface Socket {
  connecting?: boolean;
  secureConnecting?: boolean;
}

interface Cause {
  request?: { socket?: Socket | null };
  code?: unknown;
  syscall?: unknown;
  name?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
  messages?: unknown;
}

/** An error, its causes, and the parts of an AggregateError (one for each address that was tried). */
function causeChain(error: unknown): Cause[] {
  const chain: Cause[] = [];
  let next = error;
  while (typeof next === 'object' && next !== null && !chain.includes(next)) {
    const cause: Cause = next;
    chain.push(cause, ...(Array.isArray(cause.errors) ? (cause.errors as Cause[]) : []));
    next = cause.cause ?? causeFromText(cause.messages);
  }
  return chain;
}
