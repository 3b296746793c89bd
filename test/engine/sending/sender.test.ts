import { startGateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { untilPause } from '../harness/pauses';
import {
  CONTINUE,
  descriptionOf,
  inPairs,
  isFor,
  people,
  phone,
  RETRY,
  savedContext,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../harness/sends';

/** Which requests a run makes. How long it pauses is in pace.test.ts, and every fault in faultMatrix.test.ts. */

const { gateway, execute } = useSendingGateway();

const all = (count: number, status: string) => Array<string>(count).fill(status);

describe('a refused request', () => {
  // Guess: refused-request
  test('costs its own messages only, and is not divided', async () => {
    gateway.fault({ kind: 'businessCode', code: 2006 });
    const { json } = await execute(withOptions({ maxConcurrency: 1 }), people(250), CONTINUE);
    expect(json.map(({ status }) => status)).toEqual([
      ...all(100, 'rejected'),
      ...all(150, 'accepted'),
    ]);
    expect(gateway.requests).toHaveLength(3);
  });

  test('is final for the execution, its keys are free, and "Retry execution" sends again', async () => {
    const store = await DeduplicationStore.install();
    store.clear();
    gateway.fault({ kind: 'businessCode', code: 9000 });
    const keyed = withOptions({ idempotencyKey: '={{ $json.code }}' });
    const contextData = {};
    const first = await execute(keyed, people(2), { contextData, node: { ...RETRY, maxTries: 5 } });
    expect(first.error?.message).toMatch(/^None of the 2 messages was sent: .*\(code 9000\)$/);
    expect(gateway.requests).toHaveLength(1);
    expect(store.values()).toEqual([]);
    const { json } = await execute(keyed, people(2), { contextData: savedContext(contextData) });
    expect(json.map(({ status, remembered }) => [status, remembered])).toEqual(
      Array(2).fill(['accepted', undefined]),
    );
    expect(store.values()).toHaveLength(2);
  });

  test('and another one in the next try: the key of their item is free', async () => {
    const store = await DeduplicationStore.install();
    store.clear();
    gateway.fault({ kind: 'businessCode', match: isFor(0) });
    gateway.fault({ kind: 'tooManyRequests', match: isFor(2) });
    gateway.fault({ kind: 'businessCode', match: isFor(2) });
    const { json } = await execute(
      inPairs({ maxRetries: 0, idempotencyKey: 'order-1' }),
      [{ phone: [0, 1, 2, 3].map(phone), code: '1' }],
      { node: { ...CONTINUE.node, ...RETRY, maxTries: 2 } },
    );
    expect(json).toMatchObject([{ status: 'rejected', parts: { length: 2 } }]);
    expect(gateway.requests).toHaveLength(3);
    expect(store.values()).toEqual([]);
  });

  test('costs nobody a second message if the service has accepted it all the same', async () => {
    gateway.fault({ kind: 'businessCode', accept: true, times: Infinity });
    const { error } = await execute(TEMPLATE, people(100), { node: { ...RETRY, maxTries: 3 } });
    expect(error?.message).toContain('None of the 100 messages was sent');
    expect(gateway.requests).toHaveLength(1);
  });

  test('with the old setting Continue On Fail: its outcome stays in the json of the item', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'refused' });
    const { json } = await execute(TEMPLATE, people(1), { node: { continueOnFail: true } });
    expect(json).toMatchObject([{ status: 'rejected', error: expect.stringContaining('refused') }]);
  });
});

// Guess: repeat
describe('a request that sent nothing', () => {
  const NOT_THROUGH = expect.stringMatching(
    /^Not sent: an earlier request of this run did not get through \(/,
  );

  test('is made again up to Max Retries times; then the rest of the run is not sent', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: Infinity });
    const { json } = await execute(inPairs({ maxRetries: 2 }), people(6), CONTINUE);
    expect(json).toMatchObject([
      ...Array<object>(2).fill({ status: 'rejected', http_status: 429 }),
      ...Array<object>(4).fill({ status: 'rejected', msg: NOT_THROUGH }),
    ]);
    expect(gateway.requests).toHaveLength(3);
    const { error } = await execute(inPairs({ maxRetries: 0 }), people(2));
    expect(error?.message).toMatch(/^None of the 2 messages was sent: The service asks to slow/);
    expect(descriptionOf(error)).toContain("'Max Concurrency' under Options");
  });

  test('for nobody listens: the rest of the run is not tried', async () => {
    const closed = await startGateway();
    const dead = await createHarness(closed.credential());
    await closed.close();
    const { json } = await dead.execute(inPairs({ maxRetries: 1 }), people(50), CONTINUE);
    const refused = { status: 'rejected', msg: expect.stringMatching(/^No conn.*ECONNREFUSED/) };
    expect(json).toMatchObject([
      ...Array<object>(2).fill(refused),
      ...Array<object>(48).fill({ status: 'rejected', msg: NOT_THROUGH }),
    ]);
  });
});

describe('a cancelled execution', () => {
  test('sends no further request, and its output says which messages were not sent', async () => {
    gateway.fault({ kind: 'hang', nth: 2 });
    const contextData = {};
    const { run, json } = await execute(inPairs(), people(8), {
      contextData,
      ...CONTINUE,
      onStart: (cancel) => void untilRequests(2).then(cancel),
    });
    expect(run.status).toBe('canceled');
    expect(json).toMatchObject([
      ...Array<object>(2).fill({ status: 'accepted' }),
      ...Array<object>(2).fill({
        status: 'unknown',
        msg: expect.stringContaining('cancelled before'),
      }),
      ...Array<object>(4).fill({ status: 'rejected', msg: 'The execution was cancelled' }),
    ]);
    expect(gateway.requests).toHaveLength(2);

    const again = await execute(inPairs(), people(8), {
      contextData: savedContext(contextData),
      ...CONTINUE,
    });
    expect(again.json.map(({ status }) => status)).toEqual([
      ...all(2, 'accepted'),
      ...all(2, 'unknown'),
      ...all(4, 'accepted'),
    ]);
    expect(gateway.requests).toHaveLength(4);
  });

  test('does not wait until Retry-After is over', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '60' });
    const { json } = await execute(inPairs(), people(4), {
      ...CONTINUE,
      onStart: (cancel) => void untilPause(30_000).then(cancel),
    });
    expect(json).toMatchObject(
      Array(4).fill({ status: 'rejected', msg: 'The execution was cancelled' }),
    );
    expect(gateway.requests).toHaveLength(1);
  });

  /** Waits until the gateway has this many requests, and has taken them in. */
  async function untilRequests(count: number): Promise<void> {
    while (gateway.requests.filter(({ outcome }) => outcome !== 'pending').length < count) {
      await new Promise(setImmediate);
    }
  }
});
