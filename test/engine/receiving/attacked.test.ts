import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { createOtherHarness } from '../harness';
import type { Harness } from '../harness';
import { listen } from '../harness/listen';
import { REPORTS_ONLY } from '../harness/pulls';

/** What strangers found who knew only what is promised. Each test has a service of its own. */

let server: Server;
let baseUrl: string;
/** Answers a pull of so many records. */
let answer: (count: number) => unknown;

beforeEach(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { count } = JSON.parse(body) as { count: number };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer(count)));
    });
  });
  baseUrl = `http://${await listen(server)}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const reports = (count: number): IDataObject[] =>
  Array.from({ length: count }, (_, index) => ({
    time: 1767225600 + index,
    batch_id: `b-${index}`,
    status: 'DELIVRD',
    phone_number: String(13800000000 + index),
  }));

/** A process of n8n of its own. */
const start = async (): Promise<Harness> =>
  await createOtherHarness({ baseUrl, apiKey: 'key', apiSecret: 'secret-of-the-account' });

test('a restart brings none of the 9,000 records again that a service never takes out', async () => {
  const queue = reports(9_000);
  answer = (count) => ({ code: 0, data: queue.slice(0, count) });
  const parameters = { ...REPORTS_ONLY, options: { pullSize: 1_000 } };
  const before = (await start()).createPoller(parameters, { workflowId: 'restarted' });
  for (let poll = 0; poll < 6; poll++) await before.tick();
  expect(before.executions.flat()).toHaveLength(9_000);
  const restarted = (await start()).createPoller(parameters, {
    workflowId: 'restarted',
    restarted: before.saved,
  });
  for (let poll = 0; poll < 3; poll++) await restarted.tick();
  expect(restarted.executions).toEqual([]);
});
