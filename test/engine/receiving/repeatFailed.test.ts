import type { IDataObject } from 'n8n-workflow';
import { REPORT_LOST_AFTER_MS } from '../../../nodes/SmsMessagingService/receiving/ledger';
import { deliveryReport } from '../../sandbox/records';
import { createOtherHarness } from '../../kit/engine';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { setForward } from '../../kit/engine/pauses';
import { runOf } from '../../kit/engine/poller';
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

const batchesIn = (items: IDataObject[]) => items.map(({ batch_id: id }) => id);

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
  test('holds up no other, in its page and behind it, and comes again later and later', async () => {
    queue(...named(10));
    queue(...named(10, 10));
    const { got, onExecution } = workflowWith('b7');
    const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
    const rest = named(10, 10).join(' ');
    // The first, the last and the middle one show that something works. Then the others come, in their order.
    expect(got.slice(0, 5)).toEqual([named(10).join(' '), 'b0', 'b4', 'b9', rest]);
    expect(got.slice(5)).toEqual(['b1', 'b2', 'b3', 'b5', 'b6', 'b7', 'b8']);
    // Alone, a record comes with its place in the page behind the page's ID.
    const [page, ...alone] = poller.executions.map(([item]) => item?.page_id);
    expect(alone.slice(0, 3)).toEqual([`${page}/1`, `${page}/5`, `${page}/10`]);
    await poller.tick(61);
    // After 1, 5, 15 and 30 minutes.
    expect(got.slice(12)).toEqual(['b7', 'b7', 'b7', 'b7']);
    expect(poller.errors).toEqual([]);
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
      for (let hour = 1; hour < 36; hour++) {
        setForward(HOUR);
        queue(`h${hour}`);
        await poller.tick();
        if (hour < 24) expect(poller.errors).toEqual([]);
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
      const other = await createOtherHarness(gateway.credential());
      const anew = await other.poll(REPEATED, { restarted: poller.saved }, 3);
      expect(anew.executions).toEqual([]);
    });
  }

  tellsSettings.test('is not given up while n8n keeps no failed execution', async () => {
    queue('a', 'poison');
    const { got, onExecution } = workflowWith('poison');
    const settings = { saveDataErrorExecution: 'none' } as const;
    const poller = await poll(REPEATED, { onExecution, settings });
    for (let hour = 1; hour < 36; hour++) {
      setForward(HOUR);
      queue(`h${hour}`);
      await poller.tick();
    }
    expect(poller.errors).toEqual([]);
    const anew = await (
      await createOtherHarness(gateway.credential())
    ).poll(REPEATED, { restarted: poller.saved, onExecution, settings }, 3);
    expect(anew.errors).toEqual([]);
    const tries = got.filter((batches) => batches === 'poison').length;
    setForward(5 * HOUR);
    await anew.tick();
    expect(got.filter((batches) => batches === 'poison')).toHaveLength(tries + 1);
  });

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
  test('nothing is given up, and what is kept stays small', async () => {
    gateway.queueReports(3_000);
    const sizes: number[] = [];
    const handled = new Set<unknown>();
    let isMended = false;
    const onExecution = (items: IDataObject[]) => {
      if (items.length > 0) sizes.push(items.length);
      if (isMended) for (const batch of batchesIn(items)) handled.add(batch);
      return isMended ? undefined : FAILED;
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
  });

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

test('the records of a page that fails after another has succeeded come alone at once', async () => {
  gateway.queueReports(20);
  const { ends, onExecution } = heldExecutions();
  const poller = await poll(REPEATED, { onExecution, isEachMinute: true });
  ends[1]?.(runOf());
  await new Promise(setImmediate);
  ends[0]?.(FAILED);
  await poller.tick();
  expect(ends).toHaveLength(2 + 10);
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
