import { bytesOf } from '../../sandbox/http';
import type { RecordedRequest } from '../../sandbox/gateway';

/**
 * What the answer to a send means: the promise of the package, written down a second time. Nothing here
 * comes from the code of the node.
 */

/**
 * - `accepted`: its messages were accepted;
 * - `fewer`: they were accepted, with a count that is too small;
 * - `refused`: none was, and none is sent again in this execution;
 * - `too fast`: none was, and the request may be made again;
 * - `unclear`: they may have been accepted, and are not sent again.
 */
export type Meaning = 'accepted' | 'fewer' | 'refused' | 'too fast' | 'unclear';

export type CodeList = 'success' | 'empty' | 'throttled' | 'unclear';

/** What the credential says about codes. */
export interface Codes {
  /** Custom Result Codes. On only if it is `true`. */
  isCustom: boolean | string;
  /** Code → its list. */
  listed: Record<string, CodeList>;
  others: 'refused' | 'unclear';
}

/** What holds while Custom Result Codes is off. */
const DEFAULTS: Codes = {
  isCustom: false,
  listed: {
    '0': 'success',
    '10004': 'empty',
    '10005': 'empty',
    '10007': 'throttled',
    '10008': 'throttled',
    '100': 'unclear',
  },
  others: 'refused',
};

interface Facts {
  status: number;
  is2xx: boolean;
  isJson: boolean;
  list: CodeList | 'other' | 'none';
  others: Codes['others'];
  batch: unknown;
  count: number | undefined;
  /** Number of messages in the request. */
  sent: number;
}

const saysSuccess = ({ is2xx, list }: Facts) => is2xx && (list === 'success' || list === 'none');

/** The first that holds decides. */
const TABLE: [Meaning, (is: Facts) => boolean][] = [
  ['unclear', (is) => (Boolean(is.batch) || (is.count ?? 0) > 0) && !saysSuccess(is)],
  ['unclear', ({ status }) => [408, 409, 499].includes(status) || status >= 500],
  ['too fast', ({ status, list }) => status === 429 || list === 'throttled'],
  ['unclear', ({ list }) => list === 'unclear'],
  ['unclear', ({ list, is2xx }) => list === 'success' && !is2xx],
  ['unclear', ({ list, is2xx, others }) => list === 'other' && is2xx && others === 'unclear'],
  ['refused', ({ status }) => status >= 400 || [301, 307, 308].includes(status)],
  ['unclear', ({ is2xx, isJson }) => !is2xx || !isJson],
  ['refused', (is) => !saysSuccess(is)],
  // Without code, a batch accepts.
  ['unclear', ({ count, list, batch }) => count === 0 || (list === 'none' && !batch)],
  ['fewer', ({ count, sent }) => count !== undefined && count < sent],
  ['accepted', () => true],
];

/** @param sent number of messages in the request */
export function meaningOf({ answer }: RecordedRequest, sent: number, codes: Codes): Meaning {
  if (!answer) return 'unclear';
  const { status } = answer;
  const body = parse(status === 204 ? '' : bytesOf(answer).toString());
  const { code, batch_id, count, data } = theAnswerIn(body);
  const under = isFields(data) ? data : {};
  const { listed, others } = codes.isCustom === true ? codes : DEFAULTS;
  const name = String(code ?? '').trim();
  const counted = count ?? under.count;
  const is: Facts = {
    status,
    is2xx: status >= 200 && status < 300,
    isJson: typeof body === 'object' && body !== null,
    list: name === '' ? 'none' : (listed[name] ?? 'other'),
    others,
    batch: batch_id ?? under.batch_id,
    count: counted === undefined ? undefined : Number(counted),
    sent,
  };
  const [meaning] = TABLE.find(([, holds]) => holds(is)) as (typeof TABLE)[number];
  return meaning;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The answer, or the only object in arrays around it if it looks like one. */
function theAnswerIn(body: unknown): Fields {
  let inner = body;
  while (Array.isArray(inner) && inner.length === 1) [inner] = inner as unknown[];
  if (!isFields(inner)) return {};
  return inner === body || ('code' in inner && 'msg' in inner) ? inner : {};
}

/** No body, as with HTTP 204, is an empty object. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return undefined;
  }
}
