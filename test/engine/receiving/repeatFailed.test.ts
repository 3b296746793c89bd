import { ManualExecutionCancelledError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { REPORT_LOST_AFTER_MS } from '../../../nodes/SmsMessagingService/receiving/pageLedger';
import { createOtherHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { setForward } from '../harness/pauses';
import { runOf } from '../harness/poller';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';

/** 'Repeat Failed Executions': a page comes until an execution with it has succeeded. */

const { gateway, createPoller } = useGatewayPerTest();

const REPEATED = { ...REPORTS_ONLY, options: { pullSize: 10, repeatFailed: true } };

const FAILED = runOf(true);
const WAITING = { ...runOf(), status: 'waiting', finished: false };

const pageIds = (executions: IDataObject[][]) =>
  executions.map((items) => [...new Set(items.map(({ page_id: id }) => id))].join());

/** What a new process does with what this one has saved. */
const startAfter = async (saved: IDataObject, options = {}) =>
  (await createOtherHarness(gateway.credential())).createPoller(REPEATED, {
    restarted: saved,
    ...options,
  });

test.each<[string, () => unknown]>([
  ['fails', () => FAILED],
  [
    'is cancelled',
    () => {
      throw new ManualExecutionCancelledError('1');
    },
  ],
])(
  'while each execution %s, one page comes at each poll and the service keeps the rest; none is lost',
  async (_, end) => {
    gateway.queueReports(300);
    let isMended = false;
    const poller = createPoller(REPEATED, { onExecution: () => (isMended ? undefined : end()) });
    for (let poll = 0; poll < 4; poll++) await poller.tick();
    // The failed executions say what is wrong. An error of the poll would slow the next one down.
    expect(poller.errors).toEqual([]);
    expect(gateway.state.reportsLeft).toBe(290);
    isMended = true;
    await poller.tick();
    expect(countDistinct(poller.executions.flat())).toBe(300);
    expect(gateway.state.reportsLeft).toBe(0);
  },
);

test('the items of a page have its ID, the same at each repeat', async () => {
  gateway.queueReports(20);
  let failures = 2;
  const poller = createPoller(REPEATED, { onExecution: () => failures-- > 0 && FAILED });
  for (let poll = 0; poll < 3; poll++) await poller.tick();
  const [first, second, third, last] = pageIds(poller.executions);
  expect(first).not.toBe('');
  expect([second, third]).toEqual([first, first]);
  expect(last).not.toBe(first);
  expect(poller.executions.map((items) => items.length)).toEqual([10, 10, 10, 10]);
});

test.each([
  ['has succeeded', runOf()],
  ['waits', WAITING],
])('a page whose execution %s never comes again in the same process', async (_, end) => {
  gateway.queueReports(30);
  const workflowId = `done: ${_}`;
  const options = { workflowId, onExecution: () => end };
  const poller = createPoller(REPEATED, options);
  await poller.tick();
  await poller.tick();
  await poller.deactivate();
  setForward(REPORT_LOST_AFTER_MS);
  for (const restarted of [{}, poller.saved]) {
    for (const id of ['node-1', 'node-2']) {
      const again = createPoller(REPEATED, { ...options, restarted, node: { id, name: id } });
      for (let poll = 0; poll < 3; poll++) await again.tick();
      expect(again.executions.flat()).toEqual([]);
      await again.deactivate();
    }
  }
  expect(countDistinct(poller.executions.flat())).toBe(30);
});

test('a page that n8n was killed with comes again, with its ID', async () => {
  gateway.queueReports(30);
  let given: IDataObject[] = [];
  const poller = createPoller(REPEATED, {
    onExecution: async (items) => {
      given = items;
      await new Promise(() => undefined);
    },
  });
  void poller.tick();
  while (given.length === 0) await new Promise(setImmediate);
  const restarted = await startAfter(poller.saved);
  await poller.deactivate();
  await restarted.tick();
  expect(restarted.executions[0]).toEqual(given);
  expect(countDistinct(restarted.executions.flat())).toBe(30);
});
