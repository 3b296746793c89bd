import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  ManualExecutionCancelledError,
  NodeApiError,
  SystemShutdownExecutionCancelledError,
  TimeoutExecutionCancelledError,
} from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { startGateway } from '../sandbox/gateway';
import type { Fault, Gateway, GatewayOptions } from '../sandbox/gateway';
import { createHarness, createOtherHarness } from './harness';
import type { Harness } from './harness';
import { expectOutputSchema } from './harness/outputSchema';
import { since } from './harness/since';

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

const startOtherProcess = async () => await createOtherHarness(gateway.credential() as never);

const REPORTS = '/sendsms/report/pull';
const REPLIES = '/sendsms/mo/pull';
const REPORTS_ONLY = { events: ['deliveryReport'] };

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

  test('pulls nothing more once an execution could not be started, and loses nothing', async () => {
    gateway.queueReports(50);
    let isPublished = true;
    const options = {
      workflowId: 'published-twice',
      onExecution: () => {
        if (!isPublished) throw new Error('Published version not found for workflow');
        if (poller.executions.length === 1) isPublished = false;
      },
    };
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY }, options);
    await poller.tick();
    expect(poller.executions).toHaveLength(2);
    expect(gateway.requests).toHaveLength(3);
    expect(poller.errors.map(({ message }) => message)).toEqual([
      'n8n did not start the workflow with 10 delivery reports: Published version not found for workflow, while pulling delivery reports',
    ]);

    isPublished = true;
    const again = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY }, options);
    await again.activate();
    expect(again.executions.map((items) => items.length)).toEqual([10, 10, 10]);
    const items = [...poller.executions, ...again.executions].flat();
    expect(new Set(items.map(identity)).size).toBe(50);
  });

  test('keeps what n8n did not take through a restart, and hands it over once', async () => {
    gateway.queueReports(50);
    let isPublished = true;
    const poller = harness.createPoller(
      { pullSize: 10, ...REPORTS_ONLY },
      {
        onExecution: () => {
          if (!isPublished) throw new Error('Published version not found for workflow');
          if (poller.executions.length === 1) isPublished = false;
        },
      },
    );
    await poller.tick();
    expect(poller.executions).toHaveLength(2);

    const restarted = (await startOtherProcess()).createPoller(
      { pullSize: 10, ...REPORTS_ONLY },
      { restarted: poller.saved },
    );
    await restarted.tick();
    const items = [...poller.executions, ...restarted.executions].flat();
    expect(items).toHaveLength(50);
    expect(new Set(items.map(identity)).size).toBe(50);

    const onceMore = (await startOtherProcess()).createPoller(
      { pullSize: 10, ...REPORTS_ONLY },
      { restarted: restarted.saved },
    );
    await onceMore.tick();
    expect(onceMore.executions).toEqual([]);
  });

  test('hands over once what it kept, also when it was stored meanwhile', async () => {
    gateway.queueReports(10);
    let isPublished = false;
    const options = {
      workflowId: 'stored-meanwhile',
      onExecution: () => {
        if (!isPublished) throw new Error('Published version not found for workflow');
      },
    };
    const before = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY }, options);
    await before.tick();
    isPublished = true;
    // Published again, once with what was stored before, and once with what is stored now.
    for (const restarted of [{}, before.saved]) {
      const again = harness.createPoller(
        { pullSize: 10, ...REPORTS_ONLY },
        { ...options, restarted },
      );
      await again.tick();
      expect(again.executions.flat()).toHaveLength(restarted === before.saved ? 0 : 10);
    }
  });

  describe('of several main processes', () => {
    const ALL = Infinity;

    // Who polls, and how many executions n8n starts before its database is down again.
    test.each<{ when: string; polls: ['this' | 'other', number][] }>([
      {
        when: 'another one handed over what this one kept',
        polls: [
          ['this', 0],
          ['other', ALL],
          ['this', ALL],
        ],
      },
      {
        when: 'another one handed over a part of it',
        polls: [
          ['this', 0],
          ['other', 1],
          ['this', ALL],
          ['other', ALL],
        ],
      },
      {
        when: 'another one handed it over and then kept something else',
        polls: [
          ['this', 0],
          ['other', 2],
          ['this', ALL],
          ['other', ALL],
        ],
      },
      {
        when: 'another one kept something, after this one did',
        polls: [
          ['this', 0],
          ['this', ALL],
          ['other', 0],
          ['this', ALL],
        ],
      },
      {
        when: 'they could not hand over in turn',
        polls: [
          ['this', 0],
          ['other', 0],
          ['this', 0],
          ['other', ALL],
          ['this', ALL],
        ],
      },
    ])('loses nothing and brings nothing twice when $when', async ({ polls }) => {
      const mains = { this: harness, other: await startOtherProcess() };
      const items: IDataObject[] = [];
      let restarted = {};
      for (const [main, executions] of polls) {
        gateway.queueReports(10);
        let started = 0;
        const poller = mains[main].createPoller(
          { pullSize: 10, ...REPORTS_ONLY, options: { itemsPerExecution: 5 } },
          {
            workflowId: 'several-mains',
            restarted,
            onExecution: () => {
              if (started++ >= executions) throw new Error('The database is down');
            },
          },
        );
        await poller.tick();
        items.push(...poller.executions.flat());
        restarted = poller.saved;
      }
      expect(items).toHaveLength(polls.length * 10);
      expect(new Set(items.map(identity)).size).toBe(polls.length * 10);
    });
  });

  test('keeps only what n8n did not take', async () => {
    gateway.queueReports(20);
    let attempts = 0;
    const poller = harness.createPoller(
      { pullSize: 20, ...REPORTS_ONLY, options: { itemsPerExecution: 5 } },
      {
        onExecution: () => {
          attempts += 1;
          if (attempts === 2) throw new Error('The database is busy');
        },
      },
    );
    await poller.tick();
    // All at once: a poll is not to wait for one after the other. The empty one is what n8n saves with.
    expect(poller.executions.map((items) => items.length)).toEqual([5, 5, 5, 0]);
    await poller.tick();
    expect(poller.executions.filter((items) => items.length > 0)).toHaveLength(4);
    expect(new Set(poller.executions.flat().map(identity)).size).toBe(20);
  });

  test.each([new Error('The database is busy'), 'busy', { message: undefined }, undefined])(
    'loses nothing where n8n says %p instead of starting an execution',
    async (reason) => {
      gateway.queueReports(10);
      let isBusy = true;
      const poller = harness.createPoller(REPORTS_ONLY, {
        onExecution: async () => {
          if (isBusy) throw reason;
        },
      });
      await poller.tick();
      expect(poller.errors).toHaveLength(1);
      isBusy = false;
      await poller.tick();
      expect(poller.executions.flat()).toHaveLength(10);
    },
  );

  test('stops when n8n has given up on it, and loses nothing', async () => {
    gateway.queueReports(30);
    let isGivenUp = true;
    const poller = harness.createPoller(
      { pullSize: 10, ...REPORTS_ONLY },
      { onExecution: () => (isGivenUp ? 'no run' : undefined) },
    );
    await poller.tick();
    expect(gateway.requests).toHaveLength(1);
    isGivenUp = false;
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(30);
  });

  test.each([
    ['somebody stops an execution', ManualExecutionCancelledError],
    ['an execution runs out of time', TimeoutExecutionCancelledError],
    ['n8n stops an execution to stop itself', SystemShutdownExecutionCancelledError],
    [
      'an n8n with another copy of n8n-workflow stops one',
      class ExecutionCancelledError extends Error {},
    ],
  ])('goes on when %s: it has started', async (_, Cancellation) => {
    gateway.queueReports(30);
    let stopped = 0;
    const poller = harness.createPoller(
      { pullSize: 10, ...REPORTS_ONLY },
      {
        onExecution: () => {
          stopped += 1;
          throw new Cancellation('1');
        },
      },
    );
    await poller.tick();
    expect(stopped).toBe(3);
    expect(poller.errors).toEqual([]);
    await poller.tick();
    expect(stopped).toBe(3);
  });

  test('works on an n8n that tells neither a budget nor what becomes of executions', async () => {
    gateway.queueReports(25);
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY }, { isOld: true });
    await poller.tick();
    expect(poller.executions.map((items) => items.length)).toEqual([10, 10, 5]);
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
      times: 5,
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

  describe.each(['init', 'leadershipChange'] as const)(
    'at "%s", where nobody publishes',
    (activation) => {
      test.each<[string, Fault]>([
        ['out of reach', { kind: 'resetBeforeAccept', times: 2 }],
        ['out of order', { kind: 'status', status: 503, times: 2 }],
        ['saying no', { kind: 'businessCode', code: 1002, times: 10 }],
        ['another one', { kind: 'wrongShape', body: { code: 0, hello: 'you' }, times: 2 }],
      ])('stays registered with the service %s, and goes on by itself', async (_, fault) => {
        gateway.queueReports(3);
        gateway.fault(fault);
        const poller = harness.createPoller({}, { activation });
        await poller.activate();
        expect(poller.errors).toHaveLength(1);
        await poller.tick();
        const records = poller.executions.flat().filter(({ event }) => event !== 'unreadable');
        expect(records.length).toBeGreaterThanOrEqual(fault.kind === 'wrongShape' ? 0 : 3);
        expect(poller.errors).toHaveLength(1);
      });

      test('stays registered with settings that cannot be used', async () => {
        const poller = harness.createPoller({ pullSize: 0 }, { activation });
        await poller.activate();
        expect(poller.errors.map(({ message }) => message)).toEqual([
          expect.stringContaining("'Pull Size'"),
        ]);
      });
    },
  );

  test.each<[string, Fault]>([
    ['out of reach', { kind: 'resetBeforeAccept', times: 2 }],
    ['out of order', { kind: 'status', status: 503, times: 2 }],
    ['busy', { kind: 'tooManyRequests', times: 2 }],
  ])('at publication does not fail for a service that is %s', async (_, fault) => {
    gateway.queueReports(3);
    gateway.fault(fault);
    const poller = harness.createPoller({}, { activation: 'update' });
    await poller.activate();
    expect(poller.errors).toHaveLength(1);
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(3);
  });

  since('2.38').test('leaves a later failure to n8n, which may wait longer each time', async () => {
    gateway.fault({ kind: 'status', status: 503, times: 6 });
    const options = { activation: 'update', workflowId: 'on-the-scheduler' } as const;
    const poller = harness.createPoller({}, { ...options, budgetMs: 36_000 });
    await expect(poller.activate()).rejects.toThrow('HTTP 503');
    const other = harness.createPoller({}, options);
    await other.activate();
    await expect(other.activate()).rejects.toThrow();
  });

  test('does not wait for ever for a credential that cannot be read', async () => {
    gateway.queueReports(3);
    let isHanging = true;
    const poller = harness.createPoller(REPORTS_ONLY, {
      getCredentials: (async () =>
        isHanging ? await new Promise(() => undefined) : gateway.credential()) as never,
    });
    const ticks = [poller.tick()];
    await new Promise((resolve) => setTimeout(resolve, 20));
    isHanging = false;
    ticks.push(poller.tick());
    await poller.deactivate();
    await Promise.all(ticks);
    expect(poller.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('could not read the credential'),
    ]);
    expect(poller.executions.flat().length).toBeLessThanOrEqual(3);
  });

  test('that still reads its credential when n8n stops pulls nothing, and holds no account', async () => {
    gateway.queueReports(3);
    let goOn: () => void = () => undefined;
    const credential = new Promise((resolve) => {
      goOn = () => resolve(gateway.credential());
    });
    const options = { getCredentials: (async () => await credential) as never };
    const poller = harness.createPoller(REPORTS_ONLY, options);
    const tick = poller.tick();
    await new Promise(setImmediate);
    let isClosed = false;
    const closing = poller.deactivate().then(() => (isClosed = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    // n8n waits for it, as for one that is at a page.
    expect(isClosed).toBe(false);
    goOn();
    await Promise.all([tick, closing]);
    expect(gateway.requests).toHaveLength(0);
    const other = harness.createPoller(REPORTS_ONLY, { activation: 'update' });
    await other.activate();
    expect(other.executions.flat()).toHaveLength(3);
  });

  test('goes on with executions that n8n cannot follow: they have started', async () => {
    gateway.queueReports(30);
    let started = 0;
    const poller = harness.createPoller(
      { pullSize: 10, ...REPORTS_ONLY },
      {
        onExecution: () => {
          started += 1;
          throw new Error('No active execution found: 7');
        },
      },
    );
    await poller.tick();
    await poller.tick();
    expect(started).toBe(3);
    expect(poller.errors).toEqual([]);
  });

  test.each([
    { deliveryReport: { version: 2 }, reply: { version: 2, seen: 7 } },
    { deliveryReport: null, reply: 'x' },
  ])('goes on with static data that was saved in part: %j', async (staticData) => {
    gateway.queueReports(2);
    const poller = harness.createPoller(
      {},
      {
        restarted: {
          'node:SMS': staticData,
          global: {
            'n8n-nodes-sms-messaging-service.smsMessagingServiceTrigger/node-1/deliveryReport': {
              version: 1,
            },
          },
        } as never,
      },
    );
    await poller.tick();
    expect(poller.errors).toEqual([]);
    expect(poller.executions.flat()).toHaveLength(2);
  });

  test('takes over from one that is still under way, after its page', async () => {
    gateway.queueReports(55);
    const polls: Promise<void>[] = [];
    const workflowId = 'published-again';
    const changed = harness.createPoller({ pullSize: 20, ...REPORTS_ONLY }, { workflowId });
    const before = harness.createPoller(
      { pullSize: 10, ...REPORTS_ONLY },
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

  test('has handed over its page before n8n stops, and asks for no other', async () => {
    await gateway.close();
    await start({ latencyMs: 50 });
    gateway.queueReports(50);
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY });
    const tick = poller.tick();
    while (gateway.requests.length < 2) await new Promise(setImmediate);
    await poller.deactivate();
    expect(poller.executions.map((items) => items.length)).toEqual([10, 10]);
    expect(gateway.state.reportsLeft).toBe(30);
    await tick;
    expect(poller.errors).toEqual([]);
    expect(gateway.requests).toHaveLength(2);
  });

  test('that fails does not keep n8n from stopping', async () => {
    gateway.fault({ kind: 'status', status: 500 });
    const poller = harness.createPoller(REPORTS_ONLY);
    const tick = poller.tick();
    while (gateway.requests.length === 0) await new Promise(setImmediate);
    await poller.deactivate();
    await tick;
    expect(poller.errors).toHaveLength(1);
  });

  test('is not held back by one that failed', async () => {
    gateway.queueReports(5);
    gateway.fault({ kind: 'status', status: 500 });
    const poller = harness.createPoller(REPORTS_ONLY);
    const polls = [poller.tick()];
    while (gateway.requests.length === 0) await new Promise(setImmediate);
    polls.push(poller.tick());
    await Promise.all(polls);
    expect(poller.executions.flat()).toHaveLength(5);
    expect(poller.errors).toHaveLength(1);
  });

  since('2.38').test('keeps to its budget, and the next one goes on', async () => {
    await gateway.close();
    await start({ latencyMs: 50 });
    gateway.queueReports(1_000);
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY }, { budgetMs: 1_000 });
    await poller.tick();
    const drained = poller.executions.flat().length;
    expect(drained).toBeGreaterThan(0);
    expect(drained).toBeLessThanOrEqual(100);
    await poller.tick();
    expect(poller.executions.flat().length).toBeGreaterThan(drained);
  });

  test('says of both events what stopped them, and how n8n is to wait', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '7', path: REPORTS });
    gateway.fault({ kind: 'businessCode', code: 9, msg: 'closed', path: REPLIES, times: 5 });
    const poller = harness.createPoller({});
    await poller.tick();
    const [error] = poller.errors as [NodeApiError];
    expect(poller.errors).toHaveLength(1);
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error.message).toContain('(HTTP 429)');
    expect(error.message).toContain('while pulling delivery reports');
    expect(error.message).toContain('closed (code 9), while pulling replies');
  });

  test.each([
    [
      { kind: 'tooManyRequests', retryAfter: '7' },
      { cause: 'rate-limited', retryAfterMs: 7_000 },
    ],
    [{ kind: 'status', status: 401 }, { cause: 'credential-invalid' }],
    [{ kind: 'status', status: 503 }, { cause: 'temporarily-unavailable' }],
  ] as [Fault, object][])('after %p n8n knows how to wait', async (fault, failure) => {
    gateway.fault({ ...fault, times: 2 });
    const poller = harness.createPoller({});
    await poller.tick();
    expect(poller.errors).toEqual([expect.objectContaining({ failure })]);
    expect(poller.errors[0]?.message).toContain('while pulling delivery reports and replies');
    await poller.tick();
    expect(poller.errors).toHaveLength(1);
  });

  const KEEPS = true;
  const CONSUMES = false;
  test.each<[Fault, boolean, RegExp]>([
    [{ kind: 'businessCode', code: 9, msg: 'busy', times: 5 }, KEEPS, /busy \(code 9\)/],
    [{ kind: 'status', status: 500 }, KEEPS, /HTTP 500/],
    [{ kind: 'status', status: 404 }, KEEPS, /HTTP 404/],
    [{ kind: 'tooManyRequests' }, KEEPS, /HTTP 429/],
    [{ kind: 'redirect', location: '/elsewhere' }, KEEPS, /redirected/],
    [{ kind: 'resetBeforeAccept' }, KEEPS, /connection broke/],
    [{ kind: 'resetAfterAccept' }, CONSUMES, /connection broke/],
    [{ kind: 'truncatedJson' }, CONSUMES, /cut off/],
    [{ kind: 'truncatedJson', mismatchedLength: true }, CONSUMES, /connection broke/],
    [{ kind: 'html' }, CONSUMES, /web page/],
    [{ kind: 'wrongShape' }, CONSUMES, /expected shape/],
    [{ kind: 'emptyBody' }, CONSUMES, /empty answer/],
  ])('%p on page 3 costs at most that page', async (fault, keeps, message) => {
    gateway.queueReports(50);
    gateway.fault({ ...fault, nth: 3 });
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY });
    const records = () => poller.executions.flat().filter(({ event }) => event !== 'unreadable');
    await poller.tick();
    expect(records()).toHaveLength(20);
    expect(poller.errors.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
    await poller.tick();
    expect(new Set(records().map(identity)).size).toBe(keeps ? 50 : 40);
    expect(poller.errors).toHaveLength(1);
  });

  const REPORT = { batch_id: 'b', phone_number: '13800138000', status: 'DELIVRD' };
  const OTHER = { ...REPORT, batch_id: 'c' };

  test.each([
    ['a list under data', { code: 0, data: { list: [REPORT, OTHER], total: 2 } }],
    ['a list of another name', { code: 0, msg: 'ok', reports: [REPORT, OTHER] }],
    ['a list of lists', [[REPORT], [OTHER]]],
    ['a bare list', [REPORT, OTHER]],
    ['a map', { code: 0, data: { b: REPORT, c: OTHER } }],
    ['JSON as text', { code: 0, data: JSON.stringify([REPORT, OTHER]) }],
    ['a list in what it says', { code: 0, message: [REPORT, OTHER] }],
    ['a page in nested arrays', [[{ list: [REPORT, OTHER], page: 1, total: 2 }]]],
  ])('reads records from %s', async (_, body) => {
    gateway.fault({ kind: 'wrongShape', body });
    const poller = harness.createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toMatchObject([REPORT, OTHER]);
    expect(poller.errors).toEqual([]);
  });

  test('reads a single record', async () => {
    gateway.fault({ kind: 'wrongShape', body: { code: 0, data: REPORT } });
    const poller = harness.createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toMatchObject([REPORT]);
  });

  test.each([
    { code: 0 },
    { code: 0, msg: 'ok', data: null },
    { code: '0', data: '' },
    { code: 0, data: {} },
    { code: 0, success: true, total: 0 },
    { code: 0, data: { list: [], total: 0, note: 'none' } },
    { code: 0, data: { list: null, page: 1 } },
  ])('takes %j for no records', async (body) => {
    gateway.fault({ kind: 'wrongShape', body });
    const poller = harness.createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions).toEqual([]);
    expect(poller.errors).toEqual([]);
  });

  test.each([
    ['in another shape', { kind: 'wrongShape', body: { code: 0, result: 'a,b,c' } }],
    ['in an unknown list', { kind: 'wrongShape', body: { code: 0, data: { list: [{ x: 1 }] } } }],
    ['cut off', { kind: 'truncatedJson' }],
  ] as [string, Fault][])('hands over as it is what came %s, once', async (_, fault) => {
    gateway.queueReports(1);
    gateway.fault({ ...fault, times: 2 });
    const poller = harness.createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toEqual([{ event: 'unreadable', answer: expect.anything() }]);
    expect(poller.errors).toHaveLength(1);
  });

  test('hands over the records that came beside a refusal', async () => {
    gateway.fault({ kind: 'status', status: 500, body: { code: 7, data: [REPORT] } });
    const poller = harness.createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toMatchObject([REPORT]);
    expect(poller.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/HTTP 500/),
    ]);
  });

  test.each([
    [1767225600, '2026-01-01T00:00:00.000Z'],
    [1767225600123, '2026-01-01T00:00:00.123Z'],
    ['1767225600', '2026-01-01T00:00:00.000Z'],
    ['soon', undefined],
    [null, undefined],
  ])('knows the time %p', async (time, timeIso) => {
    gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [{ ...REPORT, time }] } });
    const poller = harness.createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toMatchObject([{ time }]);
    expect(poller.executions.flat()[0]?.time_iso).toBe(timeIso);
  });

  test("keeps the service's own event and time", async () => {
    const own = { ...REPORT, time: 1, event: 'delivered', time_iso: 'theirs' };
    gateway.fault({ kind: 'wrongShape', body: { code: 0, data: [own] } });
    const poller = harness.createPoller(REPORTS_ONLY);
    await poller.tick();
    expect(poller.executions.flat()).toEqual([
      { ...own, event: 'deliveryReport', service_event: 'delivered' },
    ]);
  });

  test('gives a reply the name of its phone number that a report has', async () => {
    gateway.queueReplies(1);
    const poller = harness.createPoller({ events: ['reply'] });
    await poller.tick();
    const [reply] = poller.executions.flat();
    expect(reply?.phone_number).toBe(reply?.mobile);
    expect(reply?.phone_number).toMatch(/^1\d{10}$/);
  });

  test('of a service that hands out fewer than it is asked for is steady progress', async () => {
    await gateway.close();
    await start({ maxCount: 30 });
    gateway.queueReports(250);
    const poller = harness.createPoller({ pullSize: 100, ...REPORTS_ONLY });
    await poller.tick();
    expect(poller.executions.map((items) => items.length)).toEqual([...Array(8).fill(30), 10]);
    expect(gateway.requests).toHaveLength(9);
  });

  test('of a service that hands out more than it is asked for loses none', async () => {
    const data = Array.from({ length: 25 }, (_, index) => ({ batch_id: `b-${index}`, time: 1 }));
    gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: '', data } });
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY });
    await poller.tick();
    expect(poller.executions.map((items) => items.length)).toEqual([10, 10, 5]);
  });

  test('asks once when there is nothing, and once more after a first page that is short', async () => {
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY });
    await poller.tick();
    expect(gateway.requests).toHaveLength(1);
    gateway.queueReports(3);
    await poller.tick();
    expect(gateway.requests).toHaveLength(3);
    gateway.queueReports(13);
    await poller.tick();
    expect(gateway.requests).toHaveLength(5);
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

describe('a second trigger for the same account', () => {
  const first = (options = {}) =>
    harness.createPoller({}, { workflowName: 'Inbox', activation: 'update', ...options });

  test('is not published, and told which workflow has the first', async () => {
    const inbox = first();
    await inbox.activate();
    gateway.queueReplies(2);
    const second = harness.createPoller({ events: ['reply'] }, { activation: 'update' });
    await expect(second.activate()).rejects.toMatchObject({
      message: 'The workflow "Inbox" already starts with the replies of this account',
      description: expect.stringContaining('Let "Inbox" call this workflow'),
    });
    await inbox.tick();
    expect(inbox.executions.flat()).toHaveLength(2);
  });

  test('is published when the first is no more, or changed, or could not be', async () => {
    const inbox = first();
    await inbox.activate();
    await inbox.deactivate();
    const second = harness.createPoller({}, { activation: 'update', workflowId: 'second' });
    await second.activate();
    // Published again, with fewer events, which leaves the other one free.
    const changed = harness.createPoller(REPORTS_ONLY, {
      activation: 'update',
      workflowId: 'second',
    });
    await changed.activate();
    await first({ workflowId: 'third' })
      .activate()
      .catch(() => undefined);
    const replies = harness.createPoller({ events: ['reply'] }, { activation: 'update' });
    await replies.activate();
    expect([second, changed, replies].flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('of which the publication failed does not hold the account', async () => {
    gateway.fault({ kind: 'businessCode', code: 7, times: 10 });
    await expect(first().activate()).rejects.toThrow('code 7');
    await harness.createPoller({}, { activation: 'update' }).activate();
  });

  test('of another account is none', async () => {
    await first().activate();
    const other = await startGateway({ apiKey: 'other' });
    const { createPoller } = await createHarness(other.credential() as never);
    await createPoller({}, { activation: 'update' }).activate();
    await other.close();
  });

  test('that starts with n8n goes on, and is told once', async () => {
    await first({ activation: 'init' }).activate();
    const second = harness.createPoller({ events: ['reply'] }, { activation: 'init' });
    await second.activate();
    expect(second.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('"Inbox" already starts'),
    ]);
    gateway.queueReplies(1);
    await second.tick();
    expect(second.executions.flat()).toHaveLength(1);
    expect(second.errors).toHaveLength(1);
  });

  test('is hinted at beside a pull, which takes records from it', async () => {
    await first().activate();
    const pull = { resource: 'reply', operation: 'pull', count: 1 };
    const { run } = await harness.execute(pull, [{}, {}]);
    expect(run.data.resultData.runData.SMS?.[0]?.hints).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('"Inbox" starts with the replies of this account'),
      }),
    ]);
  });
});

describe('a platform that does not consume', () => {
  test('is no endless drain, and every record comes once', async () => {
    await gateway.close();
    await start({ consume: false });
    gateway.queueReports(8);
    const workflowId = 'not-consuming';
    const poller = harness.createPoller(
      { pullSize: 10, events: ['deliveryReport'] },
      { workflowId },
    );
    await poller.tick();
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(8);

    gateway.queueReports(1);
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(9);

    // A restart: only the static data is left.
    const restarted = harness.createPoller(
      { pullSize: 10, events: ['deliveryReport'] },
      {
        workflowId,
        staticData: JSON.parse(JSON.stringify(poller.staticData)) as IDataObject,
      },
    );
    await restarted.tick();
    expect(restarted.executions).toEqual([]);
    expect(restarted.errors).toEqual([]);
  });

  test('and that new records trickle into: every one comes once, over 20 polls', async () => {
    await gateway.close();
    await start({ consume: false });
    const poller = harness.createPoller({ pullSize: 200 });
    for (let round = 0; round < 20; round++) {
      gateway.queueReports(round % 4);
      gateway.queueReplies(round % 3);
      await poller.tick();
    }
    const items = poller.executions.flat();
    expect(items).toHaveLength(30 + 19);
    expect(new Set(items.map(identity)).size).toBe(items.length);
    expect(poller.errors).toEqual([]);
  });

  test('and that ignores how many are asked for is recognised too', async () => {
    const data = Array.from({ length: 3_000 }, (_, index) => ({ batch_id: `b-${index}`, time: 1 }));
    gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: '', data }, times: Infinity });
    const poller = harness.createPoller({ pullSize: 10, ...REPORTS_ONLY });
    for (let round = 0; round < 3; round++) await poller.tick();
    expect(poller.executions.map((items) => items.length)).toEqual(Array(300).fill(10));
  });

  test('after an update of this package that stores its memory otherwise starts a new one', async () => {
    gateway.queueReports(2);
    const staticData = { deliveryReport: { version: 0, seen: ['something', 'else'] } };
    const poller = harness.createPoller(REPORTS_ONLY, { staticData });
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(2);
    expect(poller.errors).toEqual([]);
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

test('100,000 queued reports come out over successive polls, with flat memory', async () => {
  await gateway.close();
  await start({ validate: false, recordRequests: false });
  gateway.queueReports(100_000);
  const seen = new Set<string>();
  const sizes: number[] = [];
  const stored: number[] = [];
  const poller = harness.createPoller({
    pullSize: 1_000,
    ...REPORTS_ONLY,
    options: { maxRecordsPerPoll: 20_000 },
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
  // The queue and `seen` are in this process too: what one loses the other gains.
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { createPoller } = await createHarness({ ...gateway.credential(), baseUrl } as never);
  const poller = createPoller(
    { ...REPORTS_ONLY, pullSize: 1 },
    // n8n does not keep what it was handed either.
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

/** What is in use after a garbage collection. */
function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test('an answer that never ends does not hold up the polls after it', async () => {
  let isStuck = true;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"code":0,"msg":"","data":[');
    if (!isStuck) response.end(']}');
    isStuck = false;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { createPoller } = await createHarness({ ...gateway.credential(), baseUrl } as never);
  const poller = createPoller(REPORTS_ONLY);
  const polls = [poller.tick()];
  while (isStuck) await new Promise(setImmediate);
  polls.push(poller.tick());
  await Promise.all(polls);
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('did not answer within 15000 ms'),
  ]);
  // Before 2.20 n8n leaves the connection open.
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a test in the editor', () => {
  test('shows sample data by default and pulls nothing', async () => {
    gateway.queueReplies(3);
    const items = await harness.testTrigger({});
    expectOutputSchema(undefined, items);
    expect(items.map(({ event }) => event)).toEqual(['deliveryReport', 'deliveryReport', 'reply']);
    expect(gateway.requests).toHaveLength(0);
    const poller = harness.createPoller({});
    await poller.tick();
    const [reply] = poller.executions.flat();
    expect(Object.keys(items[2] ?? {}).sort()).toEqual(Object.keys(reply ?? {}).sort());
  });

  test('shows the live data of one event when the other cannot be had', async () => {
    gateway.queueReplies(3);
    gateway.fault({ kind: 'status', status: 500, path: REPORTS });
    expect(await harness.testTrigger({ testData: 'live' })).toHaveLength(3);
    gateway.fault({ kind: 'status', status: 500, path: REPORTS });
    await expect(harness.testTrigger({ testData: 'live' })).rejects.toThrow(
      /HTTP 500.*while pulling delivery reports/,
    );
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

test.each([['reply'], '={{ "reply" }}', '={{ ["reply", "reply"] }}'])(
  'events may be %p',
  async (events) => {
    gateway.queueReports(1);
    gateway.queueReplies(1);
    const poller = harness.createPoller({ events });
    await poller.tick();
    expect(poller.executions.flat()).toMatchObject([{ event: 'reply' }]);
  },
);

test.each([
  [[], "'Events' is empty"],
  [['receipt'], '\'Events\' does not know the text "receipt"'],
])('events of %p are told before any request', async (events, message) => {
  const poller = harness.createPoller({ events });
  await poller.tick();
  expect(poller.errors.map((error) => error.message)).toEqual([message]);
  expect(gateway.requests).toHaveLength(0);
});
