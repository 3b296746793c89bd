import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import {
  computeSignature,
  createNonce,
  createTimestamp,
  DEFAULT_SIGNATURE_PAYLOAD,
} from './signing';
import type { SignatureAlgorithm } from './signing';
import { SecretMask } from './secrets';

export const CREDENTIAL_TYPE = 'smsMessagingServiceApi';

/** Path of the one operation that shows the `authorization` header (§4.6, §5). */
export const CREATE_SIGNATURE_PATH = '/openapi/sign/create';

/** A checked credential: where the service is, and how to sign for it. */
export interface Connection {
  baseUrl: URL;
  apiKey: string;
  apiSecret: string;
  signaturePayload: string;
  signatureAlgorithm: SignatureAlgorithm;
  authorizationToken: string;
}

/**
 * Checks the fields of the credential.
 *
 * @throws UserError with a description of the way out, when a field is missing or unusable. Neither
 * text ever contains a key, secret or token.
 */
export function readConnection(data: ICredentialDataDecryptedObject): Connection {
  const text = (field: string) => {
    const value = data[field];
    return typeof value === 'string' ? value.trim() : '';
  };
  const baseUrl = readBaseUrl(text('baseUrl'), data.allowHttp === true);
  return {
    baseUrl,
    apiKey: requireHeaderValue('API Key', text('apiKey')),
    apiSecret: requireValue('API Secret', text('apiSecret')),
    signaturePayload: text('signaturePayload') || DEFAULT_SIGNATURE_PAYLOAD,
    signatureAlgorithm: data.signatureAlgorithm === 'hmacSha256' ? 'hmacSha256' : 'sha256',
    authorizationToken: text('authorizationToken')
      ? requireHeaderValue('Authorization Token', text('authorizationToken'))
      : '',
  };
}

/** The address of an operation: the base URL, with any prefix it has, and the operation's path. */
export function endpointUrl(connection: Connection, path: string): string {
  const prefix = connection.baseUrl.pathname.replace(/\/+$/, '');
  return connection.baseUrl.origin + prefix + path;
}

/** Hides all that the credential holds. */
export function credentialMask({ apiKey, apiSecret, authorizationToken }: Connection): SecretMask {
  return new SecretMask([apiKey, apiSecret, authorizationToken]);
}

/** X-Sign of each request under way: n8n signs inside its request function and gives only the answer. */
const signatures = new WeakMap<object, string>();

/** X-Sign of a request; empty where n8n signed a copy of it. */
export function signatureOf(request: IHttpRequestOptions): string {
  return signatures.get(request) ?? '';
}

/**
 * A redirect would carry the signed headers to wherever it points. The last two are how n8n's older
 * request helper says it, which the HTTP Request node uses.
 */
const NO_REDIRECTS = {
  disableFollowRedirect: true,
  followRedirect: false,
  followAllRedirects: false,
};

/**
 * Adds the headers of §5 to a request and fixes the body to the very bytes that are signed.
 *
 * @throws UserError when the request goes to another origin than the credential's base URL: the key
 * and a signature must not leave for a host that the owner of the credential did not choose.
 */
export function signRequest(
  connection: Connection,
  request: IHttpRequestOptions,
): IHttpRequestOptions {
  const url = requestUrl(request);
  if (url.origin !== connection.baseUrl.origin) {
    throw new UserError(
      `The request goes to ${url.host}, but the credential is for ${connection.baseUrl.host}`,
      { description: "Use an address under the credential's Base URL." },
    );
  }
  const body = bodyText(request.body);
  const timestamp = createTimestamp();
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
  const isCreateSignature = url.href === endpointUrl(connection, CREATE_SIGNATURE_PATH);
  return {
    ...request,
    // As bytes: text would be parsed once more and trimmed on its way, and an empty object dropped
    // together with its Content-Type, which §5 wants on every request.
    body: Buffer.from(body),
    ...NO_REDIRECTS,
    headers: {
      ...request.headers,
      'Content-Type': 'application/json',
      'X-Api-Key': connection.apiKey,
      'X-Timestamp': timestamp,
      'X-Nonce': nonce,
      'X-Sign': signature,
      ...(isCreateSignature && connection.authorizationToken
        ? { authorization: connection.authorizationToken }
        : {}),
    },
  };
}

function bodyText(body: IHttpRequestOptions['body']): string {
  if (typeof body === 'string') return body;
  return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? {});
}

function readBaseUrl(text: string, allowHttp: boolean): URL {
  if (text === '') {
    throw new UserError('The credential has no Base URL', {
      description:
        'Enter the address that the platform operator gave you, e.g. https://sms.example.com.',
    });
  }
  if (!URL.canParse(text)) {
    throw new UserError("The credential's Base URL is not a web address", {
      description: 'It must start with https:// and name a host, e.g. https://sms.example.com.',
    });
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UserError("The credential's Base URL must start with https://", {
      description: `It starts with ${url.protocol}//, which the service cannot be reached by.`,
    });
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new UserError("The credential's Base URL has parts that do not belong there", {
      description: 'Remove user name, password, "?" and "#"; a path such as /sms may stay.',
    });
  }
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new UserError("The credential's Base URL uses plain http", {
      description:
        'Anybody on the way could read the phone numbers and messages. Use https://, or switch on "Allow HTTP" in the credential if the network is your own.',
    });
  }
  return url;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function requireValue(displayName: string, value: string): string {
  if (value === '') {
    throw new UserError(`The credential has no ${displayName}`, {
      description: `Enter the ${displayName} that the platform operator gave you.`,
    });
  }
  return value;
}

function requireHeaderValue(displayName: string, value: string): string {
  if (!/^[\x20-\x7e]*$/.test(value)) {
    throw new UserError(
      `The credential's ${displayName} has characters that a header cannot carry`,
      {
        description:
          'Only plain letters, digits and signs are possible. Copy it again, without line breaks.',
      },
    );
  }
  return requireValue(displayName, value);
}

/** @param request the address is in `uri` when it comes from n8n's older request helper */
function requestUrl(request: IHttpRequestOptions & { uri?: string }): URL {
  const target = request.url ?? request.uri ?? '';
  const isAbsolute = /^[a-z][a-z\d+.-]*:\/\//i.test(target);
  const base = (request.baseURL ?? '').replace(/\/+$/, '');
  const address = isAbsolute || !base ? target : `${base}/${target.replace(/^\/+/, '')}`;
  if (!URL.canParse(address)) {
    throw new UserError('The address of the request is not a web address', {
      description: "Use an address under the credential's Base URL.",
    });
  }
  return new URL(address);
}
