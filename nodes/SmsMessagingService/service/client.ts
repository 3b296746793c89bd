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
import { endedBy, untilAborted, within } from '../n8n/abort';
import { toNodeError } from '../n8n/errors';
import type { Asked } from './advice';
import { readAnswer } from './answer';
import type { Exchange, RawAnswer, Unanswered } from './answer';
import type { Purpose } from './answerMeaning';
import {
  CREDENTIAL_TYPE,
  credentialMask,
  endpointUrl,
  prefixOf,
  readConnection,
} from './connection';
import type { Connection } from './connection';
import { exchangeError } from './errors';
import { toJson } from './json';
import { readNetworkFailure } from './networkFailure';
import { signatureOf } from './signedRequest';

type ServiceContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

const DEFAULT_TIMEOUT_MS = 30_000;

/** A read that hangs would hold up the trigger, and n8n's shutdown. */
const CREDENTIAL_TIMEOUT_MS = 10_000;

/** The longest delay of a Node.js timer. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Our timeout fires this much later than n8n's, whose error shows whether the connection was open. */
const GRACE_MS = 100;

export interface ExchangeOptions {
  /** How long to wait for the answer. Default: 30 seconds. */
  timeoutMs?: number;
  /** Default: neither a send nor a pull. */
  purpose?: Purpose;
  /** Whether to send the Authorization Token, whatever the path. */
  isAuthorized?: boolean;
}

export interface ErrorOptions {
  itemIndex?: number;
  /** How the advice of an error speaks of the request. Default: as of a list that the editor shows. */
  asked?: Asked;
}

/**
 * Makes the nodes' requests: signs through the credential, sends, and reads the answer.
 *
 * The credential is read once, for the first item, and all requests are signed with what was read. If n8n
 * read it again for each request, a busy database or an edit could stop a send halfway, and the mask might
 * not know the secrets of a request.
 */
export class ServiceClient {
  private constructor(
    private readonly context: ServiceContext,
    private readonly data: ICredentialDataDecryptedObject,
    private readonly connection: Connection,
  ) {}

  /**
   * Reads the credential. Makes no request.
   *
   * @throws NodeOperationError if the credential cannot be used
   */
  static async create(context: ServiceContext): Promise<ServiceClient> {
    try {
      const read = context.getCredentials(CREDENTIAL_TYPE, 0);
      const data = await within(CREDENTIAL_TIMEOUT_MS, read, NOT_READ);
      return new ServiceClient(context, data, readConnection(data));
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
      // As bytes: n8n would read any charset as UTF-8. At any status, because readAnswer judges it.
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
      return readAnswer(answer as RawAnswer, {
        purpose,
        mask: credentialMask(this.connection, signatureOf(options)),
        codes: this.connection.resultCodes,
      });
    } catch (error) {
      return readNetworkFailure(timeout.aborted ? timeout.reason : error, timeoutMs);
    }
  }

  errorFor(
    exchange: Unanswered,
    { itemIndex, asked = { task: 'picker' } }: ErrorOptions,
  ): NodeApiError {
    return exchangeError(this.context.getNode(), exchange, asked, itemIndex);
  }
}

const NOT_READ = new UserError('n8n could not read the credential in time', {
  description: 'Check that the database of n8n answers, and run again.',
});

/** Returns a request body with the user's own fields, which replace fields of the same name. Null removes one. */
export function withExtraFields(body: IDataObject, extra: IDataObject): IDataObject {
  const merged = Object.entries({ ...body, ...extra });
  return Object.fromEntries(merged.filter(([name]) => extra[name] !== null));
}
