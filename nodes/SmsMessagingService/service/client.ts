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
import { endedBy, untilAborted } from '../n8n/abort';
import { toNodeError } from '../n8n/errors';
import { readAnswer } from './reading/answer';
import type { Exchange, RawAnswer, Unanswered } from './reading/answer';
import { withText } from './charset';
import {
  CREDENTIAL_TYPE,
  credentialMask,
  endpointUrl,
  prefixOf,
  readConnection,
} from './connection';
import type { Connection } from './connection';
import { exchangeError } from './errors';
import type { OperationAdvice } from './errors';
import { toJson } from './json';
import { readNetworkFailure } from './networkFailure';
import type { SecretMask } from './secrets';
import { signatureOf } from './signedRequest';

export type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

const DEFAULT_TIMEOUT_MS = 30_000;

const CREDENTIAL_TIMEOUT_MS = 10_000;

/** A timer of Node.js cannot run longer. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

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
  /**
   * What an exchange means for the operation, if the answer tells more than its `code`. What it quotes
   * comes into errors, so it gets the body without the key.
   */
  weigh?: (exchange: Exchange) => Exchange;
}

/**
 * Makes the nodes' requests: signs through the credential, sends, and reads the business result.
 *
 * The credential is read once, and all requests are signed with what was read. If n8n read it again for
 * each request, a busy database or an edit would end a send in the middle, and the mask would not know
 * the secrets of a request.
 */
export class ServiceClient {
  private constructor(
    private readonly context: ServiceContext,
    private readonly data: ICredentialDataDecryptedObject,
    private readonly connection: Connection,
    private readonly mask: SecretMask,
  ) {}

  /**
   * @throws NodeOperationError when the credential cannot be used, or is not the same for all items. No
   * request was made then.
   */
  static async create(context: ServiceContext): Promise<ServiceClient> {
    try {
      const [data = {}, ...others] = await fetchCredential(context);
      const connection = readConnection(data);
      if (!others.every((other) => isSame(connection, other))) throw DEPENDS_ON_ITEM;
      return new ServiceClient(context, data, connection, credentialMask(connection));
    } catch (error) {
      throw toNodeError(context.getNode(), error);
    }
  }

  /** Identifies the account of the credential, however it is written, without giving anything away. */
  get account(): string {
    const { baseUrl, apiKey } = this.connection;
    const address = baseUrl.host + prefixOf(baseUrl);
    return createHash('sha256').update(`${address}\n${apiKey}`).digest('base64url');
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
    const timeout = AbortSignal.timeout(Math.min(timeoutMs + GRACE_MS, MAX_TIMEOUT_MS));
    const options: IHttpRequestOptions = {
      method: 'POST',
      url: endpointUrl(this.connection, path),
      body: toJson(body),
      headers: { Accept: 'application/json', ...(token && { authorization: token }) },
      // As bytes, and at any status: n8n takes all texts for UTF-8, and only readAnswer says what they mean.
      encoding: 'arraybuffer',
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      timeout: timeoutMs,
    };
    try {
      // n8n's own timeout ends with the first byte of the answer. A service that sends half an answer
      // would hold up a poll or a send for ever.
      const answer = await untilAborted<unknown>(
        timeout,
        this.context.helpers.httpRequestWithAuthentication.call(
          endedBy(this.context, timeout),
          CREDENTIAL_TYPE,
          options,
          { credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: this.data } },
        ),
      );
      const mask = this.mask.with(signatureOf(options));
      const text = withText(answer as RawAnswer);
      return readAnswer(text, path, mask, this.connection.resultCodes);
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
    const given = await this.exchange(path, body, options.timeoutMs, token);
    if (given.kind !== 'answered') throw this.errorFor(given, options);
    const weighed = options.weigh?.({ ...given, body: this.mask.hideWords(given.body) }) ?? given;
    if (weighed.kind !== 'answered') throw this.errorFor(weighed, options);
    return given.body;
  }

  /** The error for a request without a usable answer. */
  errorFor(exchange: Unanswered, { itemIndex, advice }: RequestOptions): NodeApiError {
    return exchangeError(this.context.getNode(), exchange, { itemIndex, advice });
  }
}

/**
 * The data of the credential, for the first item and for some others. Fields may be expressions over the
 * item. Has a time limit: a read that hangs would hold up the trigger, and n8n when it stops.
 */
async function fetchCredential(context: ServiceContext): Promise<ICredentialDataDecryptedObject[]> {
  const timeout = AbortSignal.timeout(CREDENTIAL_TIMEOUT_MS);
  const reads = itemsToCompare(context).map(
    async (item) => await context.getCredentials(CREDENTIAL_TYPE, item),
  );
  return await untilAborted(timeout, Promise.all(reads)).catch((error: Error) =>
    Promise.reject(timeout.aborted ? NOT_READ : error),
  );
}

/** 0, 1, 2, 4, 8, … and the last item: a read for each of many items would take too long. */
function itemsToCompare(context: ServiceContext): number[] {
  const last = 'getInputData' in context ? context.getInputData().length - 1 : 0;
  const items = [0];
  for (let item = 1; item < last; item *= 2) items.push(item);
  return last > 0 ? [...items, last] : items;
}

/** Whether requests would go to the same account, and be signed in the same way. */
function isSame(connection: Connection, other: ICredentialDataDecryptedObject): boolean {
  try {
    return JSON.stringify(readConnection(other)) === JSON.stringify(connection);
  } catch {
    // It can be used for the first item, and not for this one.
    return false;
  }
}

const NOT_READ = new UserError('n8n could not read the credential in time', {
  description: 'Check that the database of n8n answers, and run again.',
});

const DEPENDS_ON_ITEM = new UserError('The credential is not the same for all items', {
  description:
    "Nothing was sent. A field of the credential is an expression that gives another value for another item, but all items are sent from one account. Use one node for each account, or the node 'Loop Over Items' with one item at a time.",
});
