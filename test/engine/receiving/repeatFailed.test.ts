import { ManualExecutionCancelledError } from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { MAX_UNCONFIRMED } from '../../../nodes/SmsMessagingService/receiving/pageLedger';
import { createOtherHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { runOf } from '../harness/poller';
import type { PollerOptions } from '../harness/poller';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';

/** 'Repeat Failed Executions': a page comes until an execution with it has succeeded. */

const { gateway, createPoller, testTrigger } = useGatewayPerTest();

const REPEATED = { ...REPORTS_ONLY, options: { pullSize: 10, repeatFailed: true } };

const FAILED = runOf(true);
const WAITING = { ...runOf(), status: 'waiting', finished: false };

const cancel = () => {
  throw new ManualExecutionCancelledError('1');
};

/** A new process, with what n8n has saved. */
const startProcess = async (restarted: IDataObject, options: PollerOptions = {}) =>
  (await createOtherHarness(gateway.credential())).createPoller(REPEATED, {
    restarted,
    ...options,
  });

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

test('a page whose execution waits does not come again', async () => {
  gateway.queueReports(30);
  const poller = createPoller(REPEATED, { onExecution: () => WAITING });
  for (let poll = 0; poll < 3; poll++) await poller.tick();
  expect(poller.executions.flat()).toHaveLength(30);
});

test('after a graceful stop, no page whose execution has succeeded comes again', async () => {
  gateway.queueReports(30);
  const poller = createPoller(REPEATED);
  await poller.tick();
  await poller.tick();
  await poller.deactivate();
  const restarted = await startProcess(poller.saved);
  await restarted.tick();
  expect(restarted.executions).toEqual([]);
});

test('polls during slow executions hand nothing over twice, and pull a few pages at most', async () => {
  gateway.queueReports(300);
  const { ends, onExecution } = heldExecutions();
  const poller = createPoller(REPEATED, { onExecution });
  for (let poll = 0; poll < 3; poll++) await Promise.all([poller.tick(), poller.tick()]);
  expect(ends).toHaveLength(MAX_UNCONFIRMED);
  expect(gateway.state.reportsLeft).toBe(300 - 10 * MAX_UNCONFIRMED);
  for (const end of ends.splice(0)) end(runOf());
  await poller.tick();
  expect(countDistinct(poller.executions.flat())).toBe(10 * MAX_UNCONFIRMED);
  expect(ends).toHaveLength(MAX_UNCONFIRMED);
});

test('a page whose trigger was forgotten meanwhile comes again', async () => {
  gateway.queueReports(10);
  const poller = createPoller(REPEATED, { workflowId: 'forgotten', onExecution: () => FAILED });
  await poller.tick();
  const { saved } = poller;
  await poller.deactivate();
  for (let each = 0; each <= 100; each++) {
    await createPoller(REPEATED, { workflowId: `other-${each}` }).deactivate();
  }
  const again = createPoller(REPEATED, { workflowId: 'forgotten', restarted: saved });
  await again.tick();
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
