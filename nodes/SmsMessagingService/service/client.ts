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
import { readAnswer } from './answer';
import type { Exchange, RawAnswer, Unanswered } from './answer';
import type { Purpose } from './answerMeaning';
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

type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

const DEFAULT_TIMEOUT_MS = 30_000;

/** How long n8n may take to read the credential. */
const CREDENTIAL_TIMEOUT_MS = 10_000;

/** The longest delay of a Node.js timer. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Our timeout fires this much later than n8n's, whose error shows whether the connection was open. */
const GRACE_MS = 100;

/** How one request is made. */
export interface ExchangeOptions {
  /** How long to wait for the answer. Default: 30 seconds. */
  timeoutMs?: number;
  /** What the request is for. Default: neither a send nor a pull. */
  purpose?: Purpose;
  /** Whether to send the Authorization Token, whatever the path. */
  isAuthorized?: boolean;
}

export interface RequestOptions extends ExchangeOptions {
  itemIndex?: number;
  /** The operation's own advice for the error. */
  advice?: OperationAdvice;
}

/**
 * Makes the nodes' requests: signs through the credential, sends, and reads the answer.
 *
 * The credential is read once, and all requests are signed with what was read. If n8n read it again for
 * each request, a busy database or an edit could stop a send halfway, and the mask might not know the
 * secrets of a request.
 */
export class ServiceClient {
  private constructor(
    private readonly context: ServiceContext,
    private readonly data: ICredentialDataDecryptedObject,
    private readonly connection: Connection,
    private readonly mask: SecretMask,
  ) {}

  /**
   * Reads the credential. Makes no request.
   *
   * @throws NodeOperationError if the credential cannot be used, or is not the same for all items
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

  /** A hash that identifies the account of the credential, however its Base URL is written. */
  get account(): string {
    const { baseUrl, apiKey } = this.connection;
    const address = baseUrl.host + prefixOf(baseUrl);
    return createHash('sha256').update(`${address}\n${apiKey}`).digest('base64url');
  }

  /** Sends one signed POST and returns its result. Never throws, and never repeats the request. */
  async exchange(
    path: string,
    body: IDataObject,
    { timeoutMs = DEFAULT_TIMEOUT_MS, purpose = 'other', isAuthorized }: ExchangeOptions = {},
  ): Promise<Exchange> {
    const token = isAuthorized ? this.connection.authorizationToken : '';
    const timeout = AbortSignal.timeout(Math.min(timeoutMs + GRACE_MS, MAX_TIMEOUT_MS));
    const options: IHttpRequestOptions = {
      method: 'POST',
      url: endpointUrl(this.connection, path),
      body: toJson(body),
      headers: { Accept: 'application/json', ...(token && { authorization: token }) },
      // As bytes, because n8n reads all texts as UTF-8. At any status, because readAnswer judges it.
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
      return readAnswer(withText(answer as RawAnswer), {
        purpose,
        mask: this.mask.with(signatureOf(options)),
        codes: this.connection.resultCodes,
      });
    } catch (error) {
      return readNetworkFailure(timeout.aborted ? timeout.reason : error, timeoutMs);
    }
  }

  /**
   * Sends one signed POST and returns the body of its answer.
   *
   * @throws NodeApiError if there is no usable answer. Its text says what happened and what to do.
   */
  async request(path: string, body: IDataObject, options: RequestOptions = {}): Promise<unknown> {
    const exchange = await this.exchange(path, body, options);
    if (exchange.kind === 'answered') return exchange.body;
    throw this.errorFor(exchange, options);
  }

  /** Returns the error for a request without a usable answer. */
  errorFor(exchange: Unanswered, { itemIndex, advice }: RequestOptions): NodeApiError {
    return exchangeError(this.context.getNode(), exchange, { itemIndex, advice });
  }
}

/**
 * Returns the data of the credential for the first item and for some others, because its fields may be
 * expressions. Waits 10 seconds at most: a read that hangs would hold up the trigger, and n8n's shutdown.
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

/** Returns items 0, 1, 2, 4, 8, … and the last one. To read it for every item would take too long. */
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
    // The credential cannot be used for this item, only for the first.
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

/** Returns a request body with the user's own fields, which replace fields of the same name. Null removes one. */
export function withExtraFields(body: IDataObject, extra: IDataObject): IDataObject {
  const merged = Object.entries({ ...body, ...extra });
  return Object.fromEntries(merged.filter(([name]) => extra[name] !== null));
}
