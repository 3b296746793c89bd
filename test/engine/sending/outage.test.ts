import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../sandbox/faults';
import { duringMs, overLimit } from '../../sandbox/limits';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { CONTINUE, people, useSendingGateway, withOptions } from '../harness/sends';

/** A service that is out of order for a while, or lets only some requests through. */

const { gateway, execute } = useSendingGateway();

const COUNT = 600;

const KEYED = people(COUNT).map((person, index) => ({ ...person, key: `order-${index}` }));

const countsOf = (json: IDataObject[]) => {
  const counts: Record<string, number> = {};
  for (const { status } of json) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
  return counts;
};

const OUTAGES: [string, Fault][] = [
  ['502', { kind: 'status', status: 502 }],
  ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: '1' }],
  ['connections that break', { kind: 'resetAfterAccept' }],
];

describe.each(OUTAGES)('an outage with %s', (_, fault) => {
  const options = { batchSize: 10, idempotencyKey: '={{ $json.key }}' };
  let store: DeduplicationStore;

  beforeEach(async () => {
    store = await DeduplicationStore.install();
    store.clear();
  });

  test('of two seconds makes few messages unknown, and the rest is sent', async () => {
    gateway.fault({ ...fault, match: duringMs(2_000), times: Infinity });
    const { json } = await execute(withOptions(options), KEYED, CONTINUE);
    const { accepted = 0, unknown = 0 } = countsOf(json);
    expect(accepted + unknown).toBe(COUNT);
    // Four requests at a time, and then one after each pause.
    expect(unknown).toBeLessThanOrEqual(8 * 10);
  });

  test('that does not end stops the run; what was not tried is rejected, and its keys are free', async () => {
    gateway.fault({ ...fault, times: Infinity });
    const { json } = await execute(withOptions(options), KEYED, CONTINUE);
    const { unknown = 0, rejected = 0 } = countsOf(json);
    expect(unknown + rejected).toBe(COUNT);
    expect(unknown).toBeLessThanOrEqual(10 * 10);
    expect(json.at(-1)?.msg).toMatch(
      /^Not sent: the last 6 requests of this run may or may not have been accepted \(.*\)$/,
    );
    expect(store.values()).toHaveLength(unknown);

    gateway.clearFaults();
    const again = await execute(withOptions(options), KEYED, CONTINUE);
    expect(countsOf(again.json)).toEqual({ skipped: unknown, accepted: rejected });
  });
});

describe('a service that allows one request in a while', () => {
  const inThePast = new Date(Date.now() - 3_600_000).toUTCString();

  test.each<[string, Fault]>([
    ...['1', '0', '-5', inThePast].map((retryAfter): [string, Fault] => [
      `Retry-After ${retryAfter}`,
      { kind: 'tooManyRequests', retryAfter },
    ]),
    ...['提交过快', '超出流速限制', 'rate limit exceeded'].map((msg): [string, Fault] => [
      `${msg} with a code`,
      { kind: 'businessCode', code: 10007, msg },
    ]),
  ])('and says %s: everything is sent', async (_, answer) => {
    const match = overLimit({ requests: 1, perMs: 300 });
    gateway.fault({ ...answer, match, times: Infinity });
    const { json } = await execute(withOptions({ batchSize: 60 }), people(COUNT), CONTINUE);
    expect(countsOf(json)).toEqual({ accepted: COUNT });
    // Hardly more than each request once let through and once not.
    expect(gateway.requests.length).toBeLessThanOrEqual(10 + 10 + 8);
  });
});
