import { startGateway } from '../../sandbox/gateway';
import { duringMs } from '../../sandbox/limits';
import { createHarness } from '../harness';
import { untilPause } from '../harness/pauses';
import {
  CONTINUE,
  descriptionOf,
  inPairs,
  people,
  savedContext,
  useSendingGateway,
  withOptions,
} from '../harness/sends';

/** When requests are sent again, and when no further request is sent. */

const { gateway, execute } = useSendingGateway();

// Guess: repeat
describe('a request that sent nothing is sent again, with a back-off', () => {
  test('after HTTP 429, when Retry-After is over', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: 3 });
    const { json } = await execute(inPairs(), people(2));
    expect(json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
    expect(gateway.requests).toHaveLength(4);
  });

  test('after HTTP 429 without Retry-After', async () => {
    gateway.fault({ kind: 'tooManyRequests' });
    const { json } = await execute(inPairs(), people(1));
    expect(json).toMatchObject([{ status: 'accepted' }]);
    expect(gateway.requests).toHaveLength(2);
  });

  test('at most Max Retries times; then its messages are refused', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: 3 });
    const { error } = await execute(inPairs({ maxRetries: 2 }), people(2));
    expect(error?.message).toContain(
      'None of the 2 messages was sent: The service asks to slow down',
    );
    expect(descriptionOf(error)).toContain("'Max Concurrency' under Options");
    expect(gateway.requests).toHaveLength(3);
  });

  test('never with Max Retries 0, and the rest of the run is not sent', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0' });
    const { json } = await execute(inPairs({ maxRetries: 0 }), people(4), CONTINUE);
    expect(json).toMatchObject([
      { status: 'rejected', http_status: 429 },
      { status: 'rejected', http_status: 429 },
      {
        status: 'rejected',
        msg: expect.stringMatching(/^Not sent: an earlier request of this run did not get through/),
      },
      {
        status: 'rejected',
        msg: expect.stringMatching(/^Not sent: an earlier request of this run did not get through/),
      },
    ]);
    expect(gateway.requests).toHaveLength(1);
  });

  test('all requests of the run wait until Retry-After is over', async () => {
    // The service refuses every request during the pause.
    const match = duringMs(900);
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '1', match, times: Infinity });
    const { json } = await execute(withOptions({ batchSize: 1, maxConcurrency: 2 }), people(6));
    expect(json.map(({ status }) => status)).toEqual(Array(6).fill('accepted'));
    // Two requests were in flight at most. The other four waited until the pause was over.
    expect(gateway.requests.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(2);
  });

  test('not when Retry-After is longer than a minute; then nothing else is sent', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '3600' });
    const { json } = await execute(inPairs(), people(6), CONTINUE);
    expect(json.map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
    expect(json[2]).toMatchObject({
      msg: expect.stringMatching(/^Not sent: an earlier request of this run did not get through/),
    });
    expect(gateway.requests).toHaveLength(1);
  });

  test('when the service stays unreachable, the rest of the run is not tried', async () => {
    const closed = await startGateway();
    const dead = await createHarness(closed.credential());
    await closed.close();
    const { json } = await dead.execute(
      withOptions({ batchSize: 1, maxConcurrency: 1, maxRetries: 1 }),
      people(50),
      CONTINUE,
    );
    expect(json).toHaveLength(50);
    for (const item of json) expect(item).toMatchObject({ status: 'rejected' });
    expect(json[0]).toMatchObject({ msg: expect.stringMatching(/^No connection.*ECONNREFUSED/) });
    const untried = json.filter(({ msg }) =>
      String(msg).startsWith('Not sent: an earlier request'),
    );
    expect(untried).toHaveLength(49);
  });

  test.each(['businessCode', 'status', 'resetBeforeAccept', 'html'] as const)(
    'not after "%s"',
    async (kind) => {
      gateway.fault({ kind });
      await execute(inPairs(), people(1));
      expect(gateway.requests).toHaveLength(1);
    },
  );
});

describe('a cancelled execution', () => {
  test('sends no further request, and its output says which messages were not sent', async () => {
    gateway.fault({ kind: 'hang', nth: 2 });
    const contextData = {};
    const { run, json } = await execute(inPairs({ timeout: 60_000 }), people(8), {
      contextData,
      ...CONTINUE,
      onStart: (cancel) => void untilRequests(2).then(cancel),
    });
    expect(run.status).toBe('canceled');
    expect(json.map(({ status }) => status)).toEqual([
      'accepted',
      'accepted',
      'unknown',
      'unknown',
      ...Array(4).fill('rejected'),
    ]);
    expect(json[2]).toMatchObject({ msg: expect.stringContaining('cancelled before') });
    expect(json[4]).toMatchObject({ msg: 'The execution was cancelled' });
    expect(gateway.requests).toHaveLength(2);

    const again = await execute(inPairs(), people(8), {
      contextData: savedContext(contextData),
      ...CONTINUE,
    });
    expect(again.json.map(({ status }) => status)).toEqual([
      'accepted',
      'accepted',
      'unknown',
      'unknown',
      ...Array(4).fill('accepted'),
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

  async function untilRequests(count: number): Promise<void> {
    while (gateway.requests.filter(({ outcome }) => outcome !== 'pending').length < count) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
