import type { GatewayOptions } from './options';
import * as differ from './deviations';

/**
 * Made-up SMS providers. Each differs from the contract in something that the specification does not
 * show, and otherwise follows it.
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

/**
 * Their order is that of what they change in an answer: values first, then the shapes around them, then
 * the JSON text.
 */
export const PERSONALITIES: readonly Personality[] = [
  {
    // Guess: base-url
    name: 'prefix',
    about: 'address',
    says: 'All paths begin with /sms/v1.',
    options: { prefix: '/sms/v1', notFound: 'html' },
  },
  {
    name: 'redirect',
    about: 'address',
    says: 'The service has moved to paths that begin with /v2, and redirects all others there.',
    options: { prefix: '/v2', outsidePrefix: 'redirect' },
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
    // Guess: first-page
    name: 'pages-from-zero',
    about: 'page number',
    says: 'Pages count from 0.',
    options: { deviations: [differ.PAGES_FROM_ZERO] },
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
    name: 'paths-missing',
    about: 'operations known by name only',
    says: 'There are no operations but those whose path the specification shows.',
    options: { inferredRoutes: false },
  },
  {
    name: 'percent-marks',
    about: 'template parameters',
    says: 'The parameters of a template are written as %name%.',
    options: { deviations: [differ.PERCENT_MARKS] },
  },
  {
    name: 'times-in-milliseconds',
    about: 'time',
    says: 'time is in milliseconds.',
    options: { deviations: [differ.timesAs('milliseconds')] },
  },
  {
    name: 'times-as-text',
    about: 'time',
    says: 'time is text, such as "1767225600".',
    options: { deviations: [differ.timesAs('text')] },
  },
  {
    name: 'times-as-dates',
    about: 'time',
    says: 'time is a date, such as "2026-01-01T00:00:00+00:00".',
    options: { deviations: [differ.timesAs('date')] },
  },
  {
    name: 'times-without-zone',
    about: 'time',
    says: 'time is a date without its time zone, such as "2026-01-01 08:00:00". There is no time_iso then.',
    options: { deviations: [differ.timesAs('localDate')] },
  },
  {
    name: 'nulls',
    about: 'empty texts',
    says: 'A text that is empty comes as null.',
    options: { deviations: [differ.NULL_FOR_EMPTY] },
  },
  {
    // Guess: more-fields
    name: 'more-fields',
    about: 'fields of records',
    says: 'Records and receipts have fields beyond the specification.',
    options: { deviations: [differ.MORE_FIELDS] },
  },
  {
    name: 'text-codes',
    about: 'code',
    says: 'code is text, such as "0".',
    options: { deviations: [differ.CODE_AS_TEXT] },
  },
  {
    name: 'http-201',
    about: 'HTTP status',
    says: 'A success has HTTP status 201.',
    options: { deviations: [differ.successStatus(201)] },
  },
  {
    name: 'empty-code',
    about: 'empty answers',
    says: 'A pull answers with code 2013 where there are no records.',
    options: { deviations: [differ.EMPTY_QUEUE_REFUSED] },
  },
  {
    name: 'null-data',
    about: 'empty answers',
    says: 'An answer without records has data: null, and so has a refusal.',
    options: { deviations: [differ.noEmptyData('null')] },
  },
  {
    name: 'no-data',
    about: 'empty answers',
    says: 'An answer without records has no data at all.',
    options: { deviations: [differ.noEmptyData('absent')] },
  },
  {
    name: 'records-under-data',
    about: 'shape of lists',
    says: 'The records of a list stand directly under data, with total beside it.',
    options: { deviations: [differ.RECORDS_UNDER_DATA] },
  },
  {
    name: 'records-renamed',
    about: 'shape of lists',
    says: 'The records of lists and pulls stand under data, with the name records.',
    options: { deviations: [differ.RECORDS_RENAMED] },
  },
  {
    // Guess: balance-place, receipt
    name: 'enveloped',
    about: 'shape of lists',
    says: 'Every answer is { code, msg, data }: also receipts, created records, the balance and deletions.',
    options: { deviations: [differ.ENVELOPED] },
  },
  {
    // Guess: refusal
    name: 'errors-nested',
    about: 'shape of refusals',
    says: 'A refusal stands in an array in an array.',
    options: { deviations: [differ.ERRORS_NESTED] },
  },
  {
    name: 'text-numbers',
    about: 'numbers',
    says: 'IDs and other numbers in answers are text, such as "301".',
    options: { deviations: [differ.NUMBERS_AS_TEXT] },
  },
  {
    // Guess: long-ids
    name: 'long-numbers',
    about: 'numbers',
    says: 'IDs and batch_id are numbers of 19 digits, beyond 2⁵³.',
    options: { deviations: [differ.LONG_NUMBERS] },
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
