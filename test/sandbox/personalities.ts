import type { GatewayOptions } from './options';
import * as differ from './deviations';

/**
 * Made-up SMS providers. Each differs from the contract in something that the specification does not show,
 * and otherwise follows it: in what a user can set, and in lists and pulls.
 */
export interface Personality {
  name: string;
  /** What it changes. Two personalities that change the same cannot be combined. */
  about: string;
  options: GatewayOptions;
}

const PAYLOAD_OF_LINES = '{method}\n{path}\n{timestamp}\n{nonce}\n{body}\n';

/** Their order is that of what they change in an answer: values first, then the shapes around them. */
export const PERSONALITIES: readonly Personality[] = [
  {
    // Guess: base-url
    name: 'prefix',
    about: 'address',
    options: { prefix: '/sms/v1', notFound: 'html' },
  },
  {
    // Guess: sign-lines
    name: 'hmac-lines',
    about: 'request signature',
    options: { signatureAlgorithm: 'hmacSha256', signaturePayload: PAYLOAD_OF_LINES },
  },
  {
    // Guess: token-form
    name: 'bearer-token',
    about: 'authorization header',
    options: { authorizationToken: 'Bearer sandbox-token-77' },
  },
  {
    name: 'small-pages-refused',
    about: 'page size',
    options: { deviations: [differ.refuseMoreThan({ page_size: 20 })] },
  },
  {
    name: 'small-pages-cut',
    about: 'page size',
    options: { maxPageSize: 7 },
  },
  {
    name: 'small-pulls-refused',
    about: 'pulls',
    options: { deviations: [differ.refuseMoreThan({ count: 30 })] },
  },
  {
    name: 'small-pulls-cut',
    about: 'pulls',
    options: { maxCount: 7 },
  },
  {
    name: 'pulls-repeat',
    about: 'pulls',
    options: { consume: false },
  },
  {
    name: 'few-recipients',
    about: 'recipients',
    options: { deviations: [differ.refuseMoreThan({ messages: 10, phone_numbers: 10 })] },
  },
  {
    // Guess: update-id
    name: 'update-ids',
    about: 'fields of updates',
    options: {
      deviations: [
        differ.updateIds({
          '/openapi/cert/update': 'cert_id',
          '/openapi/sign/update': 'signature_id',
          '/openapi/template/update': 'template_id',
        }),
      ],
    },
  },
  {
    // Guess: named-paths
    name: 'paths-elsewhere',
    about: 'operations known by name only',
    options: {
      inferredRoutes: false,
      pathAliases: {
        '/v3/manage/cert/create': '/openapi/cert/create',
        '/v3/manage/cert/update': '/openapi/cert/update',
        '/v3/manage/sign/info': '/openapi/sign/info',
        '/v3/manage/sign/update': '/openapi/sign/update',
        '/v3/manage/sign/delete': '/openapi/sign/delete',
        '/v3/manage/template/create': '/openapi/template/create',
        '/v3/manage/template/update': '/openapi/template/update',
        '/v3/manage/lead/delete': '/openapi/lead/delete',
      },
    },
  },
  {
    name: 'percent-marks',
    about: 'template parameters',
    options: { deviations: [differ.PERCENT_MARKS] },
  },
  {
    name: 'empty-code',
    about: 'empty answers',
    options: { deviations: [differ.EMPTY_QUEUE_REFUSED] },
  },
  {
    name: 'no-data',
    about: 'empty answers',
    options: { deviations: [differ.NO_EMPTY_DATA] },
  },
  {
    name: 'records-under-data',
    about: 'shape of lists',
    options: { deviations: [differ.RECORDS_UNDER_DATA] },
  },
];

/** The options of a gateway with these personalities, each about something else. */
export function optionsOf(names: readonly string[]): GatewayOptions {
  const chosen = PERSONALITIES.filter(({ name }) => names.includes(name));
  return Object.assign({}, ...chosen.map(({ options }) => options), {
    deviations: chosen.flatMap(({ options }) => options.deviations ?? []),
  }) as GatewayOptions;
}
