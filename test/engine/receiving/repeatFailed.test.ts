import { ManualExecutionCancelledError, sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { REPORT_LOST_AFTER_MS } from '../../../nodes/SmsMessagingService/receiving/pageLedger';
import { createOtherHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { setForward } from '../../kit/engine/pauses';
import { runOf } from '../../kit/engine/poller';
import type { PollerOptions } from '../../kit/engine/poller';
import { countDistinct, REPORTS_ONLY } from '../../kit/engine/pulls';

/** 'Repeat Failed Executions': a page comes until an execution with it has succeeded. */

const { gateway, createPoller, testTrigger, poll } = useGatewayPerTest();

const REPEATED = { ...REPORTS_ONLY, options: { pullSize: 10, repeatFailed: true } };

const FAILED = runOf(true);

const cancel = () => {
  throw new ManualExecutionCancelledError('1');
};

/** The ID of the page that each execution got. */
const pageIds = (executions: IDataObject[][]) =>
  executions.map((items) => [...new Set(items.map(({ page_id: id }) => id))].join());

/** The trigger in a new process, with what n8n has saved, after its polls there. */
async function pollAnew(restarted: IDataObject, options: PollerOptions = {}, times = 1) {
  const other = await createOtherHarness(gateway.credential());
  return await other.poll(REPEATED, { restarted, ...options }, times);
}

/** Executions that n8n reports on when the test says so. */
function heldExecutions() {
  const ends: ((end: unknown) => void)[] = [];
  const onExecution = async () => await new Promise((resolve) => ends.push(resolve));
  return { ends, onExecution };
}

test.each([
  ['fails', () => FAILED],
  ['is cancelled', cancel],
])(
  'while every execution %s, a page comes at each poll and the service keeps the rest',
  async (_, end) => {
    gateway.queueReports(300);
    let isMended = false;
    const onExecution = () => (isMended ? undefined : end());
    const poller = await poll(REPEATED, { onExecution }, 4);
    // The failed executions say what is wrong. An error of the poll would slow the next one down.
    expect(poller.errors).toEqual([]);
    expect(gateway.state.reportsLeft).toBe(290);
    isMended = true;
    await poller.tick();
    expect(countDistinct(poller.executions.flat())).toBe(300);
    expect(gateway.state.reportsLeft).toBe(0);
  },
);

test('a page whose execution waits has succeeded so far', async () => {
  gateway.queueReports(30);
  const waiting = { ...runOf(), status: 'waiting', finished: false };
  const poller = await poll(REPEATED, { onExecution: () => waiting }, 3);
  expect(countDistinct(poller.executions.flat())).toBe(30);
  expect(poller.executions).toHaveLength(3);
});

test.each([
  ['at once', []],
  ['at its second time', [FAILED]],
])('after a graceful stop, no page that has succeeded %s comes again', async (_, failures) => {
  gateway.queueReports(10);
  const poller = await poll(REPEATED, { onExecution: () => failures.shift() }, 2);
  await poller.deactivate();
  expect((await pollAnew(poller.saved)).executions).toEqual([]);
});

test('a page without any report comes again after a time, and any success is enough', async () => {
  gateway.queueReports(20);
  const { ends, onExecution } = heldExecutions();
  const poller = await poll(
    { ...REPEATED, options: { ...REPEATED.options, maxRecordsPerPoll: 10 } },
    { onExecution },
  );
  setForward(REPORT_LOST_AFTER_MS);
  await poller.tick();
  expect(ends).toHaveLength(2);
  ends[0]?.(runOf());
  ends[1]?.(FAILED);
  await poller.tick();
  expect(new Set(pageIds(poller.executions)).size).toBe(1);
  expect(ends).toHaveLength(3);
  expect(gateway.state.reportsLeft).toBe(0);
});

describe('a page whose execution fails after', () => {
  /** A drain whose first execution fails only when the test says so. */
  async function startSlowFailure(workflowId: string) {
    gateway.queueReports(10);
    const { ends, onExecution } = heldExecutions();
    const poller = await poll(REPEATED, { workflowId, onExecution });
    await poller.deactivate();
    return {
      poller,
      fail: async () => {
        ends[0]?.(FAILED);
        await new Promise(setImmediate);
      },
    };
  }

  test.each<[string, PollerOptions['node'], string]>([
    ['the workflow was unpublished and published again', {}, 'stale'],
    ['its node was renamed', { name: 'Renamed' }, 'new'],
    ['its node was replaced by another', { id: 'node-2' }, 'none'],
  ])('%s comes again, once: %j, %s static data', async (_, node, kind) => {
    const workflowId = `${_} ${kind}`;
    const { poller, fail } = await startSlowFailure(workflowId);
    const restarted = kind === 'none' ? {} : structuredClone(poller.saved);
    const again = await poll(REPEATED, { workflowId, restarted, node }, 4);
    expect(again.executions.flat()).toEqual([]);
    await fail();
    await again.tick(2);
    expect(again.executions.flat()).toEqual(poller.executions.flat());
    expect(countDistinct(again.executions.flat())).toBe(10);
  });

  test('its node was replaced by another, and n8n was killed, comes again', async () => {
    const options = { workflowId: 'replaced and killed', node: { id: 'node-2' } };
    const { poller } = await startSlowFailure(options.workflowId);
    const restarted = structuredClone(poller.saved);
    const again = await poll(REPEATED, { ...options, restarted }, 4);
    gateway.queueReports(1);
    await again.tick();
    expect(again.executions.flat()).toHaveLength(1);
    const anew = await pollAnew(again.saved, options, 3);
    expect(countDistinct(anew.executions.flat())).toBeGreaterThanOrEqual(10);
  });

  test('the option was switched off comes again, once', async () => {
    const { fail } = await startSlowFailure('switched-off');
    const options = { workflowId: 'switched-off', onExecution: () => FAILED };
    const again = createPoller(REPORTS_ONLY, options);
    await fail();
    await again.tick(3);
    expect(again.executions.map((items) => items.length)).toEqual([10]);
    expect(again.executions.flat()).not.toContainEqual(
      expect.objectContaining({ page_id: expect.anything() }),
    );
  });
});

test('a page whose trigger was forgotten meanwhile comes again', async () => {
  gateway.queueReports(10);
  const poller = await poll(REPEATED, { workflowId: 'forgotten', onExecution: () => FAILED });
  const { saved } = poller;
  await poller.deactivate();
  for (let each = 0; each <= 100; each++) {
    await createPoller(REPEATED, { workflowId: `other-${each}` }).deactivate();
  }
  const again = await poll(REPEATED, { workflowId: 'forgotten', restarted: saved });
  expect(countDistinct(again.executions.flat())).toBe(10);
});

describe('"Fetch Test Event" in the editor', () => {
  test('shows page_id with the option on, and not without it', async () => {
    const items = await testTrigger({ options: { repeatFailed: true } });
    expect(new Set(items.map((item) => typeof item.page_id))).toEqual(new Set(['string']));
    const others = await testTrigger({});
    expect(others.flatMap(Object.keys)).not.toContain('page_id');
  });

  // A workflow that stores each page once must store the second test, too.
  test('gives live data a page_id that no other test has', async () => {
    gateway.queueReports(2);
    const live = { ...REPEATED, testData: 'live', options: { pullSize: 1, repeatFailed: true } };
    const [first] = await testTrigger(live);
    const [second] = await testTrigger(live);
    expect(second?.page_id).not.toBe(first?.page_id);
  });
});

describe('the option is switched on while executions of a page are pending', () => {
  const workflowId = (name: string) => `switched-on: ${name}`;
  const PARTS = { ...REPORTS_ONLY, options: { pullSize: 30, itemsPerExecution: 10 } };
  const SWITCHED = { ...REPORTS_ONLY, options: { pullSize: 30, repeatFailed: true } };

  /** What one execution says after a time, and everything else that the next ones say. */
  const refuseAfter = async (milliseconds: number) => {
    await sleep(milliseconds);
    throw new Error('The database is down');
  };

  test('n8n refuses all of them late: every record comes in an execution that succeeds', async () => {
    gateway.queueReports(30);
    const after = [2_000, 9_000, 20_000];
    const options = { workflowId: workflowId('all') };
    const before = await poll(PARTS, {
      ...options,
      onExecution: async (items) => {
        if (items.length > 0) await refuseAfter(after.shift() ?? 0);
      },
    });
    await before.deactivate();
    const again = createPoller(SWITCHED, options);
    for (let poll = 0; poll < 3; poll++) {
      await again.tick();
      await sleep(10_000);
    }
    await again.tick();
    expect(countDistinct(again.executions.flat())).toBe(30);
    expect(again.executions.flat()).toHaveLength(30);
    // Who stores each page once must not take what came later for the same page.
    const ids = pageIds(again.executions.filter((items) => items.length > 0));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('a late success of one of them confirms nothing but itself', async () => {
    gateway.queueReports(30);
    const options = { workflowId: workflowId('late success') };
    const { ends, onExecution } = heldExecutions();
    const before = await poll(PARTS, {
      ...options,
      onExecution: async (items) =>
        items.length > 0 && ends.length === 0
          ? await refuseAfter(ends.push(() => undefined))
          : await (items.length > 0 ? onExecution() : undefined),
    });
    await before.deactivate();
    const repeated: IDataObject[][] = [];
    let isMended = false;
    const again = await poll(SWITCHED, {
      ...options,
      onExecution: (items) => {
        if (items.length > 0) repeated.push(items);
        // The others succeed while the repeated one runs, which fails.
        for (const end of ends.splice(0)) end(runOf());
        return isMended ? runOf() : FAILED;
      },
    });
    isMended = true;
    await again.tick();
    expect(repeated.map((items) => items.length)).toEqual([10, 10]);
    expect(repeated[1]).toEqual(repeated[0]);
  });
});

test('what n8n refuses after its node was replaced is saved where the new node saves', async () => {
  gateway.queueReports(10);
  const workflowId = 'refused-after-replacement';
  const { ends, onExecution } = heldExecutions();
  const before = await poll(REPORTS_ONLY, {
    workflowId,
    onExecution: async (items) => {
      if (items.length === 0) return;
      await onExecution();
      throw new Error('The database is down');
    },
  });
  await before.deactivate();
  const after = await poll(REPEATED, { workflowId, node: { id: 'node-2' } });
  setForward(190_000);
  ends[0]?.(undefined);
  await sleep(10_000);
  await after.deactivate();
  const anew = await pollAnew(after.saved, { node: { id: 'node-2' } }, 3);
  expect(countDistinct(anew.executions.flat())).toBe(10);
});
