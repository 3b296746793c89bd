import { createHash } from 'node:crypto';
import { UserError } from 'n8n-workflow';
import type {
  ICredentialDataDecryptedObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  IDataObject,
  ILoadOptionsFunctions,
  IPollFunctions,
  NodeApiError,
} from 'n8n-workflow';
import { readAnswer } from './answer';
import type { Exchange, RawAnswer, Unanswered } from './answer';
import {
  CREDENTIAL_TYPE,
  credentialMask,
  endpointUrl,
  readConnection,
  signatureOf,
} from './connection';
import type { Connection } from './connection';
import { apiError, toNodeError } from './errors';
import { causeFromText } from '../n8n/olderVersions';
import type { SecretMask } from './secrets';
import type { SpecialAdvice } from './errors';

export type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

const DEFAULT_TIMEOUT_MS = 30_000;

const CREDENTIAL_TIMEOUT_MS = 10_000;

/** A timer of Node.js cannot run longer. */
export const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** n8n's own timeout comes first: its error tells whether the connection was open. */
const GRACE_MS = 100;

export interface RequestOptions {
  itemIndex?: number;
  /** How long to wait for the answer. */
  timeoutMs?: number;
  /** What a person can do about a missing answer, where there is something special to say. */
  advice?: SpecialAdvice;
}

/** The one way to the service: signs through the credential, sends, and reads the business result. */
export class ServiceClient {
  private constructor(
    private readonly context: ServiceContext,
    private readonly connection: Connection,
    private readonly mask: SecretMask,
  ) {}

  /** @throws NodeOperationError when the credential cannot be used, before any request. */
  static async create(context: ServiceContext): Promise<ServiceClient> {
    try {
      const data = await readCredential(context);
      const connection = readConnection(data);
      return new ServiceClient(context, connection, credentialMask(connection));
    } catch (error) {
      throw toNodeError(context.getNode(), error);
    }
  }

  /** Names the account that the credential is for, and gives nothing of it away. */
  get account(): string {
    const { baseUrl, apiKey } = this.connection;
    return createHash('sha256').update(`${baseUrl.href}\n${apiKey}`).digest('base64url');
  }

  /**
   * Sends one signed POST (§5) and says what became of it. Never throws, never repeats.
   *
   * @param timeoutMs how long to wait for the answer
   */
  async exchange(
    path: string,
    body: IDataObject,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ): Promise<Exchange> {
    const timeout = AbortSignal.timeout(Math.min(timeoutMs + GRACE_MS, LONGEST_TIMEOUT_MS));
    const options: IHttpRequestOptions = {
      method: 'POST',
      url: endpointUrl(this.connection, path),
      body: JSON.stringify(body),
      headers: { Accept: 'application/json' },
      // As text, and whatever the status: what the bytes mean is decided in one place, readAnswer.
      encoding: 'text',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      timeout: timeoutMs,
      // Where n8n does not put the signal of its Stop button in its place, this closes the connection.
      abortSignal: timeout,
    };
    try {
      // n8n's own timeout ends with the first byte of the answer; a service that sends half of one and
      // no more would hold up a poll, or a send, for ever.
      const answer = await untilAborted<unknown>(
        timeout,
        this.context.helpers.httpRequestWithAuthentication.call(
          this.context,
          CREDENTIAL_TYPE,
          options,
        ),
      );
      return readAnswer(answer as RawAnswer, this.mask.with(signatureOf(options)));
    } catch (error) {
      return readNetworkFailure(timeout.aborted ? timeout.reason : error, timeoutMs);
    }
  }

  /**
   * Like `exchange`, for operations that need an answer: returns its body.
   *
   * @throws NodeApiError that says what happened and what to do
   */
  async request(path: string, body: IDataObject, options: RequestOptions = {}): Promise<unknown> {
    const exchange = await this.exchange(path, body, options.timeoutMs);
    if (exchange.kind === 'answered') return exchange.body;
    throw this.errorFor(exchange, options);
  }

  /** The error for a request that brought no usable answer. */
  errorFor(exchange: Unanswered, { itemIndex, advice }: RequestOptions): NodeApiError {
    return apiError(this.context.getNode(), exchange, { itemIndex, advice });
  }
}

/** A trigger would wait for ever on a read that hangs, and so would n8n when it stops. */
async function readCredential(context: ServiceContext): Promise<ICredentialDataDecryptedObject> {
  const timeout = AbortSignal.timeout(CREDENTIAL_TIMEOUT_MS);
  const data = untilAborted(timeout, context.getCredentials(CREDENTIAL_TYPE));
  return await data.catch((error: Error) => Promise.reject(timeout.aborted ? NOT_READ : error));
}

const NOT_READ = new UserError('n8n could not read the credential in time', {
  description: 'Nothing was sent. Check that the database of n8n answers, and run again.',
});

/** What was promised; or a rejection with the signal's reason, when that comes first. */
async function untilAborted<T>(signal: AbortSignal, promised: Promise<T>): Promise<T> {
  let abort!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promised, aborted]);
  } finally {
    // The signal lives until its time is up, and would keep the answer with it.
    signal.removeEventListener('abort', abort);
  }
}

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
 * Tells a connection that never opened from a request whose fate is open. Only what proves that
 * nothing was sent counts as the former. Nothing of the raw error is kept: it holds key, signature
 * and body.
 */
export function readNetworkFailure(error: unknown, timeoutMs: number): Exchange {
  const causes = causeChain(error);
  const code = causes.map((cause) => cause.code).find((value) => typeof value === 'string');
  const neverOpened = causes.some(
    (cause) =>
      NEVER_OPENED.has(String(cause.code)) ||
      cause.syscall === 'connect' ||
      cause.syscall === 'getaddrinfo' ||
      String(cause.name).startsWith('Ssrf') ||
      isBeingOpened(cause.request?.socket),
  );
  if (neverOpened) {
    return {
      kind: 'unreachable',
      reason: `No connection to the service could be opened (${code ?? 'blocked'})`,
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
function isBeingOpened(socket: Socket | null | undefined): boolean {
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
  cause?: unknown;
  errors?: unknown;
  messages?: unknown;
}

/** An error, its causes, and the parts of an AggregateError (one per address that was tried). */
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
