import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createHarness } from '../harness';
import { useGatewayPerTest } from '../harness/gateway';
import { listen } from '../harness/listen';
import { REPORTS_ONLY } from '../harness/pulls';

const { gateway, createPoller, restart } = useGatewayPerTest();

test('100,000 queued reports are drained over successive polls, with constant memory', async () => {
  await restart({ validate: false, recordRequests: false });
  gateway.queueReports(100_000);
  const seen = new Set<string>();
  const sizes: number[] = [];
  const stored: number[] = [];
  const poller = createPoller({
    ...REPORTS_ONLY,
    options: { pullSize: 1_000, maxRecordsPerPoll: 20_000 },
  });
  for (let tick = 1; tick <= 5; tick++) {
    await poller.tick();
    for (const { batch_id } of poller.executions.flat()) seen.add(String(batch_id));
    poller.executions.length = 0;
    expect(seen.size).toBe(tick * 20_000);
    sizes.push(heapMegabytes());
    stored.push(JSON.stringify(poller.staticData).length);
  }
  expect(gateway.state.reportsLeft).toBe(0);
  expect(poller.errors).toEqual([]);
  // The queue and `seen` are in this process too: as one shrinks, the other grows.
  expect(Math.max(...sizes)).toBeLessThan((sizes[0] ?? 0) + 30);
  expect(Math.max(...stored)).toBeLessThan(3_000 * 8 + 100);
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
