import { UserError } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { readResultCodes } from './resultCodes';
import type { ResultCodes } from './resultCodes';
import { SecretMask } from './secrets';
import { DEFAULT_SIGNATURE_PAYLOAD } from './signing';
import type { SignatureAlgorithm } from './signing';

export const CREDENTIAL_TYPE = 'smsMessagingServiceApi';

export const CREDENTIAL_LABELS = {
  baseUrl: 'Base URL',
  apiKey: 'API Key',
  apiSecret: 'API Secret',
  authorizationToken: 'Authorization Token',
  allowHttp: 'Allow HTTP',
};

export interface Connection {
  baseUrl: URL;
  apiKey: string;
  apiSecret: string;
  signaturePayload: string;
  signatureAlgorithm: SignatureAlgorithm;
  /** Empty if the credential has none. */
  authorizationToken: string;
  resultCodes: ResultCodes;
}

/**
 * Checks the fields of the credential.
 *
 * @throws UserError if a field is missing or cannot be used. Its text says what to do, and contains no
 * key, secret or token.
 */
export function readConnection(data: ICredentialDataDecryptedObject): Connection {
  const text = (field: string) => {
    const value = data[field];
    return typeof value === 'string' ? value.trim() : '';
  };
  const isCustom = data.customSigning === true;
  return {
    baseUrl: readBaseUrl(requireValue('baseUrl', text('baseUrl')), data.allowHttp === true),
    apiKey: requireValue('apiKey', requireHeaderValue('apiKey', text('apiKey'))),
    apiSecret: requireValue('apiSecret', text('apiSecret')),
    signaturePayload: (isCustom && text('signaturePayload')) || DEFAULT_SIGNATURE_PAYLOAD,
    signatureAlgorithm:
      isCustom && data.signatureAlgorithm === 'hmacSha256' ? 'hmacSha256' : 'sha256',
    authorizationToken: requireHeaderValue('authorizationToken', text('authorizationToken')),
    resultCodes: readResultCodes(data),
  };
}

export function endpointUrl(connection: Connection, path: string): string {
  const { baseUrl } = connection;
  return baseUrl.origin + prefixOf(baseUrl) + path;
}

/** Returns the path of the Base URL, without slashes at its end. */
export function prefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/** @param signature X-Sign of the request that was answered */
export function credentialMask(
  { apiKey, apiSecret, authorizationToken }: Connection,
  signature = '',
): SecretMask {
  // A service may quote the token without the `Bearer` before it.
  const tokens = [authorizationToken, authorizationToken.replace(/^.* /, '')];
  return new SecretMask([apiSecret, ...tokens], apiKey, signature);
}

function readBaseUrl(text: string, allowHttp: boolean): URL {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) {
    throw new UserError("The credential's Base URL is not a web address", {
      description: 'It must start with https:// and name a host, e.g. https://sms.example.com.',
    });
  }
  const url = new URL(text);
  const { protocol, username, password, search, hash } = url;
  if (username + password + search + hash !== '') {
    throw new UserError("The credential's Base URL has parts that do not belong there", {
      description: 'Remove user name, password, "?" and "#"; a path such as /sms may stay.',
    });
  }
  const isLoopback = /^(localhost|\[::1\]|127(\.\d+){3})$/.test(url.hostname);
  if (protocol === 'http:' && !allowHttp && !isLoopback) {
    throw new UserError("The credential's Base URL uses plain http", {
      description: `Phone numbers and messages would travel unencrypted. Use https://, or switch on '${CREDENTIAL_LABELS.allowHttp}' in the credential if the network is your own.`,
    });
  }
  return url;
}

function requireValue(field: keyof typeof CREDENTIAL_LABELS, value: string): string {
  if (value !== '') return value;
  throw new UserError(`The credential has no ${CREDENTIAL_LABELS[field]}`, {
    description: `Enter the ${CREDENTIAL_LABELS[field]} that your SMS provider gave you.`,
  });
}

function requireHeaderValue(field: keyof typeof CREDENTIAL_LABELS, value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  throw new UserError(
    `The credential's ${CREDENTIAL_LABELS[field]} has characters that a header cannot carry`,
    {
      description:
        'Only plain letters, digits and signs are possible. Copy it again, without line breaks.',
    },
  );
}
