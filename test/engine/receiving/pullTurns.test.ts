import type { EventName } from '../../../nodes/SmsMessagingService/receiving/events';
import type { Pulled } from '../../../nodes/SmsMessagingService/receiving/pullPage';
import { PullTurns } from '../../../nodes/SmsMessagingService/receiving/pullTurns';
import { overLimit } from '../../sandbox/limits';
import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../harness/gateway';
import { setForward } from '../harness/pauses';
import { REPLIES, REPORTS, REPORTS_ONLY } from '../harness/pulls';
import { since } from '../harness/since';

/** A service that allows a pull now and then. */

const { gateway, createPoller, execute, poll, publish } = useGatewayPerTest();

const TOO_FAST: [string, Fault][] = [
  ['by its code', { kind: 'businessCode', code: 10007, msg: '提交过快' }],
  ['with HTTP 429', { kind: 'tooManyRequests' }],
];

const limit = (fault: Fault, perMs: number) =>
  gateway.fault({ ...fault, times: Infinity, match: overLimit({ requests: 1, perMs }) });

test.each([
  ['20', 20_000],
  [undefined, 10_000],
])('with Retry-After %p the next pull comes after %d ms', async (retryAfter, waitMs) => {
  gateway.queueReports(3);
  gateway.fault({ kind: 'tooManyRequests', retryAfter });
  const poller = createPoller(REPORTS_ONLY);
  const begin = performance.now();
  await poller.tick();
  const tookMs = performance.now() - begin;
  expect(tookMs).toBeGreaterThan(waitMs);
  // Requests take time too.
  expect(tookMs).toBeLessThan(waitMs + 4_000);
  expect([poller.executions.flat().length, poller.errors]).toEqual([3, []]);
});

/** Makes pulls that take turns: each of an event that gets the answer, or `tooFast`. */
function takeTurns(shouldContinue = () => true) {
  const turns = new PullTurns();
  return async (event: EventName, pulled: Partial<Pulled>) =>
    await turns.take(event, shouldContinue, async () => ({ kind: 'tooFast', page: [], ...pulled }));
}

test('of two pulls side by side, the longer Retry-After counts', async () => {
  const take = takeTurns();
  await Promise.all([
    take('deliveryReport', { retryAfterMs: 60_000 }),
    take('reply', { retryAfterMs: 20_000 }),
  ]);
  const begin = performance.now();
  await take('reply', { kind: 'page' });
  expect(performance.now() - begin).toBeGreaterThan(55_000);
});

test('an event whose wait was in vain holds up no other one', async () => {
  // Each poll ends after five seconds.
  let end = Infinity;
  const take = takeTurns(() => performance.now() < end);
  await take('deliveryReport', { kind: 'page' });
  await take('reply', { retryAfterMs: 20_000 });
  end = performance.now() + 5_000;
  expect(await take('reply', {})).toBeUndefined();
  end = performance.now() + 60_000;
  expect(await take('deliveryReport', { kind: 'page' })).toBeDefined();
});

test('no pull waits longer than ten minutes', async () => {
  gateway.queueReports(3);
  gateway.fault({ kind: 'tooManyRequests', retryAfter: '3600' });
  const poller = await poll(REPORTS_ONLY);
  await poller.tick();
  expect(gateway.requests).toHaveLength(1);
  setForward(600_000);
  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(3);
});

describe.each(TOO_FAST)('a service that says so %s', (_, fault) => {
  // Guess: pull-rate
  test('and allows a pull in 8 s is published, and every record comes without an error', async () => {
    gateway.queueReports(250);
    gateway.queueReplies(30);
    limit(fault, 8_000);
    const poller = await publish({});
    await poller.tick(4);
    expect(poller.executions.flat()).toHaveLength(280);
    expect(poller.errors).toEqual([]);
  });

  test.each([
    ['one trigger', [{}]],
    ['a trigger for each', [REPORTS_ONLY, { events: ['reply'] }]],
  ])(
    'and has one limit for both events lets replies through in the first polls, to %s',
    async (__, all) => {
      gateway.queueReports(3_000);
      gateway.queueReplies(5);
      limit(fault, 8_000);
      const pollers = all.map((parameters) => createPoller(parameters));
      for (let poll = 0; poll < 2; poll++) {
        await Promise.all(pollers.map(async ({ tick }) => await tick()));
      }
      const items = pollers.flatMap(({ executions }) => executions.flat());
      expect(items.filter(({ event }) => event === 'reply')).toHaveLength(5);
      expect(items.length).toBeGreaterThan(100);
      expect(pollers.flatMap(({ errors }) => errors)).toEqual([]);
    },
  );

  since('2.38').test(
    'is an error after ten polls that brought nothing, again after ten',
    async () => {
      gateway.fault({ ...fault, times: Infinity });
      const poller = createPoller({}, { budgetMs: 3_000, isEachMinute: true });
      for (let poll = 1; poll <= 20; poll++) {
        await poller.tick();
        expect(poller.errors).toHaveLength(Math.floor(poll / 10));
      }
      expect(poller.errors[0]?.message).toContain('while pulling delivery reports and replies');
    },
  );
});

since('2.38').test('nine polls of "too fast" and an empty one are no error', async () => {
  const fault: Fault = { kind: 'tooManyRequests', times: 9 };
  gateway.fault(fault);
  const poller = await poll(REPORTS_ONLY, { budgetMs: 3_000, isEachMinute: true }, 10);
  gateway.fault(fault);
  await poller.tick(9);
  expect(gateway.requests).toHaveLength(19);
  expect(poller.errors).toEqual([]);
});

since('2.38').test('a poll whose time is over ends in silence', async () => {
  gateway.queueReports(500);
  limit({ kind: 'tooManyRequests' }, 8_000);
  const poller = await poll(REPORTS_ONLY, { budgetMs: 3_000 });
  expect(poller.executions.flat()).toHaveLength(100);
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
  const poller = await poll({ events: ['reply'] });
  expect(poller.executions.map((items) => items.length)).toEqual([1, 1]);
  expect(poller.errors).toEqual([]);
});

test('a pull by hand does not wait', async () => {
  gateway.fault({ kind: 'tooManyRequests' });
  const { error } = await execute({ resource: 'reply', operation: 'pull' });
  expect(error?.message).toContain('asks to slow down');
  expect(gateway.requests).toHaveLength(1);
});

since('2.38').test('"too fast" of one event only is an error of that event', async () => {
  gateway.queueReplies(3);
  gateway.fault({ kind: 'tooManyRequests', path: REPORTS, times: Infinity });
  const poller = await poll({}, { budgetMs: 3_000, isEachMinute: true }, 12);
  expect(poller.executions.flat()).toHaveLength(3);
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/asks to slow down.*, while pulling delivery reports$/),
  ]);
});
