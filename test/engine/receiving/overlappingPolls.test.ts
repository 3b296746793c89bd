import { useGatewayPerTest } from '../../kit/engine/gateway';
import { until, withTimeLimits } from '../../kit/engine/pauses';
import { REPORTS_ONLY } from '../../kit/engine/pulls';

/** Polls of one trigger run one after the other, also across a new publication and a stop of n8n. */

const { gateway, createPoller } = useGatewayPerTest();

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
