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
  /** The change to the contract, as a sentence. */
  says: string;
  options: GatewayOptions;
}

const PAYLOAD_OF_LINES = '{method}\n{path}\n{timestamp}\n{nonce}\n{body}\n';

/** Their order is that of what they change in an answer: values first, then the shapes around them. */
export const PERSONALITIES: readonly Personality[] = [
  {
    // Guess: base-url
    name: 'prefix',
    about: 'address',
    says: 'All paths begin with /sms/v1.',
    options: { prefix: '/sms/v1', notFound: 'html' },
  },
  {
    // Guess: sign-lines
    name: 'hmac-lines',
    about: 'request signature',
    says: 'X-Sign is an HMAC over method, path, timestamp, nonce and body, each on its own line.',
    options: { signatureAlgorithm: 'hmacSha256', signaturePayload: PAYLOAD_OF_LINES },
  },
  {
    // Guess: token-form
    name: 'bearer-token',
    about: 'authorization header',
    says: 'Create signature wants a header authorization with "Bearer" in front of the token.',
    options: { authorizationToken: 'Bearer sandbox-token-77' },
  },
  {
    name: 'small-pages-refused',
    about: 'page size',
    says: 'A page_size above 20 is refused.',
    options: { deviations: [differ.refuseMoreThan({ page_size: 20 })] },
  },
  {
    name: 'small-pages-cut',
    about: 'page size',
    says: 'A page has at most 7 records, whatever its page_size.',
    options: { maxPageSize: 7 },
  },
  {
    name: 'small-pulls-refused',
    about: 'pulls',
    says: 'A count above 30 is refused.',
    options: { deviations: [differ.refuseMoreThan({ count: 30 })] },
  },
  {
    name: 'small-pulls-cut',
    about: 'pulls',
    says: 'A pull gives at most 7 records, whatever its count.',
    options: { maxCount: 7 },
  },
  {
    name: 'pulls-repeat',
    about: 'pulls',
    says: 'A pull leaves its records in the queue.',
    options: { consume: false },
  },
  {
    name: 'few-recipients',
    about: 'recipients',
    says: 'A send with more than 10 recipients is refused.',
    options: { deviations: [differ.refuseMoreThan({ messages: 10, phone_numbers: 10 })] },
  },
  {
    // Guess: update-id
    name: 'update-ids',
    about: 'fields of updates',
    says: 'An update names its record cert_id, signature_id or template_id, and refuses id.',
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
    says: 'The operations that the specification only names are under /v3/manage.',
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
    says: 'The parameters of a template are written as %name%.',
    options: { deviations: [differ.PERCENT_MARKS] },
  },
  {
    name: 'empty-code',
    about: 'empty answers',
    says: 'A pull answers with code 2013 where there are no records.',
    options: { deviations: [differ.EMPTY_QUEUE_REFUSED] },
  },
  {
    name: 'no-data',
    about: 'empty answers',
    says: 'An answer without records has no data at all.',
    options: { deviations: [differ.NO_EMPTY_DATA] },
  },
  {
    name: 'records-under-data',
    about: 'shape of lists',
    says: 'The records of a list stand directly under data, with total beside it.',
    options: { deviations: [differ.RECORDS_UNDER_DATA] },
  },
];

/**
 * Returns the options of a gateway with these personalities.
 *
 * @throws Error if a name is unknown, or if two of them change the same
 */
export function optionsOf(names: readonly string[]): GatewayOptions {
  const unknown = names.find((name) => !PERSONALITIES.some((known) => known.name === name));
  if (unknown !== undefined) {
    const known = PERSONALITIES.map(({ name }) => name).join(', ');
    throw new Error(`there is no personality ${unknown}; there are ${known}`);
  }
  const chosen = PERSONALITIES.filter(({ name }) => names.includes(name));
  for (const { name, about } of chosen) {
    const other = chosen.find((each) => each.about === about && each.name !== name);
    if (other) throw new Error(`${name} excludes ${other.name}: both are about the ${about}`);
  }
  return Object.assign({}, ...chosen.map(({ options }) => options), {
    deviations: chosen.flatMap(({ options }) => options.deviations ?? []),
  }) as GatewayOptions;
}
