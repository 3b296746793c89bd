import type { IDataObject } from 'n8n-workflow';
import { startGateway } from '../sandbox/gateway';
import type { Gateway, GatewayOptions } from '../sandbox/gateway';
import { createHarness } from './harness';
import type { Harness } from './harness';

let gateway: Gateway;
let harness: Harness;

async function start(options: GatewayOptions = {}) {
  gateway = await startGateway(options);
  harness = await createHarness(gateway.credential() as never);
}

beforeEach(() => start());

afterEach(async () => {
  expect(gateway.violations).toEqual([]);
  await gateway.close();
});

const identity = ({ event, batch_id, phone_number, mobile, content, time }: IDataObject) =>
  JSON.stringify([event, batch_id, phone_number ?? mobile, content, time]);

describe('a poll', () => {
  test('hands over each page of both events as an execution', async () => {
    gateway.queueReports(25);
    gateway.queueReplies(15);
    const poller = harness.createPoller({ pullSize: 10 });
    await poller.tick();

    expect(poller.errors).toEqual([]);
    expect(poller.executions.map((items) => items.length).sort()).toEqual([10, 10, 10, 5, 5]);
    const items = poller.executions.flat();
    expect(new Set(items.map(identity)).size).toBe(40);
    expect(items.filter(({ event }) => event === 'reply')).toHaveLength(15);
    for (const item of items)
      expect(item.time_iso).toBe(new Date(Number(item.time) * 1000).toISOString());
  });

  test('asks for the next page only when the one before has started its execution', async () => {
    gateway.queueReports(30);
    const requestsAtHandOver: number[] = [];
    const poller = harness.createPoller(
      { pullSize: 10, events: ['deliveryReport'] },
      {
        onExecution: async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          requestsAtHandOver.push(gateway.requests.length);
        },
      },
    );
    await poller.tick();
    expect(requestsAtHandOver).toEqual([1, 2, 3]);
  });

  test('pulls nothing more once an execution could not be started', async () => {
    gateway.queueReports(50);
    const poller = harness.createPoller(
      { pullSize: 10, events: ['deliveryReport'] },
      {
        onExecution: () => {
          if (poller.executions.length === 2) throw new Error('The workflow is not active');
        },
      },
    );
    await poller.tick();
    expect(poller.executions).toHaveLength(2);
    expect(gateway.requests).toHaveLength(3);
  });

  test('a failing page does not hide the pages before it, nor the other event', async () => {
    gateway.queueReports(30);
    gateway.queueReplies(5);
    gateway.fault({
      kind: 'businessCode',
      code: 9,
      msg: 'busy',
      path: '/sendsms/report/pull',
      nth: 3,
    });
    const poller = harness.createPoller({ pullSize: 10 });
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(25);
    expect(poller.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('busy (code 9)'),
    ]);

    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(35);
  });

  test('with nothing there starts no execution', async () => {
    const poller = harness.createPoller({});
    await poller.tick();
    expect(poller.executions).toEqual([]);
    expect(poller.errors).toEqual([]);
  });

  test('at publication says what is wrong with the credential', async () => {
    gateway.fault({ kind: 'businessCode', code: 1002, msg: 'signature mismatch', times: Infinity });
    await expect(harness.createPoller({}).activate()).rejects.toThrow(
      /signature mismatch \(code 1002\)/,
    );
  });

  test('beside one that is still under way does nothing', async () => {
    gateway.queueReports(30);
    const poller = harness.createPoller({ pullSize: 10, events: ['deliveryReport'] });
    await Promise.all([poller.tick(), poller.tick()]);
    expect(gateway.maxInFlight).toBe(1);
    expect(poller.executions.flat()).toHaveLength(30);
  });

  test('keeps to the cap and to the size of an execution', async () => {
    gateway.queueReports(100);
    const poller = harness.createPoller({
      pullSize: 20,
      events: ['deliveryReport'],
      options: { maxRecordsPerPoll: 50, itemsPerExecution: 15 },
    });
    await poller.tick();
    expect(poller.executions.map((items) => items.length)).toEqual([15, 5, 15, 5, 10]);
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(100);
  });
});

describe('a platform that does not consume', () => {
  test('is no endless drain, and every record comes once', async () => {
    await gateway.close();
    await start({ consume: false });
    gateway.queueReports(8);
    const poller = harness.createPoller({ pullSize: 10, events: ['deliveryReport'] });
    await poller.tick();
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(8);

    gateway.queueReports(1);
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(9);

    // A restart: only the static data is left.
    const restarted = harness.createPoller(
      { pullSize: 10, events: ['deliveryReport'] },
      { staticData: JSON.parse(JSON.stringify(poller.staticData)) as IDataObject },
    );
    await restarted.tick();
    expect(restarted.executions).toEqual([]);
  });

  test('equal records inside one page are all kept', async () => {
    const report = {
      time: 1767225600,
      batch_id: 'b-1',
      status: 'DELIVRD',
      status_desc: 'ok',
      phone_data: '',
      phone_number: '13800138000',
      user_data: '',
      split_count: 1,
    };
    gateway.queueReports([report, report, report]);
    const poller = harness.createPoller({});
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(3);
  });
});

describe('a test in the editor', () => {
  test('shows sample data by default and pulls nothing', async () => {
    gateway.queueReplies(3);
    const items = await harness.testTrigger({});
    expect(items.map(({ event }) => event)).toEqual(['deliveryReport', 'deliveryReport', 'reply']);
    expect(gateway.requests).toHaveLength(0);
    const poller = harness.createPoller({});
    await poller.tick();
    const [reply] = poller.executions.flat();
    expect(Object.keys(items[2] ?? {}).sort()).toEqual(Object.keys(reply ?? {}).sort());
  });

  test('pulls one page of live data when told to', async () => {
    gateway.queueReports(30);
    const items = await harness.testTrigger({
      testData: 'live',
      pullSize: 10,
      events: ['deliveryReport'],
    });
    expect(items).toHaveLength(10);
    expect(gateway.requests).toHaveLength(1);
  });
});

test.each([0, 2.5, 'x'])('a pull size of %p is told before any request', async (pullSize) => {
  const poller = harness.createPoller({ pullSize });
  await poller.tick();
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("'Pull Size' must be a whole number"),
  ]);
  expect(gateway.requests).toHaveLength(0);
});
