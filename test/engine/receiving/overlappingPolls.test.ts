import { useGatewayPerTest } from '../harness/gateway';
import { until, withTimeLimits } from '../harness/pauses';
import { REPORTS_ONLY } from '../harness/pulls';

/** Polls of one trigger run one after the other, also across a new publication and a stop of n8n. */

const { gateway, createPoller, restart } = useGatewayPerTest();

test('a credential that n8n cannot read does not block the next polls', async () => {
  gateway.queueReports(3);
  let isHanging = true;
  let reads = 0;
  const poller = createPoller(REPORTS_ONLY, {
    getCredentials: (async () => {
      reads += 1;
      return isHanging ? await new Promise(() => undefined) : gateway.credential();
    }) as never,
  });
  await withTimeLimits(async (end) => {
    const ticks = [poller.tick()];
    await until(() => reads > 0);
    isHanging = false;
    ticks.push(poller.tick());
    const closing = poller.deactivate();
    end();
    await Promise.all([closing, ...ticks]);
  });
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('could not read the credential'),
  ]);
  expect(poller.executions.flat().length).toBeLessThanOrEqual(3);
});

test('a poll that still waits for its credential when n8n stops pulls nothing, and claims no account', async () => {
  gateway.queueReports(3);
  let goOn: () => void = () => undefined;
  const credential = new Promise((resolve) => {
    goOn = () => resolve(gateway.credential());
  });
  const options = { getCredentials: (async () => await credential) as never };
  const poller = createPoller(REPORTS_ONLY, options);
  const tick = poller.tick();
  await new Promise(setImmediate);
  let isClosed = false;
  const closing = poller.deactivate().then(() => (isClosed = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  // n8n waits for this poll, as for one that handles a page.
  expect(isClosed).toBe(false);
  goOn();
  await Promise.all([tick, closing]);
  expect(gateway.requests).toHaveLength(0);
  const other = createPoller(REPORTS_ONLY, { activation: 'update' });
  await other.activate();
  expect(other.executions.flat()).toHaveLength(3);
});

test('a newly published trigger waits for the page of the poll before it', async () => {
  gateway.queueReports(55);
  const polls: Promise<void>[] = [];
  const workflowId = 'published-again';
  const changed = createPoller({ ...REPORTS_ONLY, options: { pullSize: 20 } }, { workflowId });
  const before = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 10 } },
    {
      workflowId,
      onExecution: () => {
        if (before.executions.length === 1) polls.push(changed.activate());
      },
    },
  );
  await before.tick();
  await Promise.all(polls);
  expect(gateway.maxInFlight).toBe(1);
  expect(before.executions.map((items) => items.length)).toEqual([10, 10]);
  expect(changed.executions.map((items) => items.length)).toEqual([20, 15]);
});

test('a graceful stop waits until the page at hand is handed over, and pulls no other', async () => {
  await restart({ latencyMs: 50 });
  gateway.queueReports(50);
  const poller = createPoller({ ...REPORTS_ONLY, options: { pullSize: 10 } });
  const tick = poller.tick();
  await until(() => gateway.requests.length === 2);
  await poller.deactivate();
  expect(poller.executions.map((items) => items.length)).toEqual([10, 10]);
  expect(gateway.state.reportsLeft).toBe(30);
  await tick;
  expect(poller.errors).toEqual([]);
  expect(gateway.requests).toHaveLength(2);
});

test('a poll that fails does not block a graceful stop', async () => {
  gateway.fault({ kind: 'status', status: 500 });
  const poller = createPoller(REPORTS_ONLY);
  const tick = poller.tick();
  await until(() => gateway.requests.length > 0);
  await poller.deactivate();
  await tick;
  expect(poller.errors).toHaveLength(1);
});

test('a poll that fails does not block the next poll', async () => {
  gateway.queueReports(5);
  gateway.fault({ kind: 'status', status: 500 });
  const poller = createPoller(REPORTS_ONLY);
  const polls = [poller.tick()];
  await until(() => gateway.requests.length > 0);
  polls.push(poller.tick());
  await Promise.all(polls);
  expect(poller.executions.flat()).toHaveLength(5);
  expect(poller.errors).toHaveLength(1);
});
