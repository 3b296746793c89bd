import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { listen } from '../harness/listen';
import { REPORTS_ONLY } from '../harness/pulls';

const { gateway, createPoller } = useGatewayPerTest();

const REPORT = { time: 1767225600, status: 'DELIVRD', phone_number: '13800138000' };

test('reports that are drained over successive polls leave the memory constant', async () => {
  let given = 0;
  // No queue of a service is in this process too.
  const request = async (_: string, { body }: { body: string }) => {
    const { count } = JSON.parse(body) as { count: number };
    const data = Array.from({ length: count }, () => ({ batch_id: `b-${++given}`, ...REPORT }));
    return { statusCode: 200, headers: {}, body: JSON.stringify({ code: 0, data }) };
  };
  const sizes: number[] = [];
  const stored: number[] = [];
  const poller = createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 1_000, maxRecordsPerPoll: 10_000 } },
    { request: request as never },
  );
  for (let tick = 1; tick <= 5; tick++) {
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(10_000);
    poller.executions.length = 0;
    sizes.push(heapMegabytes());
    stored.push(JSON.stringify(poller.staticData).length);
  }
  expect(given).toBe(50_000);
  expect(poller.errors).toEqual([]);
  expect(Math.max(...sizes)).toBeLessThan((sizes[0] ?? 0) + 6);
  expect(Math.max(...stored)).toBeLessThan(3_000 * 8 + 500);
});

test('no answer stays in memory once its page is handed over', async () => {
  const content = 'x'.repeat(2 ** 20);
  let pages = 0;
  const server = createServer((request, response) => {
    request.resume();
    pages += 1;
    const data = pages > 30 ? [] : [{ batch_id: String(pages), content }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 0, msg: '', data }));
  });
  const baseUrl = `http://${await listen(server)}`;
  const own = await createHarness({ ...gateway.credential(), baseUrl });
  const poller = own.createPoller(
    { ...REPORTS_ONLY, options: { pullSize: 1 } },
    // n8n does not keep the items either.
    { onExecution: () => (poller.executions.length = 0) },
  );
  const before = heapMegabytes();
  await poller.tick();
  const grownBy = heapMegabytes() - before;
  server.close();
  server.closeAllConnections();
  expect(pages).toBe(31);
  expect(grownBy).toBeLessThan(10);
});

/** Memory in use after a garbage collection. */
function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
