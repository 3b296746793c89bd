import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestOptions,
  INodeProperties,
} from 'n8n-workflow';
import { CREDENTIAL_LABELS, readConnection } from '../nodes/SmsMessagingService/service/connection';
import {
  CODE_LISTS,
  CUSTOM_CODES,
  NO_FIELD,
  OTHER_CODES,
} from '../nodes/SmsMessagingService/service/resultCodes';
import { signRequest } from '../nodes/SmsMessagingService/service/signedRequest';
import { DEFAULT_SIGNATURE_PAYLOAD } from '../nodes/SmsMessagingService/service/signing';

/**
 * An account of the SMS platform. The function `testConnection` tests it (`testedBy`), and says why a
 * `test` request would not do.
 */
export class SmsMessagingServiceApi implements ICredentialType {
  name = 'smsMessagingServiceApi';

  displayName = 'SMS Messaging Service API';

  /** The build puts the address of the repository here, as package.json has it. */
  documentationUrl = 'https://repository.invalid/docs/run/provider.md';

  icon = {
    light: 'file:../icons/smsMessagingService.svg',
    dark: 'file:../icons/smsMessagingService.dark.svg',
  } as const;

  properties: INodeProperties[] = [
    {
      displayName: CREDENTIAL_LABELS.baseUrl,
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://sms.example.com',
      description:
        'Address of the service, as given by your SMS provider. A path prefix may follow the host.',
    },
    {
      displayName: CREDENTIAL_LABELS.apiKey,
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Sent with every request as X-Api-Key',
    },
    {
      displayName: CREDENTIAL_LABELS.apiSecret,
      name: 'apiSecret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Used to sign every request. It is never sent.',
    },
    {
      displayName: CREDENTIAL_LABELS.allowHttp,
      name: 'allowHttp',
      type: 'boolean',
      default: false,
      description: `Whether to accept a '${CREDENTIAL_LABELS.baseUrl}' with plain http. Phone numbers and messages then travel unencrypted. This machine itself (localhost) is always accepted.`,
    },
    {
      displayName: 'Custom Request Signing',
      name: 'customSigning',
      type: 'boolean',
      default: false,
      description:
        'Whether to sign requests in another way than with SHA-256 of API key, API secret, timestamp and nonce',
    },
    {
      displayName: 'Request Signing Algorithm',
      name: 'signatureAlgorithm',
      type: 'options',
      default: 'sha256',
      options: [
        { name: 'HMAC-SHA-256 (Key: API Secret)', value: 'hmacSha256' },
        { name: 'SHA-256', value: 'sha256' },
      ],
      description: 'How X-Sign is computed',
      displayOptions: { show: { customSigning: [true] } },
    },
    {
      displayName: 'Request Signing Template',
      name: 'signaturePayload',
      type: 'string',
      default: DEFAULT_SIGNATURE_PAYLOAD,
      placeholder: `e.g. ${DEFAULT_SIGNATURE_PAYLOAD}`,
      description:
        'Text that is signed. Placeholders: {apiKey} {apiSecret} {timestamp} {nonce} {method} {path} {body}; \\n is a line break.',
      displayOptions: { show: { customSigning: [true] } },
    },
    {
      displayName: CUSTOM_CODES,
      name: 'customResultCodes',
      type: 'boolean',
      default: false,
      description: `Whether to enter what the codes in the service's answers mean. Otherwise ${CODE_LISTS.success.default} is success, ${CODE_LISTS.empty.default} nothing to pull, ${CODE_LISTS.throttled.default} too fast, and ${CODE_LISTS.unclear.default} unclear. Any other code is a rejection.`,
    },
    codeList('success', 'What was asked was done. Separate codes with commas.'),
    codeList(
      'empty',
      `There are no delivery reports or replies to pull. Separate codes with commas. The word ${NO_FIELD} stands for an answer without any field, {}.`,
    ),
    codeList(
      'throttled',
      'Requests come too fast, and this one did nothing. It is sent again after a pause: if a code here means something else, messages are sent and paid twice. Separate codes with commas.',
    ),
    codeList(
      'unclear',
      'The service broke down and may have sent: such messages become unknown, and are not sent again. Separate codes with commas.',
    ),
    {
      displayName: OTHER_CODES.label,
      name: OTHER_CODES.field,
      type: 'options',
      default: OTHER_CODES.default,
      options: Object.entries(OTHER_CODES.choices)
        .map(([value, name]) => ({ name, value }))
        .sort((a, b) => a.name.localeCompare(b.name)),
      description:
        'What a code in none of these lists means to a send. Pulls and other operations fail with it.',
      displayOptions: { show: { customResultCodes: [true] } },
    },
    {
      displayName: CREDENTIAL_LABELS.authorizationToken,
      name: 'authorizationToken',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description:
        'Only to create signatures, and only if your SMS provider gave you one. It is sent as it is, so enter Bearer in front if the manual shows that.',
    },
  ];

  /** Signs a request. n8n calls it for each request with this credential, of any node. */
  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    requestOptions: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> {
    return signRequest(readConnection(credentials), requestOptions);
  }
}

/** The field with the codes of one meaning. It shows what holds while the switch is off, too. */
function codeList(meaning: keyof typeof CODE_LISTS, description: string): INodeProperties {
  const { field, label, default: usual } = CODE_LISTS[meaning];
  return {
    displayName: label,
    name: field,
    type: 'string',
    default: usual,
    placeholder: `e.g. ${usual}`,
    description,
    displayOptions: { show: { customResultCodes: [true] } },
  };
}
