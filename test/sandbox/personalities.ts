import { CODES, Refusal } from './codes';
import type { Answer } from './http';
import type { Deviation, GatewayOptions } from './options';
import type { Paged } from './records';

type Fields = Record<string, unknown>;

const isOfTemplates = (path: string) => path.startsWith('/openapi/template/');

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a body without the lists around its page. */
function unnest(body: unknown): unknown {
  let inner = body;
  while (Array.isArray(inner)) [inner] = inner as unknown[];
  return inner;
}

/** Replaces an answer that is an object, whatever lists are around it. Undefined leaves it as it is. */
function changeBody(answer: Answer, change: (body: Fields) => unknown): Answer {
  const body = unnest(answer.body);
  return { ...answer, body: (isObject(body) ? change(body) : undefined) ?? answer.body };
}

/** Refuses a request with more than this number of records, messages or phone numbers. */
function refuseMoreThan(limits: {
  page_size?: number;
  count?: number;
  messages?: number;
  phone_numbers?: number;
}): Deviation {
  return {
    request: (_path, json) => {
      const body = JSON.parse(json) as Fields;
      for (const [name, limit] of Object.entries(limits)) {
        const value = body[name];
        const asked = Array.isArray(value) ? value.length : Number(value ?? 0);
        if (asked > limit) throw new Refusal(CODES.tooMany, `超出上限 (${name}: at most ${limit})`);
      }
      return json;
    },
  };
}

/** Records are directly under `data`. */
const RECORDS_UNDER_DATA: Deviation = {
  answer: (_path, answer) =>
    changeBody(answer, (body) => {
      const { list, total } = (isObject(body.data) ? body.data : body) as Partial<Paged>;
      return list && { code: 0, msg: 'success', data: list, total };
    }),
};

/** Refuses a request to a path that has not all of these fields. */
function requireAll(at: string, names: string[]): Deviation {
  return {
    request: (path, json) => {
      const missing = names.filter((name) => !Object.hasOwn(JSON.parse(json) as Fields, name));
      if (path !== at || missing.length === 0) return json;
      throw new Refusal(CODES.badBody, `参数错误 (body: ${missing.join(', ')} missing)`);
    },
  };
}

/** The ID of a record in an update has another name: path → name. */
function updateIds(names: Record<string, string>): Deviation {
  return {
    request: (path, json) => {
      const name = names[path];
      if (name === undefined) return json;
      const { [name]: id, ...body } = JSON.parse(json) as Fields;
      if ('id' in body || id === undefined) {
        throw new Refusal(CODES.badBody, `参数错误 (body: ${name} is the ID, and id is unknown)`);
      }
      return JSON.stringify({ ...body, id });
    },
  };
}

/** Parameters of templates are written as `%name%`. */
const PERCENT_MARKS: Deviation = {
  request: (path, json) => (isOfTemplates(path) ? json.replace(/%(\w+)%/g, '$${$1}') : json),
  answer: (path, answer) => {
    if (!isOfTemplates(path) || answer.body === undefined) return answer;
    const json = JSON.stringify(answer.body).replace(/\$\{(\w+)\}/g, '%$1%');
    return { ...answer, body: JSON.parse(json) as unknown };
  },
};

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

/**
 * Made-up SMS providers, by name. Each differs from the contract in something that the specification does not show,
 * and otherwise follows it. Their order is that of what they change in an answer: values first, then the shapes around
 * them.
 */
export const PERSONALITIES: Record<string, GatewayOptions> = {
  // Guess: base-url
  prefix: { prefix: '/sms/v1', notFound: 'html' },
  'hmac-lines': { signatureAlgorithm: 'hmacSha256', signaturePayload: PAYLOAD_OF_LINES },
  'bearer-token': { authorizationToken: 'Bearer sandbox-token-77' },
  'small-pages-refused': { deviations: [refuseMoreThan({ page_size: 20 })] },
  'small-pulls-refused': { deviations: [refuseMoreThan({ count: 30 })] },
  'few-recipients': { deviations: [refuseMoreThan({ messages: 10, phone_numbers: 10 })] },
  // Guess: required
  'whole-signatures': { deviations: [requireAll('/openapi/sign/create', FIELDS_OF_A_SIGNATURE)] },
  // Guess: update-id
  'update-ids': { deviations: [updateIds(NAMES_OF_IDS)] },
  // Guess: named-paths
  'paths-elsewhere': {
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
  'percent-marks': { deviations: [PERCENT_MARKS] },
  'records-under-data': { deviations: [RECORDS_UNDER_DATA] },
};

/** The options of a gateway with all of these personalities. */
export function optionsOf(names: readonly string[]): GatewayOptions {
  const chosen = Object.keys(PERSONALITIES).filter((name) => names.includes(name));
  const options = chosen.map((name) => PERSONALITIES[name]);
  return Object.assign({}, ...options, {
    deviations: options.flatMap((each) => each?.deviations ?? []),
  }) as GatewayOptions;
}
