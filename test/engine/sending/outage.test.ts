import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../sandbox/faults';
import { overLimit } from '../../sandbox/limits';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { CONTINUE, people, useSendingGateway, withOptions } from '../../kit/engine/sends';

/** A service that is out of order for a while, or lets only some requests through. */

const { gateway, execute } = useSendingGateway();

const COUNT = 200;

const countsOf = (json: IDataObject[]) => {
  const counts: Record<string, number> = {};
  for (const { status } of json) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
  return counts;
};

describe.each<[string, Fault]>([
  ['503 and Retry-After', { kind: 'status', status: 503, retryAfter: '1' }],
  ['connections that break', { kind: 'resetAfterAccept' }],
  ['answers that say nothing', { kind: 'wrongShape', body: {} }],
])('an outage with %s', (_, fault) => {
  const options = { batchSize: 10, idempotencyKey: '={{ $json.code }}' };
  const store = DeduplicationStore.install();

  beforeEach(() => store.clear());

  test('of a few requests makes their messages unknown, and the rest is sent', async () => {
    gateway.fault({ ...fault, times: 5 });
    const { json } = await execute(withOptions(options), people(COUNT), CONTINUE);
    expect(countsOf(json)).toEqual({ unknown: 50, accepted: COUNT - 50 });
  });

  test('that does not end stops the run; what was not tried is rejected, and its keys are free', async () => {
    gateway.fault({ ...fault, times: Infinity });
    const { json } = await execute(withOptions(options), people(COUNT), CONTINUE);
    const { unknown = 0, rejected = 0 } = countsOf(json);
    expect(unknown + rejected).toBe(COUNT);
    // Six in a row, and three that were in flight when the first pause began.
    expect(unknown).toBeLessThanOrEqual(9 * 10);
    expect(json.at(-1)?.msg).toMatch(
      /^Not sent: the last 6 requests of this run may or may not have been accepted \(.*\)$/,
    );
    expect(store.values()).toHaveLength(unknown);

    gateway.clearFaults();
    const again = await execute(withOptions(options), people(COUNT), CONTINUE);
    expect(countsOf(again.json)).toEqual({ skipped: unknown, accepted: rejected });
  });
});

// Guess: repeat, rate
test.each<[string, Fault]>([
  ['Retry-After 1', { kind: 'tooManyRequests', retryAfter: '1' }],
  ['a code of Too Fast', { kind: 'businessCode', code: 10007 }],
])('a service that allows one request in a while, and says %s: all is sent', async (_, answer) => {
  gateway.fault({ ...answer, match: overLimit({ requests: 1, perMs: 300 }), times: Infinity });
  const { json } = await execute(withOptions({ batchSize: 20 }), people(COUNT), CONTINUE);
  expect(countsOf(json)).toEqual({ accepted: COUNT });
  // Each request once let through, and up to four turned away together between two pauses.
  expect(gateway.requests.length).toBeLessThanOrEqual(10 + 10 * 4);
});
