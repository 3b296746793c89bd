import { ManualExecutionCancelledError, sleep } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { REPORT_LOST_AFTER_MS } from '../../../nodes/SmsMessagingService/receiving/ledger';
import { deliveryReport } from '../../sandbox/records';
import { createOtherHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { setForward } from '../../kit/engine/pauses';
import { runOf } from '../../kit/engine/poller';
import type { PollerOptions } from '../../kit/engine/poller';
import { countDistinct, REPORTS_ONLY } from '../../kit/engine/pulls';
import { descriptionOf } from '../../kit/engine/sends';
import { since } from '../../kit/engine/since';

/**
 * 'Repeat Failed Executions': what failed comes again, and holds up nothing. test/search/ searches for what these
 * stories do not tell.
 */

const { gateway, createPoller, poll } = useGatewayPerTest();

const REPEATED = { ...REPORTS_ONLY, options: { pullSize: 10, repeatFailed: true } };

const FAILED = runOf(true);

const cancel = () => {
  throw new ManualExecutionCancelledError('1');
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

// The clock on the wall goes with the pauses.
beforeEach(() => {
  const start = Date.now() - performance.now();
  jest.spyOn(Date, 'now').mockImplementation(() => start + performance.now());
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** The ID of the page that each execution got. */
const pageIds = (executions: IDataObject[][]) =>
  executions.map((items) => [...new Set(items.map(({ page_id: id }) => id))].join());

const batchesIn = (items: IDataObject[]) => items.map(({ batch_id: id }) => id);

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

/** A workflow that cannot handle some records, or nothing while it is out of order. It tells what it has got. */
function workflowWith(...poison: string[]) {
  const got: string[] = [];
  const state = { isOut: false };
  const onExecution = (items: IDataObject[]) => {
    if (items.length === 0) return undefined;
    const batches = batchesIn(items).map(String);
    got.push(batches.join(' '));
    return state.isOut || batches.some((batch) => poison.includes(batch)) ? FAILED : undefined;
  };
  return { got, state, onExecution };
}

/** Reports that come now. */
const queue = (...batches: string[]) =>
  gateway.queueReports(
    batches.map((batch_id) => deliveryReport({ batch_id, time: Math.floor(Date.now() / 1000) })),
  );

const named = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `b${from + index}`);

describe('a record that its workflow cannot handle', () => {
  test('holds up no other, in its page and behind it', async () => {
    queue('a', 'poison', 'c');
    const { got, onExecution } = workflowWith('poison');
    const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
    queue('STOP');
    await poller.tick();
    expect(got).toEqual(['a poison c', 'a', 'poison', 'c', 'STOP', 'poison']);
    await poller.tick(60);
    // After 5, 15 and 30 minutes.
    expect(got.slice(6)).toEqual(['poison', 'poison', 'poison']);
    expect(poller.errors).toEqual([]);
  });

  test('comes with the ID of its page and its number there, the same at each try', async () => {
    queue(...named(5));
    const { onExecution } = workflowWith('b3');
    const poller = await poll(REPEATED, { onExecution, isEachMinute: true }, 3);
    const [page, ...alone] = pageIds(poller.executions);
    const numbers = alone.map((id) => id.replace(`${page}/`, ''));
    // The first, the last and the middle one show that something works. Then the others come, in their order.
    expect(numbers).toEqual(['1', '3', '5', '2', '4', '4']);
  });

  test('lets the others of its page come one after the other, while pulling goes on', async () => {
    queue(...named(10));
    queue(...named(10, 10));
    const { got, onExecution } = workflowWith('b7');
    await poll(REPEATED, { onExecution });
    const rest = named(10, 10).join(' ');
    expect(got.slice(0, 5)).toEqual([named(10).join(' '), 'b0', 'b4', 'b9', rest]);
    expect(got.slice(5)).toEqual(['b1', 'b2', 'b3', 'b5', 'b6', 'b7', 'b8']);
  });

  test('alone in its page holds up the others for minutes only', async () => {
    queue('poison');
    const { got, onExecution } = workflowWith('poison');
    const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
    queue('STOP');
    await poller.tick(2);
    expect(got).toEqual(['poison', 'poison']);
    await poller.tick(3);
    expect(got.slice(2)).toEqual(['poison', 'STOP', 'poison', 'poison']);
  });

  // Before, n8n does not tell a trigger how its workflow is set.
  const tellsSettings = since('1.122');
  for (const [n8n, kept, settings, says] of [
    [since('1.99'), 'with its fields, if n8n may not keep them', {}, '"batch_id":"poison"'],
    [tellsSettings, 'if n8n keeps them', { saveDataErrorExecution: 'all' }, 'can be run again'],
  ] as const) {
    n8n.test(`is given up after a day in which others work, and told once, ${kept}`, async () => {
      queue('a', 'poison');
      const { got, onExecution } = workflowWith('poison');
      const poller = await poll(REPEATED, { onExecution, settings: settings as never });
      for (let hour = 1; hour < 24; hour++) {
        setForward(HOUR);
        queue(`h${hour}`);
        await poller.tick();
      }
      expect(poller.errors).toEqual([]);
      for (let hour = 0; hour < 12; hour++) {
        setForward(HOUR);
        queue(`i${hour}`);
        await poller.tick();
      }
      expect(poller.errors.map(({ message }) => message)).toEqual([
        'The trigger has given up 1 of the delivery reports: the workflow fails with each of them, but not with others',
      ]);
      expect(descriptionOf(poller.errors[0])).toContain(says);
      const tries = got.filter((batches) => batches === 'poison').length;
      setForward(9 * HOUR);
      await poller.tick();
      expect(got.filter((batches) => batches === 'poison')).toHaveLength(tries);
      await poller.deactivate();
      expect((await pollAnew(poller.saved, {}, 3)).executions).toEqual([]);
    });
  }

  test('is none that failed when nothing worked, after a clock was set back a day', async () => {
    queue('a');
    const { got, state, onExecution } = workflowWith();
    const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
    const start = Date.now() - performance.now() - 24 * HOUR;
    jest.spyOn(Date, 'now').mockImplementation(() => start + performance.now());
    state.isOut = true;
    queue('b');
    await poller.tick(120);
    state.isOut = false;
    const tries = got.length;
    await poller.tick(31);
    expect(got.slice(tries)).toEqual(['b']);
  });

  test('is given up if too many are kept, the oldest first, and ten come again in a poll', async () => {
    const poison = named(600);
    const { got, onExecution } = workflowWith(...poison);
    const parameters = { ...REPEATED, options: { pullSize: 100, repeatFailed: true } };
    for (let page = 0; page < 6; page++) {
      queue(`first-${page}`, ...poison.slice(page * 98, (page + 1) * 98), `last-${page}`);
    }
    const poller = createPoller(parameters, { onExecution, isEachMinute: true });
    await poller.tick(10);
    setForward(HOUR);
    await poller.tick();
    const counts = poller.errors.map(({ message }) => /given up (\d+) /.exec(message)?.[1]);
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(88);
    got.length = 0;
    setForward(4 * HOUR);
    await poller.tick();
    expect(got).toHaveLength(10);
  });
});

describe('while nothing works', () => {
  test.each([
    ['fails', () => FAILED],
    ['is cancelled', cancel],
  ])(
    'because every execution %s, nothing is given up, and what is kept stays small',
    async (_, end) => {
      gateway.queueReports(3_000);
      const sizes: number[] = [];
      const handled = new Set<unknown>();
      let isMended = false;
      const onExecution = (items: IDataObject[]) => {
        if (items.length > 0) sizes.push(items.length);
        if (isMended) for (const batch of batchesIn(items)) handled.add(batch);
        return isMended ? undefined : end();
      };
      const options = { pullSize: 100, repeatFailed: true };
      const poller = await poll({ ...REPORTS_ONLY, options }, { onExecution, isEachMinute: true });
      // A page, and three of its records alone, after 1, 2, 4, 8 minutes.
      expect(sizes).toEqual([100, 1, 1, 1]);
      await poller.tick();
      await poller.tick();
      expect(sizes).toHaveLength(8);
      await poller.tick();
      // After three tries, another page.
      expect(sizes.slice(8)).toEqual([100, 1, 1, 1, 100, 1, 1, 1]);
      // After a day, what fails by itself would be given up.
      for (let hour = 0; hour < 30; hour++) {
        setForward(HOUR);
        await poller.tick();
      }
      expect(gateway.state.reportsLeft).toBe(2_800);
      const messages = poller.errors.map(({ message }) => message);
      expect(new Set(messages).size).toBe(1);
      expect(messages[0]).toMatch(/^No execution with delivery reports has succeeded since 20/);
      expect(messages.length).toBeGreaterThan(25);
      isMended = true;
      setForward(10 * MINUTE);
      await poller.tick();
      expect(handled.size).toBe(3_000);
      expect(gateway.state.reportsLeft).toBe(0);
    },
  );

  test('other records are tried alone each time, so that some that cannot be handled hide nothing', async () => {
    const poison = ['b0', 'b4', 'b9', 'b1', 'b8'];
    queue(...named(10));
    const { got, onExecution } = workflowWith(...poison);
    const poller = createPoller(REPEATED, { onExecution, isEachMinute: true });
    await poller.tick(2);
    expect(got).toHaveLength(4 + 3 + 9);
    expect(got.filter((each) => !each.includes(' '))).toEqual(expect.arrayContaining(named(10)));
  });
});

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

test('the records of a page without any report come alone after a time, once, and any success is enough', async () => {
  gateway.queueReports(10);
  const { ends, onExecution } = heldExecutions();
  const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
  setForward(REPORT_LOST_AFTER_MS);
  await poller.tick();
  expect(ends).toHaveLength(11);
  ends[1]?.(FAILED);
  ends[0]?.(runOf());
  setForward(2 * REPORT_LOST_AFTER_MS);
  await poller.tick(3);
  expect(ends).toHaveLength(11);
});

test('pages that fail together are one try', async () => {
  const pages = 4;
  gateway.queueReports(pages * 10);
  const { ends, onExecution } = heldExecutions();
  const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
  expect(ends).toHaveLength(pages);
  const fail = async () => {
    for (const end of ends.splice(0)) end(FAILED);
    await new Promise(setImmediate);
  };
  await fail();
  // Three records of each page at once, and then a page, and nothing of the others.
  await poller.tick();
  expect(ends).toHaveLength(3 * pages);
  await fail();
  await poller.tick();
  expect(ends).toHaveLength(1);
});

test.each([
  ['before', []],
  ['after it has failed', [FAILED]],
])(
  'what is silent alone, too, holds up nothing while nothing works, silent %s',
  async (_, ends) => {
    queue('silent');
    const { got, state, onExecution } = workflowWith();
    const poller = await poll(REPEATED, {
      onExecution: async (items) => {
        const end = onExecution(items);
        const isSilent = batchesIn(items).includes('silent') && got.length > ends.length;
        return isSilent ? await new Promise(() => undefined) : (ends[got.length - 1] ?? end);
      },
      isEachMinute: true,
    });
    for (let times = 0; times < 3; times++) {
      setForward(REPORT_LOST_AFTER_MS);
      await poller.tick();
    }
    state.isOut = true;
    queue('other');
    await poller.tick();
    state.isOut = false;
    await poller.tick(2);
    expect(got.slice(ends.length)).toEqual(['silent', 'silent', 'other', 'other']);
  },
);

test('what is silent alone, too, comes again only when n8n says that it has failed', async () => {
  gateway.queueReports(1);
  const { ends, onExecution } = heldExecutions();
  const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
  for (let times = 0; times < 4; times++) {
    setForward(REPORT_LOST_AFTER_MS);
    await poller.tick();
  }
  expect(ends).toHaveLength(2);
  ends[1]?.(FAILED);
  await poller.tick(2);
  expect(ends).toHaveLength(3);
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
    expect(batchesIn(again.executions.flat()).sort()).toEqual(
      batchesIn(poller.executions.flat()).sort(),
    );
    const [page] = pageIds(poller.executions);
    expect(pageIds(again.executions).every((id) => id.startsWith(`${page}/`))).toBe(true);
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
    setForward(MINUTE);
    await again.tick();
    expect(repeated.map((items) => items.length)).toEqual([10, 1, 1, 1, 10]);
    expect(repeated.at(-1)).toEqual(repeated[0]);
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
