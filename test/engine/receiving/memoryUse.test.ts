import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { REPORTS_ONLY } from '../../kit/engine/pulls';

const { createPoller } = useGatewayPerTest();

// Of now: a trigger that gets nothing younger than records of an hour ago says so.
const REPORT = {
  time: Math.floor(Date.now() / 1000),
  status: 'DELIVRD',
  phone_number: '13800138000',
};

test('reports that are drained over successive polls leave the memory constant', async () => {
  let given = 0;
  // No queue of a service is in this process too.
  const request = async (_: string, { body }: { body: string }) => {
    const { count } = JSON.parse(body) as { count: number };
    const data = Array.from({ length: count }, () => ({ batch_id: `b-${++given}`, ...REPORT }));
    return { statusCode: 200, headers: {}, body: JSON.stringify({ code: 0, data }) };
  };
  const sizes: number[] = [];
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 1_000, maxRecordsPerPoll: 10_000 } },
    { request: request as never },
  );
  for (let tick = 1; tick <= 3; tick++) {
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(10_000);
    poller.executions.length = 0;
    sizes.push(heapMegabytes());
  }
  expect(given).toBe(30_000);
  expect(poller.errors).toEqual([]);
  expect(Math.max(...sizes)).toBeLessThan((sizes[0] ?? 0) + 6);
  expect(JSON.stringify(poller.saved).length).toBeLessThan(3_000 * 8 + 500);
});

/** Memory in use after a garbage collection. */
function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
