import { CODES, Refusal } from './codes';
import type { Answer } from './http';
import type { Paged } from './records';

/**
 * One way in which an SMS provider reads what the specification does not show. The sandbox itself works
 * by the contract: a deviation translates between the two.
 */
export interface Deviation {
  /**
   * Turns the body of a request, as JSON text, into one of the contract.
   *
   * @throws Refusal if this provider refuses the request
   */
  request?: (path: string, json: string) => string;
  /** Turns an answer of the contract into this provider's. */
  answer?: (path: string, answer: Answer) => Answer;
}

type Fields = Record<string, unknown>;

// --- Limits ---

/** Refuses a request with more than this number of records, messages or phone numbers. */
export function refuseMoreThan(limits: {
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

// --- Shapes of answers ---

/** Records are directly under `data`. */
export const RECORDS_UNDER_DATA: Deviation = {
  answer: (_path, answer) =>
    changeBody(answer, (body) => {
      const { list, total } = (isObject(body.data) ? body.data : body) as Partial<Paged>;
      return list && { code: 0, msg: 'success', data: list, total };
    }),
};

/** An answer without records has no data. */
export const NO_EMPTY_DATA: Deviation = {
  answer: (_path, answer) =>
    changeBody(answer, ({ data, ...rest }) => {
      const records = Array.isArray(data) ? data : ((data ?? rest) as Partial<Paged>).list;
      const { code = 0, msg = 'success' } = rest;
      return records?.length === 0 ? { code, msg } : undefined;
    }),
};

/** A pull is refused if there is nothing to pull. */
export const EMPTY_QUEUE_REFUSED: Deviation = {
  answer: (path, answer) =>
    changeBody(answer, (body) =>
      path.endsWith('/pull') && Array.isArray(body.data) && body.data.length === 0
        ? { code: CODES.emptyQueue, msg: '暂无数据 (nothing to pull)' }
        : undefined,
    ),
};

// --- Requests ---

/** Refuses a request to a path that has not all of these fields. */
export function requireAll(at: string, names: string[]): Deviation {
  return {
    request: (path, json) => {
      const missing = names.filter((name) => !Object.hasOwn(JSON.parse(json) as Fields, name));
      if (path !== at || missing.length === 0) return json;
      throw new Refusal(CODES.badBody, `参数错误 (body: ${missing.join(', ')} missing)`);
    },
  };
}

/** The ID of a record in an update has another name: path → name. */
export function updateIds(names: Record<string, string>): Deviation {
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
export const PERCENT_MARKS: Deviation = {
  request: (path, json) => (isOfTemplates(path) ? json.replace(/%(\w+)%/g, '$${$1}') : json),
  answer: (path, answer) => {
    if (!isOfTemplates(path) || answer.body === undefined) return answer;
    const json = JSON.stringify(answer.body).replace(/\$\{(\w+)\}/g, '%$1%');
    return { ...answer, body: JSON.parse(json) as unknown };
  },
};

// --- Tools ---

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
