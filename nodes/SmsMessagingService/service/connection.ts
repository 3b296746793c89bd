import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { readResultCodes } from './reading/resultCodes';
import type { ResultCodes } from './reading/resultCodes';
import { SecretMask } from './secrets';
import { DEFAULT_SIGNATURE_PAYLOAD } from './signing';
import type { SignatureAlgorithm } from './signing';

export const CREDENTIAL_TYPE = 'smsMessagingServiceApi';

/** The label of a field of the credential that errors name. */
export const ALLOW_HTTP = 'Allow HTTP';

/** Create signature: the only operation that is shown with an `authorization` header. */
export const CREATE_SIGNATURE_PATH = '/openapi/sign/create';

/** A checked credential: where the service is, and how to sign for it. */
export interface Connection {
  baseUrl: URL;
  apiKey: string;
  apiSecret: string;
  signaturePayload: string;
  signatureAlgorithm: SignatureAlgorithm;
  authorizationToken: string;
  resultCodes: ResultCodes;
}

/**
 * Checks the fields of the credential.
 *
 * @throws UserError that says what to do, when a field is missing or cannot be used. It contains no key,
 * secret or token.
 */
export function readConnection(data: ICredentialDataDecryptedObject): Connection {
  const text = (field: string) => {
    const value = data[field];
    return typeof value === 'string' ? value.trim() : '';
  };
  // n8n leaves out the values behind a switch that is off, but not where an expression turns it off.
  const isStandard = data.customSigning === false;
  const baseUrl = readBaseUrl(text('baseUrl'), data.allowHttp === true);
  return {
    baseUrl,
    apiKey: requireHeaderValue('API Key', text('apiKey')),
    apiSecret: requireValue('API Secret', text('apiSecret')),
    signaturePayload: (!isStandard && text('signaturePayload')) || DEFAULT_SIGNATURE_PAYLOAD,
    signatureAlgorithm:
      !isStandard && data.signatureAlgorithm === 'hmacSha256' ? 'hmacSha256' : 'sha256',
    authorizationToken: text('authorizationToken')
      ? requireHeaderValue('Authorization Token', text('authorizationToken'))
      : '',
    resultCodes: readResultCodes(data),
  };
}

/** The address of an operation: the Base URL with its path prefix, and the operation's path. */
export function endpointUrl(connection: Connection, path: string): string {
  const { baseUrl } = connection;
  return baseUrl.origin + prefixOf(baseUrl) + path;
}

/** The path of the Base URL, without a slash at its end. */
export function prefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/** Hides the secrets of the credential, and its key in errors. */
export function credentialMask({ apiKey, apiSecret, authorizationToken }: Connection): SecretMask {
  return new SecretMask([apiSecret, authorizationToken], apiKey);
}

function readBaseUrl(text: string, allowHttp: boolean): URL {
  if (text === '') {
    throw new UserError('The credential has no Base URL', {
      description:
        'Enter the address that your SMS provider gave you, e.g. https://sms.example.com.',
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
      description: `Anybody on the way could read the phone numbers and messages. Use https://, or switch on "${ALLOW_HTTP}" in the credential if the network is your own.`,
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
      description: `Enter the ${displayName} that your SMS provider gave you.`,
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
