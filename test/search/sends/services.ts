import fc from 'fast-check';
import { phone } from '../../kit/engine/sends';
import type { Fault } from '../../sandbox/faults';
import type { RecordedRequest } from '../../sandbox/gateway';
import { weighed } from '../../kit/search/settings';

/**
 * What the service does in a history. What it really did nobody can know, so it plays no part: what an answer
 * means is in `engine/declared/table.ts`, and `answers.test.ts` there tries all of them.
 */

export const SEND = '/sendsms/template/send';

/** The service never accepts these numbers. */
export const REFUSED = [5, 6].map(phone);

const fields = fc
  .record({
    // Success twice, none, in no list, Too Fast, Unclear.
    code: fc.constantFrom<unknown>(0, '0', undefined, 21, 10007, 100),
    more: fc.constantFrom<object>(
      {},
      { batch_id: 'b-1', count: 1 },
      { batch_id: 'b-1' },
      { count: 3 },
      { data: { batch_id: 'b-2', count: 2 } },
      { batch_id: 'b-3', count: 0 },
      { batchId: 'b-4', success: false },
    ),
  })
  .map(({ code, more }): unknown => ({ code, ...more }));

const RETRY_AFTER = [undefined, '0', '-1', '1', '3600', 'Thu, 01 Jan 1970 00:00:00 GMT'];

/** Any answer. */
const answer: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant('status' as const),
  status: weighed(
    [4, fc.constant(200)],
    [4, fc.constantFrom(204, 302, 308, 400, 408, 429, 429, 503)],
  ),
  body: weighed(
    [6, fields],
    [1, fc.constantFrom<unknown>({}, '<h1>Bad Gateway</h1>', '{"code":0,"cou')],
  ),
  retryAfter: fc.constantFrom(...RETRY_AFTER),
});

/** Nothing that could be read, or not in time: the node's own time limit ends the last ones. */
const BROKEN: Fault[] = [
  { kind: 'resetBeforeAccept' },
  { kind: 'resetAfterAccept' },
  { kind: 'truncatedJson' },
  { kind: 'hang' },
  { kind: 'drip' },
];

/** What may be wrong with one request, or with all from there on. */
export const fault: fc.Arbitrary<Fault> = fc
  .tuple(
    weighed(
      [6, answer],
      [1, fc.constantFrom(...BROKEN)],
      [1, fc.constant<Fault>({ kind: 'tooManyRequests', retryAfter: '1' })],
    ),
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom(1, 1, 1, 1, 2, Infinity),
  )
  .map(([each, nth, times]) => ({ ...each, nth, times, path: SEND }));

/** Whether the fault lasts until the client has enough. */
export const isEndless = ({ kind }: Fault) => kind === 'hang' || kind === 'drip';

/** The service refuses a request that has a number which it does not take. */
export const REFUSES: Fault = {
  kind: 'businessCode',
  path: SEND,
  code: 2006,
  times: Infinity,
  match: ({ rawBody }: RecordedRequest) => REFUSED.some((number) => rawBody.includes(number)),
};
