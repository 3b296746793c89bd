import { sleep } from 'n8n-workflow';
import type { EventName } from '../../../nodes/SmsMessagingService/receiving/events';
import type { Pulled } from '../../../nodes/SmsMessagingService/receiving/pullPage';
import { PullTurns } from '../../../nodes/SmsMessagingService/receiving/pullTurns';
import { overLimit } from '../../sandbox/limits';
import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { setForward } from '../../kit/engine/pauses';
import { REPORTS, REPORTS_ONLY } from '../../kit/engine/pulls';
import { since } from '../../kit/engine/since';

/** A service that allows a pull now and then. */

const { gateway, createPoller, execute, poll, publish } = useGatewayPerTest();

const BY_CODE: Fault = { kind: 'businessCode', code: 10007, msg: '提交过快' };
const BY_STATUS: Fault = { kind: 'tooManyRequests' };

/** The service allows a pull in 8 s. */
const limit = (fault: Fault) =>
  gateway.fault({ ...fault, times: Infinity, match: overLimit({ requests: 1, perMs: 8_000 }) });

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

/** Makes pulls that take turns: each takes a second, and gets the answer, or `tooFast`. */
function takeTurns(shouldContinue = () => true) {
  const turns = new PullTurns();
  const log: string[] = [];
  const take = async (event: EventName, pulled: Partial<Pulled>) => {
    while (!turns.begin(event)) {
      await sleep(turns.stepMs);
      if (shouldContinue()) continue;
      return false;
    }
    log.push(event);
    await sleep(1_000);
    log.push('answer');
    const tooFast = { kind: 'tooFast', page: [], error: new Error('Slow down') };
    turns.end(event, { ...tooFast, ...pulled } as Pulled);
    return true;
  };
  return { take, log };
}

test('after "too fast", pulls follow each other, and the event with the oldest answer goes first', async () => {
  const { take, log } = takeTurns();
  await take('reply', { kind: 'page' });
  await take('deliveryReport', {});
  await Promise.all([take('reply', { kind: 'page' }), take('deliveryReport', { kind: 'page' })]);
  await Promise.all([take('deliveryReport', {}), take('reply', {})]);
  const reply = ['reply', 'answer'];
  const report = ['deliveryReport', 'answer'];
  expect(log).toEqual([reply, report, report, reply, report, reply].flat());
});

test('of two pulls side by side, the longer Retry-After counts', async () => {
  const { take } = takeTurns();
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
  const { take } = takeTurns(() => performance.now() < end);
  await take('deliveryReport', { kind: 'page' });
  await take('reply', { retryAfterMs: 20_000 });
  end = performance.now() + 5_000;
  expect(await take('reply', {})).toBe(false);
  end = performance.now() + 60_000;
  expect(await take('deliveryReport', { kind: 'page' })).toBe(true);
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

// Guess: pull-rate
test.each([
  ['its code', BY_CODE],
  ['HTTP 429', BY_STATUS],
])(
  'a trigger whose service says "too fast" by %s is published, and every record comes without an error',
  async (_, fault) => {
    gateway.queueReports(250);
    gateway.queueReplies(30);
    limit(fault);
    const poller = await publish({});
    await poller.tick(4);
    expect(poller.executions.flat()).toHaveLength(280);
    expect(poller.errors).toEqual([]);
  },
);

test.each([
  ['one trigger', [{}]],
  ['a trigger for each', [REPORTS_ONLY, { events: ['reply'] }]],
])('one limit for both events lets replies through in the first polls, to %s', async (_, all) => {
  gateway.queueReports(3_000);
  gateway.queueReplies(5);
  limit(BY_STATUS);
  const pollers = all.map((parameters) => createPoller(parameters));
  for (let poll = 0; poll < 2; poll++) {
    await Promise.all(pollers.map(async ({ tick }) => await tick()));
  }
  const items = pollers.flatMap(({ executions }) => executions.flat());
  expect(items.filter(({ event }) => event === 'reply')).toHaveLength(5);
  expect(items.length).toBeGreaterThan(100);
  expect(pollers.flatMap(({ errors }) => errors)).toEqual([]);
});

since('2.38').test(
  '"too fast" is an error after ten polls that brought nothing, again after ten',
  async () => {
    gateway.fault({ ...BY_CODE, times: Infinity });
    const poller = createPoller({}, { budgetMs: 20_000, isEachMinute: true });
    for (let poll = 1; poll <= 20; poll++) {
      await poller.tick();
      expect(poller.errors).toHaveLength(Math.floor(poll / 10));
    }
    expect(poller.errors[0]?.message).toMatch(/while pulling .* and /);
  },
);

since('2.38').test('nine polls of "too fast" and an empty one are no error', async () => {
  const fault = { ...BY_STATUS, times: 9 };
  gateway.fault(fault);
  const poller = await poll(REPORTS_ONLY, { budgetMs: 3_000, isEachMinute: true }, 10);
  gateway.fault(fault);
  await poller.tick(9);
  expect(gateway.requests).toHaveLength(19);
  expect(poller.errors).toEqual([]);
});

test('polls whose time is over after a page end in silence, however many', async () => {
  gateway.queueReports(5_000);
  limit(BY_STATUS);
  const poller = await poll(REPORTS_ONLY, { isEachMinute: true }, 11);
  expect(poller.executions.length).toBeGreaterThan(11);
  expect(poller.errors).toEqual([]);
});

test('a pull by hand does not wait', async () => {
  gateway.fault(BY_STATUS);
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
