import {
  PullPace,
  spacingAfterAccepted,
  spacingAfterThrottled,
} from '../../../nodes/SmsMessagingService/receiving/pullPace';
import { overLimit } from '../../sandbox/limits';
import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../harness/gateway';
import { setForward } from '../harness/pauses';
import { REPLIES, REPORTS, REPORTS_ONLY } from '../harness/pulls';
import { since } from '../harness/since';

/** A service that allows a pull now and then. */

const { gateway, createPoller, execute } = useGatewayPerTest();

test.each([
  [0, undefined, 1_000],
  [1_000, undefined, 2_000],
  [32_000, undefined, 60_000],
  [60_000, undefined, 60_000],
  [0, 7_000, 7_000],
  [8_000, 7_000, 16_000],
  [0, 3_600_000, 60_000],
])('after a gap of %d ms and Retry-After %p the gap is %d ms', (gapMs, retryAfterMs, expected) => {
  expect(spacingAfterThrottled({ gapMs, accepted: 5 }, retryAfterMs)).toEqual({
    gapMs: expected,
    accepted: 0,
  });
});

test.each([
  [
    { gapMs: 8_000, accepted: 18 },
    { gapMs: 8_000, accepted: 19 },
  ],
  [
    { gapMs: 8_000, accepted: 19 },
    { gapMs: 4_000, accepted: 0 },
  ],
  [
    { gapMs: 1_000, accepted: 19 },
    { gapMs: 0, accepted: 0 },
  ],
])('after %j and an accepted request it is %j', (spacing, expected) => {
  expect(spacingAfterAccepted(spacing)).toEqual(expected);
});

test('both events take turns, whoever comes first, also over several polls', async () => {
  const pace = new PullPace();
  pace.note({ kind: 'throttled' });
  const order: string[] = [];
  const begin = performance.now();
  for (let poll = 0; poll < 2; poll++) {
    let isOver = false;
    const turns = (['deliveryReport', 'reply'] as const).map(async (event) => {
      if (!(await pace.turn(event, () => !isOver))) return;
      order.push(event);
      // There is time for one request in each poll.
      isOver = true;
    });
    await Promise.all(turns);
  }
  expect(order.sort()).toEqual(['deliveryReport', 'reply']);
  expect(performance.now() - begin).toBeGreaterThan(1_900);
});

test('the next pull waits as long as Retry-After says', async () => {
  gateway.fault({ kind: 'tooManyRequests', retryAfter: '20' });
  const poller = createPoller(REPORTS_ONLY);
  const begin = performance.now();
  await poller.tick();
  expect(performance.now() - begin).toBeGreaterThan(20_000);
  expect(gateway.requests).toHaveLength(2);
  expect(poller.errors).toEqual([]);
});

test('no pull waits longer than ten minutes', async () => {
  const pace = new PullPace();
  pace.note({ kind: 'throttled', retryAfterMs: 3_600_000 });
  setForward(598_000);
  const begin = performance.now();
  expect(await pace.turn('reply', () => performance.now() - begin < 5_000)).toBe(true);
  expect(performance.now() - begin).toBeGreaterThan(1_000);
});

test('a wait ends with the poll', async () => {
  const pace = new PullPace();
  pace.note({ kind: 'throttled', retryAfterMs: 50_000 });
  let asked = 0;
  expect(await pace.turn('reply', () => asked++ < 2)).toBe(false);
});

const TOO_FAST: [string, Fault][] = [
  ['by its code', { kind: 'businessCode', code: 10007, msg: '提交过快' }],
  ['with HTTP 429', { kind: 'tooManyRequests' }],
];

describe.each(TOO_FAST)('a service that allows one pull in 1.5 s, and says so %s', (_, fault) => {
  const limit = () =>
    gateway.fault({ ...fault, times: Infinity, match: overLimit({ requests: 1, perMs: 1_500 }) });

  // Guess: pull-rate
  test('is published, and every record comes without a failed execution', async () => {
    gateway.queueReports(250);
    gateway.queueReplies(30);
    limit();
    const poller = createPoller({});
    await poller.activate();
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(280);
    expect(poller.errors).toEqual([]);
    // What was learnt holds: the second poll is refused once at most.
    expect(gateway.requests.length).toBeLessThan(16);
  });

  test('two triggers for one event each share what is learnt', async () => {
    gateway.queueReports(250);
    gateway.queueReplies(30);
    limit();
    const reports = createPoller(REPORTS_ONLY);
    await reports.activate();
    const replies = createPoller({ events: ['reply'] });
    await replies.activate();
    await Promise.all([reports.tick(), replies.tick()]);
    expect([reports.executions.flat().length, replies.executions.flat().length]).toEqual([250, 30]);
    expect([...reports.errors, ...replies.errors]).toEqual([]);
    expect(gateway.requests.length).toBeLessThan(16);
  });

  since('2.38').test('a poll whose time is over ends in silence', async () => {
    gateway.queueReports(500);
    limit();
    const poller = createPoller(REPORTS_ONLY, { budgetMs: 3_000 });
    await poller.tick();
    expect(poller.executions.flat()).toHaveLength(100);
    expect(poller.errors).toEqual([]);
  });
});

since('2.38').test('a poll that brings nothing because of "too fast" says so', async () => {
  gateway.fault({ kind: 'tooManyRequests', times: Infinity });
  const poller = createPoller({}, { budgetMs: 3_000 });
  await poller.tick();
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('asks to slow down (HTTP 429)'),
  ]);
});

since('2.38').test('one event that is let through is enough', async () => {
  gateway.queueReplies(3);
  gateway.fault({ kind: 'tooManyRequests', path: REPORTS, times: Infinity });
  const poller = createPoller({}, { budgetMs: 3_000 });
  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(3);
  expect(poller.errors).toEqual([]);
});

test('records beside "too fast" are handed over, and the poll goes on', async () => {
  gateway.queueReplies(1);
  const data = [{ batch_id: 'b', content: 'Y', mobile: 13800138000 }];
  gateway.fault({
    kind: 'status',
    status: 429,
    body: { code: 4290, msg: 'too fast', data },
    path: REPLIES,
  });
  const poller = createPoller({ events: ['reply'] });
  await poller.tick();
  expect(poller.executions.map((items) => items.length)).toEqual([1, 1]);
  expect(poller.errors).toEqual([]);
});

test('a pull by hand does not wait', async () => {
  gateway.fault({ kind: 'tooManyRequests' });
  const { error } = await execute({ resource: 'reply', operation: 'pull' });
  expect(error?.message).toContain('asks to slow down');
  expect(gateway.requests).toHaveLength(1);
});
