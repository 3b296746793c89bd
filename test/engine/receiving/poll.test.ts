import { NodeApiError } from 'n8n-workflow';
import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { until, withTimeLimits } from '../../kit/engine/pauses';
import { REPLIES, REPORTS, REPORTS_ONLY } from '../../kit/engine/pulls';

/** What a poll does when a page or n8n fails: which error n8n gets, and which records are lost. */

const { gateway, createPoller, poll } = useGatewayPerTest();

test('a page that fails does not stop the other event, and the pages before it are handed over', async () => {
  gateway.queueReports(30);
  gateway.queueReplies(5);
  gateway.fault({ kind: 'businessCode', code: 9, msg: 'closed', path: REPORTS, nth: 3 });
  const poller = await poll({ options: { pullSize: 10 } });
  expect(poller.executions.flat()).toHaveLength(25);
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('closed (code 9)'),
  ]);

  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(35);
});

test('the error has the reasons of both events', async () => {
  gateway.fault({ kind: 'status', status: 503, path: REPORTS });
  gateway.fault({ kind: 'businessCode', code: 9, msg: 'closed', path: REPLIES, times: 5 });
  const poller = await poll({});
  const [error] = poller.errors as [NodeApiError];
  expect(poller.errors).toHaveLength(1);
  expect(error).toBeInstanceOf(NodeApiError);
  expect(error.message).toContain('(HTTP 503)');
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
] as [Fault, object][])(
  'after %p the error tells the back-off of n8n how long to wait',
  async (fault, failure) => {
    gateway.fault({ ...fault, times: Infinity });
    // "Too fast" is an error after ten polls.
    const poller = await poll({}, { isEachMinute: true }, 10);
    expect(poller.errors[0]).toMatchObject({ failure });
    const events = /while pulling (delivery reports and replies|replies and delivery reports)/;
    expect(poller.errors[0]?.message).toMatch(events);
  },
);

test('a poll works without a time limit of n8n, and when n8n says nothing of the executions', async () => {
  gateway.queueReports(25);
  const sizes: number[] = [];
  const onExecution = async (items: object[]) => {
    sizes.push(items.length);
    await new Promise(() => undefined);
  };
  await poll({ ...REPORTS_ONLY, options: { pullSize: 10 } }, { budgetMs: null, onExecution });
  expect(sizes).toEqual([10, 10, 5]);
});

test('a credential that n8n cannot read does not block the next polls', async () => {
  gateway.queueReports(3);
  let isHanging = true;
  let reads = 0;
  const poller = createPoller(REPORTS_ONLY, {
    getCredentials: (async () => {
      reads += 1;
      return isHanging ? await new Promise(() => undefined) : gateway.credential();
    }) as never,
  });
  await withTimeLimits(async (end) => {
    const ticks = [poller.tick()];
    await until(() => reads > 0);
    isHanging = false;
    ticks.push(poller.tick());
    const closing = poller.deactivate();
    end();
    await Promise.all([closing, ...ticks]);
  });
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('could not read the credential'),
  ]);
  expect(poller.executions.flat().length).toBeLessThanOrEqual(3);
});

test('a poll ends with its page when the trigger is published again meanwhile', async () => {
  gateway.queueReports(55);
  const workflowId = 'published-again';
  const changed = createPoller({ ...REPORTS_ONLY, options: { pullSize: 20 } }, { workflowId });
  let published: Promise<void> | undefined;
  const onExecution = () => void (published ??= changed.activate());
  const parameters = { ...REPORTS_ONLY, options: { pullSize: 10 } };
  const before = await poll(parameters, { workflowId, onExecution });
  await published;
  expect(before.executions.map((items) => items.length)).toEqual([10]);
  expect(changed.executions.map((items) => items.length)).toEqual([20, 20, 5]);
});
