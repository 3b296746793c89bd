import { UserError } from 'n8n-workflow';
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Connection } from './connection';
import { computeSignature, createNonce } from './signing';

/** X-Sign of each request. n8n signs inside its request function, and returns only the answer. */
const signatures = new WeakMap<object, string>();

/** Returns X-Sign of a request; empty if n8n signed a copy of the request. */
export function signatureOf(request: IHttpRequestOptions): string {
  return signatures.get(request) ?? '';
}

/**
 * A redirect would carry the signed headers to another address. The last two names are those of n8n's
 * older request helper, which the HTTP Request node uses.
 */
const NO_REDIRECTS = {
  disableFollowRedirect: true,
  followRedirect: false,
  followAllRedirects: false,
};

/**
 * Returns a signed copy of a request: with the headers that the service requires, and with the signed
 * bytes as its body.
 *
 * @param request n8n's older request helper puts the address into `uri`
 * @throws UserError if the request goes to another origin than the credential's Base URL. A host that the
 * owner of the credential did not choose must not get the API key or a request signature.
 */
export function signRequest(
  connection: Connection,
  request: IHttpRequestOptions & { uri?: string },
): IHttpRequestOptions {
  const { origin } = connection.baseUrl;
  const address = request.url ?? request.uri ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.origin !== origin) {
    const target = url?.origin ?? 'no web address';
    throw new UserError(`The request goes to ${target}, but the credential is for ${origin}`, {
      description: "Use an address under the credential's Base URL.",
    });
  }
  const body = bodyText(request.body);
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const nonce = createNonce();
  const signature = computeSignature(connection.signaturePayload, connection.signatureAlgorithm, {
    apiKey: connection.apiKey,
    apiSecret: connection.apiSecret,
    timestamp,
    nonce,
    method: (request.method ?? 'GET').toUpperCase(),
    path: url.pathname,
    body,
  });
  signatures.set(request, signature);
  return {
    ...request,
    // As bytes: n8n parses and trims text, and drops an empty object together with its Content-Type,
    // which the service requires on every request.
    body: Buffer.from(body),
    ...NO_REDIRECTS,
    headers: {
      ...request.headers,
      'Content-Type': 'application/json',
      'X-Api-Key': connection.apiKey,
      'X-Timestamp': timestamp,
      'X-Nonce': nonce,
      'X-Sign': signature,
    },
  };
}

function bodyText(body: IHttpRequestOptions['body']): string {
  if (typeof body === 'string') return body;
  return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? {});
}
