import { setForward } from '../../kit/engine/pauses';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import type { PollerOptions } from '../../kit/engine/poller';
import { REPORTS_ONLY } from '../../kit/engine/pulls';
import { descriptionOf } from '../../kit/engine/sends';
import { since } from '../../kit/engine/since';
import { deliveryReport } from '../../sandbox/records';

/** How long the trigger waits for an answer. What comes later is lost. */

const { createPoller, poll, publish } = useGatewayPerTest();

/** A service that needs so many milliseconds for each answer, with a record in it. */
function slowService(tookMs: number) {
  const asked: { timeout?: number; isReply: boolean }[] = [];
  const request = async (_: string, { url, timeout }: { url: string; timeout?: number }) => {
    asked.push({ timeout, isReply: url.includes('/mo/') });
    setForward(tookMs);
    const data = [deliveryReport({ batch_id: `b-${asked.length}` })];
    const body = JSON.stringify({ code: 0, data });
    return await Promise.resolve({ statusCode: 200, headers: {}, body });
  };
  return { asked, request: request as unknown as PollerOptions['request'] };
}

const withTimeout = (timeout?: number) => ({
  ...REPORTS_ONLY,
  options: timeout === undefined ? {} : { timeout },
});

test.each([
  [undefined, 15_000],
  [20_000, 20_000],
  [25_000, 25_000],
  [60_000, 25_000],
])('Timeout %p is %d ms', async (set, timeout) => {
  const { asked, request } = slowService(1_000);
  await poll({ ...withTimeout(set) }, { request });
  expect(new Set(asked.map((each) => each.timeout))).toEqual(new Set([timeout]));
});

// Each further pull needs its Timeout and three seconds more. A poll lasts 45 s, also where n8n allows more.
since('2.38').test.each([
  [15_000, undefined, 14_000, 2],
  [20_000, undefined, 16_000, 2],
  [25_000, undefined, 17_100, 1],
  [15_000, 60_000, 10_000, 3],
  [15_000, 30_000, 10_000, 2],
  // The first one is always asked for.
  [15_000, 10_000, 10_000, 1],
])(
  'Timeout %d, a limit of %p ms: a service that answers in %d ms gives %d pages in each poll',
  async (timeout, budgetMs, tookMs, pages) => {
    const { asked, request } = slowService(tookMs);
    const poller = await poll(withTimeout(timeout), { request, budgetMs }, 2);
    expect(asked).toHaveLength(2 * pages);
    expect(poller.executions.flat()).toHaveLength(2 * pages);
    expect(poller.errors).toEqual([]);
  },
);

test('without time for both events, the one that has waited goes first at the next poll', async () => {
  const { asked, request } = slowService(0);
  const options = { timeout: 25_000, repeatFailed: true };
  const onExecution = () => setForward(20_000);
  const poller = createPoller({ options }, { request, budgetMs: 36_000, onExecution });
  await poller.tick(4);
  const firsts = asked.map(({ isReply }) => isReply);
  expect(firsts.filter(Boolean).length).toBeGreaterThan(1);
  expect(firsts.filter((each) => !each).length).toBeGreaterThan(1);
});

test('a Timeout in seconds is refused at the first publication', async () => {
  await expect(publish(withTimeout(30))).rejects.toThrow(/'Timeout'.*milliseconds/);
});

test('no answer in time: the error names Timeout and Pull Size', async () => {
  const request = () =>
    Promise.reject(Object.assign(new Error('timeout'), { code: 'ECONNABORTED' }));
  const poller = await poll(withTimeout(20_000), { request: request as never });
  const said = `${poller.errors[0]?.message} ${descriptionOf(poller.errors[0])}`;
  expect(said).toMatch(/did not answer within 20000 ms.*'Timeout'.*'Pull Size'/);
});
