import fc from 'fast-check';
import { phone } from '../../engine/harness/sends';
import type { Fault } from '../../sandbox/faults';
import type { RecordedRequest } from '../../sandbox/gateway';
import type { Limit } from '../../sandbox/limits';
import { overLimit } from '../../sandbox/limits';
import type { CodeList, Codes } from './meaning';

/**
 * What the service does in a history. It may say anything: its words, its fields and its status contradict
 * each other. What it really did nobody can know, so it plays no part: `meaning.ts` has what an answer means.
 */

export const SEND = '/sendsms/template/send';

/** The service never accepts these numbers. */
export const REFUSED = [5, 6].map(phone);

/** Stands for the secrets of the credential, which a service may quote. */
export const SECRETS = '{secrets}';

/** Words that providers say beside any code. None of them means anything to the node. */
const WORDS = [
  'success',
  '提交成功',
  '短信已入队,流速超限,将延迟下发',
  'Accepted, rate limit reached, delivery will be delayed',
  '提交过快',
  '同一号码发送频率过高',
  'Rate limit exceeded',
  '暂无数据',
  '该账号已停用，暂无法拉取',
  '内部错误',
  '系统繁忙,请稍后再试',
  '部分号码提交失败',
  'Request partially accepted',
  '余额不足',
  'denied',
  `signed ${SECRETS}`,
  '',
];

/** Codes that a credential may list, or not. Code 0 is always one of success. */
const CODES = ['200', 'OK', '100', '10004', '10005', '10007', '10008', '4290', '9000', 'E21', '-1'];

const LISTS: readonly CodeList[] = ['success', 'empty', 'throttled', 'unclear'];

export const codes: fc.Arbitrary<Codes> = fc
  .record({
    isCustom: fc.constantFrom<Codes['isCustom'][]>(true, true, false, 'true'),
    lists: fc.array(fc.constantFrom(undefined, undefined, ...LISTS), {
      minLength: CODES.length,
      maxLength: CODES.length,
    }),
    others: fc.constantFrom<Codes['others'][]>('refused', 'refused', 'unclear'),
  })
  .map(({ isCustom, lists, others }) => {
    const listed = CODES.flatMap((code, nth) => (lists[nth] ? [[code, lists[nth]] as const] : []));
    return { isCustom, listed: { '0': 'success', ...Object.fromEntries(listed) }, others };
  });

/** The fields of a credential that say this. */
export function fieldsOf({ isCustom, listed, others }: Codes) {
  const fields = LISTS.map((list) => [
    `${list}Codes`,
    Object.keys(listed)
      .filter((code) => listed[code] === list)
      .join(', '),
  ]);
  return {
    customResultCodes: isCustom,
    otherCodes: others,
    ...Object.fromEntries(fields),
  } as Record<string, string | boolean>;
}

// --- Answers ---

const numeric = (code: string) => (/\d$/.test(code) ? [code, Number(code), ` ${code} `] : [code]);

const code = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(0, '0', undefined, null, ''), weight: 2 },
  { arbitrary: fc.constantFrom<unknown>(...CODES.flatMap(numeric)), weight: 3 },
);

/** What shows messages that were accepted, where the table looks for it. */
const EVIDENCE: object[] = [
  { batch_id: 'b-1', count: 1 },
  { batch_id: 17, count: 2 },
  { batch_id: 'b-1' },
  { count: 3 },
  { count: '2' },
  { data: { batch_id: 'b-2', count: 1 } },
  { data: { batch_id: 'b-2' } },
  { data: { count: 2 } },
  { batch_id: 'b-3', count: 0 },
];

/** What shows none there. Some of it would, elsewhere or under these names. */
const NO_EVIDENCE: object[] = [
  { batch_id: '', count: 0 },
  { batch_id: null, count: null },
  { data: { batch_id: '', count: 0 } },
  { data: null },
  { data: [{ batch_id: 'b-4', count: 1 }] },
  { data: { data: { batch_id: 'b-4' } } },
  { data: { msg_id: 'req-77' } },
  { data: '10001' },
  { result: { batch_id: 'b-4', count: 1 } },
  { batchId: 'b-4', task_id: '99' },
  { message_ids: ['m1'], success_count: 1, fail_count: 1 },
];

/** Fields that the specification does not have. */
const MORE_FIELDS: object[] = [
  { ret: 1 },
  { errcode: 7, errmsg: 'denied' },
  { success: false },
  { success: true },
  { status: 'error' },
  { status: 0, errors: [] },
  { message: 'Too many requests' },
];

const fields = fc
  .record({
    code,
    msg: fc.constantFrom(...WORDS),
    evidence: fc.oneof(
      fc.constant({}),
      fc.constantFrom(...EVIDENCE),
      fc.constantFrom(...NO_EVIDENCE),
    ),
    more: fc.oneof(fc.constant({}), fc.constantFrom(...MORE_FIELDS)),
  })
  .map(({ evidence, more, ...rest }): unknown => ({ ...rest, ...evidence, ...more }));

const body = fc.oneof(
  { arbitrary: fields, weight: 12 },
  // In arrays it is an answer only if nothing else is there, and if it looks like one.
  {
    arbitrary: fields.chain((each) =>
      fc.constantFrom<unknown>([each], [[each]], [each, each], [{ code: 0, batch_id: 'b-5' }]),
    ),
    weight: 2,
  },
  {
    arbitrary: fc.constantFrom<unknown>(
      {},
      [],
      '',
      'null',
      '"ok"',
      '<h1>Bad Gateway</h1>',
      '{"code":0,"msg":"ok","batch_id":"b-6","coun',
    ),
    weight: 2,
  },
);

const STATUSES = [
  201, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 408, 409, 422, 499, 500, 502, 503,
];

const PAST = 'Thu, 01 Jan 1970 00:00:00 GMT';
const RETRY_AFTER = [undefined, undefined, '0', '-1', '1', PAST];

/** Any answer. */
const answer: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant('status' as const),
  status: fc.oneof(
    { arbitrary: fc.constant(200), weight: 4 },
    { arbitrary: fc.constant(429), weight: 1 },
    { arbitrary: fc.constantFrom(...STATUSES), weight: 3 },
  ),
  body,
  retryAfter: fc.constantFrom(...RETRY_AFTER, '3600'),
});

/** Nothing that could be read. */
const BROKEN: Fault[] = [
  { kind: 'resetBeforeAccept' },
  { kind: 'resetAfterAccept' },
  { kind: 'truncatedJson' },
  { kind: 'truncatedJson', mismatchedLength: true },
  { kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>' },
  { kind: 'status', status: 503, retryAfter: '1' },
];

const REDIRECTS: Fault[] = [
  { kind: 'redirect', location: '/login' },
  { kind: 'redirect', status: 303, location: '/done' },
  { kind: 'redirect', status: 308, location: 'https://other.example/' },
];

const SLOW_DOWN = RETRY_AFTER.flatMap((retryAfter): Fault[] => [
  { kind: 'tooManyRequests', retryAfter },
  { kind: 'status', status: 200, retryAfter, body: { code: 10007, msg: '提交过快' } },
]);

/** Without an end: the node's own time limit ends them. */
const ENDLESS: Fault[] = [{ kind: 'hang' }, { kind: 'drip' }];

/** What may be wrong with one request, or with all from there on. */
export const fault: fc.Arbitrary<Fault> = fc
  .tuple(
    fc.oneof(
      { arbitrary: answer, weight: 20 },
      { arbitrary: fc.constantFrom(...BROKEN, ...REDIRECTS), weight: 5 },
      { arbitrary: fc.constantFrom(...SLOW_DOWN), weight: 3 },
      { arbitrary: fc.constant<Fault>({ kind: 'acceptedFewer' }), weight: 1 },
      { arbitrary: fc.constantFrom(...ENDLESS), weight: 1 },
    ),
    // The service changes: from there on it does so with every request.
    fc.oneof(
      { arbitrary: fc.constant(1), weight: 6 },
      { arbitrary: fc.constantFrom(2, Infinity), weight: 1 },
    ),
  )
  .map(([each, times]) => ({ ...each, times, path: SEND }));

/** Whether the fault lasts until the client has enough. */
export const isEndless = ({ kind }: Fault) => kind === 'hang' || kind === 'drip';

/** Consecutive requests of an outage, from the `nth` on. */
export const outage = fc.record({
  nth: fc.integer({ min: 1, max: 6 }),
  faults: fc.array(fc.constantFrom(...BROKEN.map((each) => ({ ...each, path: SEND }))), {
    minLength: 3,
    maxLength: 16,
    size: 'max',
  }),
});

export interface RateLimit {
  limit: Limit;
  answer: Fault;
}

/** Short enough that a node with three retries gets everything through. */
export const rateLimit: fc.Arbitrary<RateLimit> = fc.record({
  limit: fc.constantFrom<Limit>(
    { requests: 1, perMs: 10 },
    { requests: 2, perMs: 10 },
    { requests: 1, refused: 1 },
    { requests: 2, refused: 2 },
  ),
  answer: fc.constantFrom(...SLOW_DOWN),
});

/** The limit, as a fault that counts from now on. */
export const limiting = ({ limit, answer: tooFast }: RateLimit): Fault => ({
  ...tooFast,
  path: SEND,
  times: Infinity,
  match: overLimit(limit),
});

/** The service refuses a request that has a number which it does not take. */
export const REFUSES: Fault = {
  kind: 'businessCode',
  path: SEND,
  code: 2006,
  msg: '手机号码格式错误',
  times: Infinity,
  match: ({ rawBody }: RecordedRequest) => REFUSED.some((number) => rawBody.includes(number)),
};
