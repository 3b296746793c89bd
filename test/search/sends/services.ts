import fc from 'fast-check';
import { phone } from '../../engine/harness/sends';
import type { Fault } from '../../sandbox/faults';
import type { RecordedRequest } from '../../sandbox/gateway';
import type { Limit } from '../../sandbox/limits';
import { overLimit } from '../../sandbox/limits';
import {
  INTERNAL_ERRORS,
  PARTIAL_ANSWERS,
  TOO_FAST,
  WORDY_REFUSALS,
} from '../../sandbox/refusalAnswers';

/** What the service does in a history. The name of each fault says what its answer proves. */

export const SEND = '/sendsms/template/send';
const BALANCE = '/sendsms/balance';

/** The service never accepts these numbers. */
export const REFUSED = [5, 6].map(phone);

/**
 * What the answer to a request proves:
 *
 * - `ok`: its messages were accepted;
 * - `refused`: none was, and none will be in this execution;
 * - `too fast`: none was, and the request may be made again;
 * - `unclear`: nothing;
 * - `part`: nothing, because the answer shows that some were accepted;
 * - `silent part`: some were accepted, and nothing in the answer tells;
 * - `fewer`: it was accepted, with a number of messages that is too small.
 */
export type Proof = 'ok' | 'refused' | 'too fast' | 'unclear' | 'part' | 'silent part' | 'fewer';

/** What the answer to this request proves. */
export function proofOf({ outcome }: Pick<RecordedRequest, 'outcome'>): Proof {
  if (outcome === 'ok') return 'ok';
  // The platform itself refuses, for instance an API key that it does not know.
  if (outcome.startsWith('refused ')) return 'refused';
  return outcome.startsWith('fault ') ? (outcome.slice('fault '.length) as Proof) : 'unclear';
}

const proving = (name: Proof, faults: Fault[]): Fault[] =>
  faults.map((fault) => ({ ...fault, name, path: SEND }));

/** Answers that contradict themselves. `accept` says what the service really did. */
const CONTRADICTIONS: Fault[] = [
  { kind: 'status', status: 429, accept: true, body: { code: 0, msg: 'ok', batch_id: 'b-429' } },
  { kind: 'status', status: 503, accept: true, body: { code: 0, msg: 'ok', batch_id: 'b-503' } },
  ...[true, false].flatMap((accept): Fault[] => [
    { kind: 'status', status: 429, accept, retryAfter: '0', body: { batch_id: 'b-1', count: 1 } },
    { kind: 'status', status: 429, accept, retryAfter: '0', body: '{"code":0,"batch_id":"1' },
    { kind: 'status', status: 400, accept, body: { code: 7, batch_id: 'b-2', count: 2 } },
    { kind: 'status', status: 400, accept, body: '{"code":0,"msg":"ok","coun' },
    { kind: 'wrongShape', accept, body: { code: 9000, msg: 'no', batch_id: 'b-3', count: 1 } },
    { kind: 'wrongShape', accept, body: { code: 9000, data: { batch_id: 'b', count: 1 } } },
    { kind: 'wrongShape', accept, body: { code: 0, msg: 'ok', count: 0, batch_id: '' } },
    { kind: 'wrongShape', accept, body: [{ code: 0 }] },
    { kind: 'wrongShape', accept, body: { code: 2003, success_count: 1, fail_count: 1 } },
    { kind: 'wrongShape', accept, body: { code: 2003, data: { success: ['1'], fail: [] } } },
    { kind: 'wrongShape', accept, body: { code: 2003, data: [{ code: 0 }, { code: 7 }] } },
    { kind: 'wrongShape', accept, body: { code: 2003, msg: 'no', task_id: '99' } },
    { kind: 'wrongShape', accept, body: { code: 200, msg: 'success', data: '10001' } },
    { kind: 'wrongShape', accept, body: { code: 'OK', data: { sid: '7' } } },
    { kind: 'wrongShape', accept, body: { success: false, message: 'no', batch_id: 'b-4' } },
    { kind: 'wrongShape', accept, body: { code: 0, success: false, batch_id: 'b-5', count: 1 } },
    { kind: 'wrongShape', accept, body: { code: 0, data: { code: 7, msg: 'no', batch_id: 'b' } } },
    { kind: 'wrongShape', accept, body: { code: null, msg: '余额不足', batch_id: 'b-6' } },
    { kind: 'wrongShape', accept, body: { code: 0, batch_id: 'a', data: { batch_id: 'b' } } },
    { kind: 'redirect', accept, location: '/login' },
    { kind: 'redirect', accept, status: 303, location: '/done' },
  ]),
];

const PAST = 'Thu, 01 Jan 1970 00:00:00 GMT';

const SLOW_DOWN: Fault[] = [
  ...TOO_FAST.map((words): Fault => ({ kind: 'businessCode', ...words })),
  ...[undefined, '0', '-1', '1', PAST].map((retryAfter): Fault => ({
    kind: 'tooManyRequests',
    retryAfter,
  })),
];

const REFUSALS: Fault[] = [
  { kind: 'businessCode', code: 9000 },
  { kind: 'businessCode', code: 9001, times: Infinity },
  { kind: 'status', status: 400 },
  { kind: 'status', status: 401, body: '<h1>No</h1>' },
  { kind: 'redirect', status: 308, location: 'https://other.example/' },
  { kind: 'wrongShape', accept: false, body: { success: false, message: 'no' } },
  ...WORDY_REFUSALS.map((body): Fault => ({ kind: 'wrongShape', accept: false, body })),
];

const OUTAGES: Fault[] = [
  { kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>' },
  { kind: 'status', status: 503, retryAfter: '1' },
  { kind: 'status', status: 503, accept: true },
  { kind: 'resetBeforeAccept' },
  { kind: 'resetAfterAccept' },
];

const UNCLEAR: Fault[] = [
  ...OUTAGES,
  { kind: 'status', status: 500 },
  { kind: 'truncatedJson' },
  { kind: 'truncatedJson', mismatchedLength: true },
  { kind: 'html' },
  { kind: 'emptyBody' },
  { kind: 'redirect' },
  ...[true, false].flatMap((accept) =>
    INTERNAL_ERRORS.map((words): Fault => ({ kind: 'businessCode', ...words, accept })),
  ),
];

/** Without an end: the node's own time limit ends them. */
const ENDLESS: Fault[] = [{ kind: 'hang' }, { kind: 'hang', accept: false }, { kind: 'drip' }];

const PARTS = PARTIAL_ANSWERS.map((shape): Fault => ({
  kind: 'partialUnderCode',
  name: shape.silent ? 'silent part' : 'part',
  path: SEND,
  shape,
}));

const oneOf = (...groups: Fault[][]) =>
  fc.oneof(...groups.map((group) => fc.constantFrom(...group)));

/** What may be wrong with one request, or with all from there on. */
export const fault: fc.Arbitrary<Fault> = fc
  .tuple(
    fc.oneof(
      {
        arbitrary: oneOf(
          proving('refused', REFUSALS),
          proving('too fast', [
            ...SLOW_DOWN,
            { kind: 'tooManyRequests', retryAfter: '0', times: 4 },
            { kind: 'tooManyRequests', retryAfter: '3600' },
          ]),
          proving('unclear', UNCLEAR),
          proving('unclear', CONTRADICTIONS),
          proving('fewer', [{ kind: 'acceptedFewer' }]),
          PARTS,
        ),
        weight: 30,
      },
      { arbitrary: fc.constantFrom(...proving('unclear', ENDLESS)), weight: 1 },
    ),
    // The service changes: from there on it does so with every request.
    fc.oneof(
      { arbitrary: fc.constant(1), weight: 6 },
      { arbitrary: fc.constantFrom(2, Infinity), weight: 1 },
    ),
  )
  .map(([each, times]) => ({ times, ...each }));

/** Whether the fault lasts until the client has enough. */
export const isEndless = ({ kind }: Fault) => kind === 'hang' || kind === 'drip';

/** Consecutive requests of an outage, from the `nth` on. */
export const outage = fc.record({
  nth: fc.integer({ min: 1, max: 6 }),
  faults: fc.array(fc.constantFrom(...proving('unclear', OUTAGES)), {
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
  answer: fc.constantFrom(...proving('too fast', SLOW_DOWN)),
});

/** The limit, as a fault that counts from now on. */
export const limiting = ({ limit, answer }: RateLimit): Fault => ({
  ...answer,
  times: Infinity,
  match: overLimit(limit),
});

const hasRefused = ({ rawBody }: RecordedRequest) =>
  REFUSED.some((number) => rawBody.includes(number));

/** The service refuses a request that has a number which it does not take. */
export const REFUSES_ALL: Fault = {
  kind: 'businessCode',
  name: 'refused',
  path: SEND,
  code: 2006,
  msg: '手机号码格式错误',
  times: Infinity,
  match: hasRefused,
};

/** The service refuses the numbers that it does not take, and accepts the others of the request. */
export const refusesSome: fc.Arbitrary<Fault> = fc.constantFrom(...PARTS).map((part) => ({
  ...part,
  times: Infinity,
  match: hasRefused,
  refuses: (number) => REFUSED.includes(number),
}));

/** By less than a message costs, so that it never hides that a message was charged. */
const less = (answer: { balance: number }) => ({ ...answer, balance: answer.balance - 0.5 });

/** What may be wrong with a look at the balance. */
export const balanceFault: fc.Arbitrary<Fault> = fc
  .constantFrom<Fault>(
    { kind: 'status', status: 500 },
    { kind: 'resetBeforeAccept' },
    { kind: 'businessCode', code: 9000 },
    { kind: 'wrongShape', body: { code: 0, msg: 'success' } },
    { kind: 'wrongShape', body: { code: 0, msg: 'success', balance: 'many' } },
    // Somebody else spends.
    { kind: 'wrongShape', body: less },
  )
  .map((each) => ({ ...each, name: 'balance', path: BALANCE }));
