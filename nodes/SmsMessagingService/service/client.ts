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
import { untilAborted } from '../n8n/abort';
import { toNodeError } from '../n8n/errors';
import { readAnswer } from './answer';
import type { Exchange, RawAnswer, Unanswered } from './answer';
import { CREDENTIAL_TYPE, credentialMask, endpointUrl, readConnection } from './connection';
import type { Connection } from './connection';
import { unansweredError } from './errors';
import type { OperationAdvice } from './errors';
import { toJson } from './json';
import { readNetworkFailure } from './networkFailure';
import type { SecretMask } from './secrets';
import { signatureOf } from './signedRequest';

export type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

const DEFAULT_TIMEOUT_MS = 30_000;

const CREDENTIAL_TIMEOUT_MS = 10_000;

/** A timer of Node.js cannot run longer. */
export const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Our timeout comes this much later than n8n's, whose error tells whether the connection was open. */
const GRACE_MS = 100;

export interface RequestOptions {
  itemIndex?: number;
  /** How long to wait for the answer. */
  timeoutMs?: number;
  /** What the operation adds to the advice in the error. */
  advice?: OperationAdvice;
  /** Whether the Authorization Token goes with the request, whatever its path. */
  isAuthorized?: boolean;
}

/** Makes the nodes' requests: signs through the credential, sends, and reads the business result. */
export class ServiceClient {
  private constructor(
    private readonly context: ServiceContext,
    private readonly connection: Connection,
    private readonly mask: SecretMask,
  ) {}

  /** @throws NodeOperationError when the credential cannot be used. No request was made then. */
  static async create(context: ServiceContext): Promise<ServiceClient> {
    try {
      const connection = readConnection(await fetchCredential(context));
      return new ServiceClient(context, connection, credentialMask(connection));
    } catch (error) {
      throw toNodeError(context.getNode(), error);
    }
  }

  /** Identifies the account of the credential, without giving anything of it away. */
  get account(): string {
    const { baseUrl, apiKey } = this.connection;
    return createHash('sha256').update(`${baseUrl.href}\n${apiKey}`).digest('base64url');
  }

  /**
   * Sends one signed POST and tells what became of it. Never throws, never repeats.
   *
   * @param timeoutMs how long to wait for the answer
   * @param token sent as `authorization`; left out, only a path that is known for it gets one
   */
  async exchange(
    path: string,
    body: IDataObject,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    token = '',
  ): Promise<Exchange> {
    const timeout = AbortSignal.timeout(Math.min(timeoutMs + GRACE_MS, LONGEST_TIMEOUT_MS));
    const options: IHttpRequestOptions = {
      method: 'POST',
      url: endpointUrl(this.connection, path),
      body: toJson(body),
      headers: { Accept: 'application/json', ...(token && { authorization: token }) },
      // As text, and at any status: only readAnswer decides what the bytes mean.
      encoding: 'text',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      timeout: timeoutMs,
      // Closes the connection, unless n8n replaces the signal by the one of its Stop button.
      abortSignal: timeout,
    };
    try {
      // n8n's own timeout ends with the first byte of the answer. A service that sends half an answer
      // would hold up a poll or a send for ever.
      const answer = await untilAborted<unknown>(
        timeout,
        this.context.helpers.httpRequestWithAuthentication.call(
          this.context,
          CREDENTIAL_TYPE,
          options,
        ),
      );
      const mask = this.mask.with(signatureOf(options));
      return readAnswer(answer as RawAnswer, path, mask, this.connection.resultCodes);
    } catch (error) {
      return readNetworkFailure(timeout.aborted ? timeout.reason : error, timeoutMs);
    }
  }

  /**
   * Like `exchange`, for operations that need an answer. Returns its body.
   *
   * @throws NodeApiError that says what happened and what to do
   */
  async request(path: string, body: IDataObject, options: RequestOptions = {}): Promise<unknown> {
    const token = options.isAuthorized ? this.connection.authorizationToken : '';
    const exchange = await this.exchange(path, body, options.timeoutMs, token);
    if (exchange.kind === 'answered') return exchange.body;
    throw this.errorFor(exchange, options);
  }

  /** The error for a request without a usable answer. */
  errorFor(exchange: Unanswered, { itemIndex, advice }: RequestOptions): NodeApiError {
    return unansweredError(this.context.getNode(), exchange, { itemIndex, advice });
  }
}

/** Has a time limit: a read that hangs would hold up the trigger, and n8n when it stops. */
async function fetchCredential(context: ServiceContext): Promise<ICredentialDataDecryptedObject> {
  const timeout = AbortSignal.timeout(CREDENTIAL_TIMEOUT_MS);
  const data = untilAborted(timeout, context.getCredentials(CREDENTIAL_TYPE));
  return await data.catch((error: Error) => Promise.reject(timeout.aborted ? NOT_READ : error));
}

const NOT_READ = new UserError('n8n could not read the credential in time', {
  description: 'Check that the database of n8n answers, and run again.',
});
