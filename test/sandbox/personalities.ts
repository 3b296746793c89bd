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

const NAMES_OF_IDS = {
  '/openapi/cert/update': 'cert_id',
  '/openapi/sign/update': 'signature_id',
  '/openapi/template/update': 'template_id',
};

/** "Required as a whole", says the specification, which can be read so. */
const FIELDS_OF_A_SIGNATURE = [
  ...['name', 'certification_id', 'apply_comment', 'brings_data', 'customer_call_url'],
  ...['more_data', 'signature_id', 'type', 'use'],
];

/** Their order is that of what they change in an answer: values first, then the shapes around them. */
const ROWS: [name: string, about: string, options: GatewayOptions][] = [
  // Guess: base-url
  ['prefix', 'address', { prefix: '/sms/v1', notFound: 'html' }],
  [
    'hmac-lines',
    'request signature',
    { signatureAlgorithm: 'hmacSha256', signaturePayload: PAYLOAD_OF_LINES },
  ],
  ['bearer-token', 'authorization header', { authorizationToken: 'Bearer sandbox-token-77' }],
  ['small-pages-refused', 'page size', { deviations: [differ.refuseMoreThan({ page_size: 20 })] }],
  ['small-pages-cut', 'page size', { maxPageSize: 7 }],
  ['small-pulls-refused', 'pulls', { deviations: [differ.refuseMoreThan({ count: 30 })] }],
  ['small-pulls-cut', 'pulls', { maxCount: 7 }],
  ['pulls-repeat', 'pulls', { consume: false }],
  [
    'few-recipients',
    'recipients',
    { deviations: [differ.refuseMoreThan({ messages: 10, phone_numbers: 10 })] },
  ],
  // Guess: required
  [
    'whole-signatures',
    'fields of a new signature',
    { deviations: [differ.requireAll('/openapi/sign/create', FIELDS_OF_A_SIGNATURE)] },
  ],
  // Guess: update-id
  ['update-ids', 'fields of updates', { deviations: [differ.updateIds(NAMES_OF_IDS)] }],
  // Guess: named-paths
  [
    'paths-elsewhere',
    'operations known by name only',
    {
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
  ],
  ['percent-marks', 'template parameters', { deviations: [differ.PERCENT_MARKS] }],
  ['empty-code', 'empty answers', { deviations: [differ.EMPTY_QUEUE_REFUSED] }],
  ['no-data', 'empty answers', { deviations: [differ.NO_EMPTY_DATA] }],
  ['records-under-data', 'shape of lists', { deviations: [differ.RECORDS_UNDER_DATA] }],
];

export const PERSONALITIES = ROWS.map(([name, about, options]): Personality => {
  return { name, about, options };
});

/** The options of a gateway with these personalities, each about something else. */
export function optionsOf(names: readonly string[]): GatewayOptions {
  const chosen = PERSONALITIES.filter(({ name }) => names.includes(name));
  return Object.assign({}, ...chosen.map(({ options }) => options), {
    deviations: chosen.flatMap(({ options }) => options.deviations ?? []),
  }) as GatewayOptions;
}
