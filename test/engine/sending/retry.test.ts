import { nextStep } from '../../../dist/nodes/SmsMessagingService/sending/retry';
import type { Exchange } from '../../../nodes/SmsMessagingService/service/answer';

/** Whether and when a request of a send is made again: the back-off. */

const exchange = (kind: string, retryAfterMs?: number) =>
  ({ kind, reason: '', retryAfterMs }) as unknown as Exchange;

test.each(['answered', 'refused', 'unclear'])(
  'a request that was %s is never sent again',
  (kind) => {
    expect(nextStep(exchange(kind, 0), 0, 9, 0)).toEqual({ kind: 'done' });
  },
);

describe.each(['throttled', 'unreachable'])('a request that was %s', (kind) => {
  test.each([
    [0, 0, 500],
    [0, 1, 1_000],
    [1, 0, 1_000],
    [1, 0.5, 1_500],
    [3, 0, 4_000],
    [6, 1, 60_000],
    [60, 0, 60_000],
  ])(
    'waits longer after each retry (exponential back-off): after %d retries, with the random number %d, %d ms',
    (retries, random, pauseMs) => {
      expect(nextStep(exchange(kind), retries, 99, random)).toEqual({ kind: 'repeat', pauseMs });
    },
  );

  test('waits as long as Retry-After says, up to a minute, and gives up when that is longer', () => {
    expect(nextStep(exchange(kind, 0), 2, 3, 1)).toEqual({ kind: 'repeat', pauseMs: 0 });
    expect(nextStep(exchange(kind, 60_000), 2, 3, 1)).toEqual({ kind: 'repeat', pauseMs: 60_000 });
    expect(nextStep(exchange(kind, 60_001), 2, 3, 1)).toEqual({ kind: 'giveUp' });
  });

  test('is sent again at most Max Retries times', () => {
    expect(nextStep(exchange(kind), 2, 3, 0).kind).toBe('repeat');
    expect(nextStep(exchange(kind), 3, 3, 0).kind).toBe('giveUp');
    expect(nextStep(exchange(kind), 0, 0, 0).kind).toBe('giveUp');
  });
});
