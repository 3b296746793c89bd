import { NodeApiError } from 'n8n-workflow';
import type { Fault } from '../../sandbox/gateway';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { REPLIES, REPORTS, REPORTS_ONLY } from '../../kit/engine/pulls';

/** What a poll does when a page fails: which error n8n gets, and which records are lost. */

const { gateway, poll } = useGatewayPerTest();

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
