import {
  ManualExecutionCancelledError,
  SystemShutdownExecutionCancelledError,
  TimeoutExecutionCancelledError,
} from 'n8n-workflow';
import { useGatewayPerTest } from '../harness/gateway';
import { NOTHING_RAN } from '../harness/poller';
import { since } from '../harness/since';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';

/** Pages become executions. What n8n does not take is left over, and is handed over again. */

const { gateway, createPoller } = useGatewayPerTest();

// Guess: push
test('each page of both events starts an execution', async () => {
  gateway.queueReports(25);
  gateway.queueReplies(15);
  const poller = createPoller({ options: { pullSize: 10 } });
  await poller.tick();

  expect(poller.errors).toEqual([]);
  expect(poller.executions.map((items) => items.length).sort()).toEqual([10, 10, 10, 5, 5]);
  const items = poller.executions.flat();
  expect(countDistinct(items)).toBe(40);
  expect(items.filter(({ event }) => event === 'reply')).toHaveLength(15);
  for (const item of items)
    expect(item.time_iso).toBe(new Date(Number(item.time) * 1000).toISOString());
});

test('the next page is pulled only when the one before has started its execution', async () => {
  gateway.queueReports(30);
  const requestsAtHandOver: number[] = [];
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    {
      onExecution: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        requestsAtHandOver.push(gateway.requests.length);
      },
    },
  );
  await poller.tick();
  expect(requestsAtHandOver).toEqual([1, 2, 3]);
});

test('only the records that n8n did not take are left over, and handed over again', async () => {
  gateway.queueReports(20);
  let attempts = 0;
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 20, itemsPerExecution: 5 } },
    {
      onExecution: () => {
        attempts += 1;
        if (attempts === 2) throw new Error('The database is busy');
      },
    },
  );
  await poller.tick();
  // All parts are handed over at once. n8n saves with the empty one.
  expect(poller.executions.map((items) => items.length)).toEqual([5, 5, 5, 0]);
  await poller.tick();
  expect(poller.executions.filter((items) => items.length > 0)).toHaveLength(4);
  expect(countDistinct(poller.executions.flat())).toBe(20);
});

test.each([new Error('The database is busy'), 'busy', { message: undefined }, undefined])(
  'no record is lost when n8n throws %p instead of starting an execution',
  async (reason) => {
    gateway.queueReports(10);
    let isBusy = true;
    const poller = createPoller(REPORTS_ONLY, {
      onExecution: async () => {
        if (isBusy) throw reason;
      },
    });
    await poller.tick();
    expect(poller.errors).toHaveLength(1);
    isBusy = false;
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(10);
  },
);

since('2.38').test(
  'a poll of which n8n took a part does not throw, also before it reports',
  async () => {
    gateway.queueReports(20);
    let attempts = 0;
    const poller = createPoller(
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
    await poller.activate();
    expect(poller.errors).toHaveLength(1);
  },
);

test('a poll that n8n has given up pulls nothing more, and loses nothing', async () => {
  gateway.queueReports(30);
  let isGivenUp = true;
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    { onExecution: () => (isGivenUp ? 'no run' : undefined) },
  );
  await poller.tick();
  expect(gateway.requests).toHaveLength(1);
  isGivenUp = false;
  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(30);
});

test.each([
  ['somebody stops an execution', ManualExecutionCancelledError],
  ['an execution runs out of time', TimeoutExecutionCancelledError],
  ['n8n stops an execution to stop itself', SystemShutdownExecutionCancelledError],
  [
    'an n8n with another copy of n8n-workflow stops one',
    class ExecutionCancelledError extends Error {},
  ],
])('the drain continues when %s: the execution has started', async (_, Cancellation) => {
  gateway.queueReports(30);
  let stopped = 0;
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    {
      onExecution: () => {
        stopped += 1;
        throw new Cancellation('1');
      },
    },
  );
  await poller.tick();
  expect(stopped).toBe(3);
  expect(poller.errors).toEqual([]);
  await poller.tick();
  expect(stopped).toBe(3);
});

/** What n8n 2.x says of an execution that has ended before anybody could wait for it. */
const endedAtOnce = async () => {
  throw new Error('No active execution found: 7');
};

since('2.0').test('the drain continues when an execution runs in the second engine', async () => {
  gateway.queueReports(30);
  const onExecution = jest.fn(endedAtOnce);
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    { onExecution, settings: { engineType: 'v2' } as never },
  );
  await poller.tick();
  await poller.tick();
  expect(onExecution).toHaveBeenCalledTimes(3);
  expect(poller.errors).toEqual([]);
});

describe.each([
  ['the workflow may not run', endedAtOnce, 'often a credential that is missing'],
  ['nothing of it ran', async () => NOTHING_RAN, 'Nothing ran'],
])('while n8n stores an execution without its items, because %s', (_, refuse, reason) => {
  test('a page of each event is kept, nothing more is pulled, and all come in the end', async () => {
    gateway.queueReports(50);
    gateway.queueReplies(50);
    let mayRun = false;
    const poller = createPoller(
      { options: { pullSize: 10 } },
      { onExecution: async () => (mayRun ? undefined : await refuse()) },
    );
    for (let poll = 0; poll < 3; poll++) await poller.tick();
    expect(gateway.requests).toHaveLength(2);
    expect(poller.errors).toHaveLength(3);
    expect(poller.errors[0]?.message).toContain(reason);
    mayRun = true;
    await poller.tick();
    expect(countDistinct(poller.executions.flat())).toBe(100);
    expect(poller.executions.flat()).toHaveLength(100);
  });
});

test('an execution whose workers died has started', async () => {
  gateway.queueReports(20);
  const died = 'This execution failed to be processed too many times and will no longer retry.';
  const data = { resultData: { error: { message: died }, runData: {} } };
  const side = () => ({
    emit: (_items: unknown, _response: unknown, done?: { resolve: (run: never) => void }) =>
      done?.resolve({ data } as never),
    emitError: () => undefined,
  });
  const poller = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } }, { side });
  await poller.tick();
  expect(gateway.state.reportsLeft).toBe(0);
});

test('a poll pulls nothing more after an execution that did not start, and loses nothing', async () => {
  gateway.queueReports(50);
  let isPublished = true;
  const options = {
    workflowId: 'published-twice',
    onExecution: () => {
      if (!isPublished) throw new Error('Published version not found for workflow');
      if (poller.executions.length === 1) isPublished = false;
    },
  };
  const poller = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } }, options);
  await poller.tick();
  expect(poller.executions).toHaveLength(2);
  expect(gateway.requests).toHaveLength(3);
  expect(poller.errors.map(({ message }) => message)).toEqual([
    'n8n did not start the workflow: Published version not found for workflow, while pulling delivery reports',
  ]);

  isPublished = true;
  const again = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } }, options);
  await again.activate();
  expect(again.executions.map((items) => items.length)).toEqual([10, 10, 10]);
  const items = [...poller.executions, ...again.executions].flat();
  expect(countDistinct(items)).toBe(50);
});
