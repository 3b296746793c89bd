import { nextStep } from '../../../dist/nodes/SmsMessagingService/sending/retry';
import type { Exchange } from '../../../nodes/SmsMessagingService/service/answer';

/** Whether and when a request of a send is made again. */

const exchange = (kind: string, retryAfterMs?: number) =>
  ({ kind, reason: '', retryAfterMs }) as unknown as Exchange;

test.each(['answered', 'refused', 'unclear'])('never, when it was %s', (kind) => {
  expect(nextStep(exchange(kind, 0), 0, 9, 0)).toEqual({ kind: 'done' });
});

describe.each(['throttled', 'unreachable'])('when it was %s', (kind) => {
  test.each([
    [0, 0, 500],
    [0, 1, 1_000],
    [1, 0, 1_000],
    [1, 0.5, 1_500],
    [3, 0, 4_000],
    [6, 1, 60_000],
    [60, 0, 60_000],
  ])('after %d retries with the random %d it waits %d ms', (retries, random, pauseMs) => {
    expect(nextStep(exchange(kind), retries, 99, random)).toEqual({ kind: 'repeat', pauseMs });
  });

  test('it waits as long as the service asks, up to a minute', () => {
    expect(nextStep(exchange(kind, 0), 2, 3, 1)).toEqual({ kind: 'repeat', pauseMs: 0 });
    expect(nextStep(exchange(kind, 60_000), 2, 3, 1)).toEqual({ kind: 'repeat', pauseMs: 60_000 });
    expect(nextStep(exchange(kind, 60_001), 2, 3, 1)).toEqual({ kind: 'giveUp' });
  });

  test('not more often than it may', () => {
    expect(nextStep(exchange(kind), 2, 3, 0).kind).toBe('repeat');
    expect(nextStep(exchange(kind), 3, 3, 0).kind).toBe('giveUp');
    expect(nextStep(exchange(kind), 0, 0, 0).kind).toBe('giveUp');
  });
});
