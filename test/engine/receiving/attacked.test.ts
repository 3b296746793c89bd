import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { createOtherHarness } from '../harness';
import type { Harness } from '../harness';
import { listen } from '../harness/listen';
import { REPLIES, REPORTS_ONLY } from '../harness/pulls';
import { since } from '../harness/since';

/** What strangers found who knew only what is promised. Each test has a service of its own. */

let server: Server;
let baseUrl: string;
/** Answers a pull of so many records. */
let answer: (count: number, path?: string) => unknown;
/** Of every answer. */
let status: number;
let headers: Record<string, string>;

beforeEach(async () => {
  status = 200;
  headers = {};
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { count } = JSON.parse(body) as { count: number };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(answer(count, request.url)));
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
  const parameters = { ...REPORTS_ONLY, options: { pullSize: 10_000 } };
  const before = (await start()).createPoller(parameters, {
    workflowId: 'restarted',
    isEachMinute: true,
  });
  for (let poll = 0; poll < 2; poll++) await before.tick();
  expect(before.executions.flat()).toHaveLength(9_000);
  const restarted = (await start()).createPoller(parameters, {
    workflowId: 'restarted',
    restarted: before.saved,
  });
  for (let poll = 0; poll < 3; poll++) await restarted.tick();
  expect(restarted.executions).toEqual([]);
});

describe('a trigger that was replaced by another node', () => {
  /** Node by node, each in a process of its own. */
  async function replaceAll(nodes: string[]) {
    const items: IDataObject[] = [];
    let restarted: IDataObject = {};
    for (const id of nodes) {
      const options = { workflowId: 'replaced', node: { id }, restarted };
      const poller = (await start()).createPoller(REPORTS_ONLY, options);
      for (let poll = 0; poll < 3; poll++) await poller.tick();
      items.push(...poller.executions.flat());
      restarted = poller.saved;
    }
    return { items, saved: JSON.stringify(restarted) };
  }

  test('brings none of the records again that a service never takes out', async () => {
    const queue = reports(50);
    answer = (count) => ({ code: 0, data: queue.slice(0, count) });
    const { items } = await replaceAll(['node-1', 'node-2']);
    expect(items).toHaveLength(50);
  });

  test('leaves nothing in the static data of the workflow for ever', async () => {
    let pulls = 0;
    // Every other pull is empty.
    answer = () => ({ code: 0, data: pulls++ % 2 ? [] : [{ batch_id: `b-${pulls}`, time: 1 }] });
    const { saved } = await replaceAll(['node-1', 'node-2', 'node-3']);
    expect(saved).not.toMatch(/node-[12]/);
  });
});

test.each<unknown>([
  { code: 0, data: { 13800138000: false } },
  { code: 0, result: [{ 13800138000: {} }] },
  { code: 1, msg: 'no data', data: { 13800138000: false } },
  { code: 0, data: 'no data; 13800138000 DELIVRD' },
])('what is no list of records is handed over whole: %j', async (body) => {
  answer = () => body;
  const poller = (await start()).createPoller(REPORTS_ONLY);
  await poller.tick();
  expect(JSON.stringify(poller.executions)).toContain('13800138000');
});

since('2.38').test(
  'a poll that only waits, as the service has asked, is no failed execution',
  async () => {
    status = 429;
    headers = { 'retry-after': '120' };
    let pulls = 0;
    answer = () => ({ code: 429, pulls: ++pulls });
    const poller = (await start()).createPoller(REPORTS_ONLY, { budgetMs: 2_000 });
    for (let poll = 0; poll < 3; poll++) await poller.tick();
    expect(pulls).toBe(1);
    expect(poller.errors).toEqual([]);
  },
);

test('what one event has seen is saved with the other one, also after a publication with old static data', async () => {
  const workflowId = 'published-meanwhile';
  const reply = { content: 'Hi', mobile: 13800138000, time: 1767225600 };
  let data: { replies: unknown[]; reports: unknown[] } = { replies: [reply], reports: [] };
  answer = (_, path) => ({ code: 0, data: path === REPLIES ? data.replies : data.reports });
  const n8n = await start();
  const before = n8n.createPoller({}, { workflowId });
  await before.tick();
  expect(before.executions.flat()).toHaveLength(1);
  // n8n has read the static data before the reply was handed over.
  const published = n8n.createPoller({}, { workflowId, restarted: {} });
  await before.deactivate();
  data = { replies: [], reports: reports(1) };
  await published.tick();
  expect(published.executions.flat()).toHaveLength(1);
  data = { replies: [reply], reports: [] };
  const restarted = (await start()).createPoller({}, { workflowId, restarted: published.saved });
  await restarted.tick();
  expect(restarted.executions).toEqual([]);
});
