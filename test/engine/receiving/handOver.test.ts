import { ManualExecutionCancelledError, sleep, TimeoutExecutionCancelledError } from 'n8n-workflow';
import { createOtherHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { setForward } from '../../kit/engine/pauses';
import { NO_RUN, NOTHING_RAN } from '../../kit/engine/poller';
import { since } from '../../kit/engine/since';
import { countDistinct, REPORTS_ONLY } from '../../kit/engine/pulls';
import { descriptionOf } from '../../kit/engine/sends';

/** Pages become executions. What n8n does not take is left over, and is handed over again. */

const { gateway, poll, publish } = useGatewayPerTest();

/** What n8n 2.x says of an execution that has ended before anybody could wait for it. */
const ENDED_AT_ONCE = 'No active execution found';

const PAGES_OF_TEN = { ...REPORTS_ONLY, options: { pullSize: 10 } };

test.each<[said: unknown, reason: string]>([
  [new Error('The database is busy'), 'The database is busy'],
  ['busy', 'busy'],
  [{ message: undefined }, 'no reason was given'],
  [undefined, 'no reason was given'],
  [NO_RUN, 'no execution came of it'],
  [NOTHING_RAN, 'Nothing ran'],
  [new Error(`${ENDED_AT_ONCE}: 7`), 'often a credential that is missing'],
])('while n8n says %p instead of starting an execution, one page is kept', async (said, reason) => {
  gateway.queueReports(20);
  let isBusy = true;
  const onExecution = () => {
    if (isBusy && said !== NO_RUN && said !== NOTHING_RAN) throw said;
    return isBusy ? said : undefined;
  };
  const poller = await poll(PAGES_OF_TEN, { onExecution }, 2);
  expect(gateway.state.reportsLeft).toBe(10);
  const messages = Array(2).fill(expect.stringContaining(reason)) as unknown[];
  expect(poller.errors.map(({ message }) => message)).toEqual(messages);
  isBusy = false;
  await poller.tick();
  expect(countDistinct(poller.executions.flat())).toBe(20);
  expect(poller.executions.flat()).toHaveLength(20);
});

since('2.38').test(
  'a poll of which n8n took a part does not throw, also before it reports',
  async () => {
    gateway.queueReports(20);
    let attempts = 0;
    const poller = await publish(
      { ...REPORTS_ONLY, options: { pullSize: 20, itemsPerExecution: 10 } },
      {
        activation: 'update',
        budgetMs: 36_000,
        onExecution: async () => {
          if (++attempts === 1) await new Promise(() => undefined);
          throw new Error('The database is busy');
        },
      },
    );
    expect(poller.errors).toHaveLength(1);
  },
);

/** Stops an execution with an error of this class. */
const stop = (Cancellation: new (id: string) => Error) => () => {
  throw new Cancellation('1');
};

test.each<[what: string, onExecution: () => unknown]>([
  ['somebody stops it', stop(ManualExecutionCancelledError)],
  ['it runs out of time', stop(TimeoutExecutionCancelledError)],
  ['n8n has another copy of n8n-workflow', stop(class ExecutionCancelledError extends Error {})],
  [
    'its workers died',
    () => {
      const message = 'This execution failed to be processed too many times and will no longer';
      return { status: 'error', data: { resultData: { error: { message }, runData: {} } } };
    },
  ],
])('the drain continues when an execution has started: %s', async (_, end) => {
  gateway.queueReports(30);
  const onExecution = jest.fn(end);
  const poller = await poll(PAGES_OF_TEN, { onExecution }, 2);
  expect(onExecution).toHaveBeenCalledTimes(3);
  expect(poller.errors).toEqual([]);
});

since('2.0').test.each([false, true])(
  'an execution of the second engine, which none can follow, counts; Repeat Failed Executions %p',
  async (repeatFailed) => {
    gateway.queueReports(30);
    const onExecution = jest.fn(() => Promise.reject(new Error(`${ENDED_AT_ONCE}: 7`)));
    const poller = await poll(
      { ...REPORTS_ONLY, options: { pullSize: 10, repeatFailed } },
      { onExecution, settings: { engineType: 'v2' } as never },
      2,
    );
    expect(onExecution).toHaveBeenCalledTimes(3);
    expect(poller.errors).toEqual([]);
  },
);

test('what is refused late is told once each time, and saved at once: n8n may be killed', async () => {
  gateway.queueReports(10);
  const moments: Promise<void>[] = [];
  let executions = 0;
  // Without a second request, the poll ends before n8n refuses.
  const options = { pullSize: 10, itemsPerExecution: 1, maxRecordsPerPoll: 10 };
  const poller = await poll(
    { ...REPORTS_ONLY, options },
    {
      // Well after the two seconds that the trigger waits.
      onExecution: async () => {
        const half = executions++ % 2;
        await (moments[half] ??= sleep(half === 0 ? 6_000 : 9_000));
        throw new Error('The database is down');
      },
    },
  );
  await sleep(12_000);
  const atKill = poller.saved;
  await poller.deactivate();
  // Five executions were refused at each of two moments, and there are two errors.
  expect(poller.errors).toHaveLength(2);
  for (const error of poller.errors) {
    expect(error.message).toBe('n8n did not start the workflow: The database is down');
    expect(descriptionOf(error)).toContain('The delivery reports (5) are kept');
  }
  const other = await createOtherHarness(gateway.credential());
  const restarted = await other.poll(REPORTS_ONLY, { restarted: atKill });
  expect(countDistinct(restarted.executions.flat())).toBe(10);
});

test('what is refused after n8n has closed the trigger is told, and not saved: another process may write', async () => {
  gateway.queueReports(10);
  const options = { pullSize: 10, maxRecordsPerPoll: 10 };
  const onExecution = async () => {
    await sleep(5_000);
    throw new Error('The database is down');
  };
  const poller = await poll({ ...REPORTS_ONLY, options }, { onExecution });
  await poller.deactivate();
  const atClose = JSON.stringify(poller.saved);
  await sleep(5_000);
  expect(poller.errors).toHaveLength(1);
  expect(JSON.stringify(poller.saved)).toBe(atClose);
});

describe('of a large page, one record in each execution', () => {
  const ONE_BY_ONE = { ...REPORTS_ONLY, options: { pullSize: 2_000, itemsPerExecution: 1 } };

  test('at most 20 executions run at a time, and all start', async () => {
    gateway.queueReports(200);
    let running = 0;
    let most = 0;
    const poller = await poll(ONE_BY_ONE, {
      onExecution: async () => {
        most = Math.max(most, ++running);
        await sleep(200);
        running -= 1;
      },
    });
    expect(most).toBe(20);
    expect(countDistinct(poller.executions.flat())).toBe(200);
  });

  test('at most 20 executions start in 100 ms', async () => {
    gateway.queueReports(100);
    const starts: number[] = [];
    await poll(ONE_BY_ONE, { onExecution: () => void starts.push(performance.now()) });
    expect(starts).toHaveLength(100);
    for (const [index, start] of starts.slice(20).entries()) {
      expect(start - (starts[index] ?? 0)).toBeGreaterThanOrEqual(99);
    }
  });

  test('the wait for news comes once, and what the poll does not reach is kept and comes first', async () => {
    gateway.queueReports(70);
    const sizes: number[] = [];
    const onExecution = async (items: object[]) => {
      if (items.length > 0) sizes.push(gateway.requests.length);
      await new Promise(() => undefined);
    };
    const poller = await poll(ONE_BY_ONE, { onExecution });
    expect(sizes).toHaveLength(20);
    expect(gateway.requests).toHaveLength(1);
    const other = await createOtherHarness(gateway.credential());
    const restarted = await other.poll(ONE_BY_ONE, { restarted: poller.saved });
    expect(countDistinct(restarted.executions.flat())).toBe(50);
    // An execution of which n8n says nothing for half a minute has started.
    setForward(60_000);
    await poller.tick();
    expect(sizes).toHaveLength(40);
    // Set back by an hour: the clock that a user can set does not count.
    const wall = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    setForward(60_000);
    await poller.tick();
    wall.mockRestore();
    expect(sizes).toHaveLength(60);
    expect(poller.errors).toEqual([]);
  });
});
