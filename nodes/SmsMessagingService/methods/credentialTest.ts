import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  IHttpRequestOptions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { unreplaced } from '../n8n/errors';
import { balanceIn, getBalance } from '../resources/balance';
import { adviceOn } from '../service/advice';
import { readAnswer } from '../service/answer';
import type { Exchange, RawAnswer } from '../service/answer';
import { credentialMask, endpointUrl, readConnection } from '../service/connection';
import { readNetworkFailure } from '../service/networkFailure';
import { sentences } from '../service/sentences';
import { signatureOf, signRequest } from '../service/signedRequest';

const TIMEOUT_MS = 15_000;

/**
 * Tests a credential by reading the balance, with a time limit of 15 seconds. It is a function because the
 * rules of a `test` request can neither fail on every `code` other than 0 nor show the service's own text.
 */
export async function testConnection(
  this: ICredentialTestFunctions,
  { data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const exchange = await queryBalance(this.helpers, data ?? {});
    if (exchange.kind !== 'answered') {
      // A key that is wrong gets no balance.
      const arrived = balanceIn(exchange.body) === undefined ? undefined : 'balance';
      return failed(exchange.reason, adviceOn(exchange, { task: 'account', arrived }));
    }
    // Throws if the answer is not a balance.
    getBalance.records(exchange.body);
    return { status: 'OK', message: 'Connection successful' };
  } catch (error) {
    // Only our own checks throw here. Their texts contain no secrets.
    const { message, description } = error as { message: string; description?: string };
    return failed(message, description);
  }
}

function failed(...texts: (string | undefined)[]): INodeCredentialTestResult {
  return { status: 'Error', message: unreplaced(sentences(...texts)) };
}

async function queryBalance(
  helpers: ICredentialTestFunctions['helpers'],
  data: NonNullable<ICredentialsDecrypted['data']>,
): Promise<Exchange> {
  const connection = readConnection(data);
  const url = endpointUrl(connection, getBalance.endpoint.path);
  const request: IHttpRequestOptions = { method: 'POST', url };
  const signed = signRequest(connection, request);
  try {
    // The only request function that n8n offers to a credential test.
    const answer: unknown = await helpers.request({
      ...signed,
      // As bytes.
      encoding: null,
      timeout: TIMEOUT_MS,
      simple: false,
      resolveWithFullResponse: true,
    });
    const mask = credentialMask(connection, signatureOf(request));
    const codes = connection.resultCodes;
    return readAnswer(answer as RawAnswer, { purpose: 'other', mask, codes });
  } catch (error) {
    return readNetworkFailure(error, TIMEOUT_MS);
  }
}
