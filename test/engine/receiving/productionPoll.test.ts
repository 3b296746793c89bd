import { sleep } from 'n8n-workflow';
import { createOtherHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { setForward } from '../harness/pauses';
import { countDistinct, REPORTS_ONLY } from '../harness/pulls';
import { descriptionOf } from '../harness/sends';

/** How much is pulled while n8n has not confirmed what it got. */

const { gateway, poll } = useGatewayPerTest();

test('what is refused late is told once each time, and saved when n8n stops then', async () => {
  gateway.queueReports(10);
  const moments: Promise<void>[] = [];
  let executions = 0;
  const poller = await poll(
    { ...REPORTS_ONLY, options: { pullSize: 10, itemsPerExecution: 1 } },
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
  await poller.deactivate();
  // Five executions were refused at each of two moments, and there are two errors.
  expect(poller.errors).toHaveLength(2);
  for (const error of poller.errors) {
    expect(error.message).toBe('n8n did not start the workflow: The database is down');
    expect(descriptionOf(error)).toContain('The delivery reports (5) are kept');
  }
  const other = await createOtherHarness(gateway.credential());
  const restarted = await other.poll(REPORTS_ONLY, { restarted: poller.saved });
  expect(countDistinct(restarted.executions.flat())).toBe(10);
});

test('a poll continues while executions take long, with at most ten unconfirmed pages at a time', async () => {
  gateway.queueReports(25);
  const poller = await poll(
    { ...REPORTS_ONLY, options: { pullSize: 1 } },
    { onExecution: () => new Promise(() => undefined) },
  );
  expect(gateway.state.reportsLeft).toBe(15);
  expect(gateway.maxInFlight).toBe(1);
  // Set back by an hour: the clock that a user can set does not count.
  const wall = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  for (const left of [5, 0]) {
    setForward(60_000);
    await poller.tick();
    expect(gateway.state.reportsLeft).toBe(left);
  }
  wall.mockRestore();
  expect(poller.errors).toEqual([]);
});
