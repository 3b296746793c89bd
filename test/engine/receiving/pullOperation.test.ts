import { useGateway } from '../../kit/engine/gateway';
import { PATHS } from '../../kit/engine/pulls';
import type { EventName } from '../../kit/engine/pulls';
import { CONTINUE } from '../../kit/engine/sends';

const pull = (resource: string, count = 100, options = {}) => ({
  resource,
  operation: 'pull',
  count,
  options,
});

const { gateway, execute } = useGateway();

const queue = (event: EventName, count: number) =>
  event === 'reply' ? gateway.queueReplies(count) : gateway.queueReports(count);

describe.each<EventName>(['deliveryReport', 'reply'])('%s.pull', (event) => {
  // Guess: pull-size
  test('makes one request with the page size Count', async () => {
    queue(event, 30);
    const { json, output } = await execute(pull(event, 20));
    expect(gateway.requests.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: PATHS[event], body: { count: 20 } },
    ]);
    expect(json).toHaveLength(20);
    for (const item of output?.[0] ?? []) {
      expect(item.pairedItem).toEqual({ item: 0 });
      expect(item.json).toMatchObject({
        event,
        time: expect.any(Number),
        time_iso: new Date((item.json.time as number) * 1000).toISOString(),
        batch_id: expect.any(String),
      });
      expect(typeof item.json[event === 'reply' ? 'mobile' : 'phone_number']).toBe('string');
    }
  });

  test('Pull Until Empty returns every record once, page by page', async () => {
    queue(event, 230);
    const { json } = await execute(pull(event, 100, { pullUntilEmpty: true }));
    expect(json).toHaveLength(230);
    expect(new Set(json.map((record) => JSON.stringify(record))).size).toBe(230);
    expect(gateway.requests).toHaveLength(4);
  });

  test('Pull Until Empty tells where the service does not take records out of its queue', async () => {
    queue(event, 150);
    gateway.fault({ kind: 'notConsuming', times: Infinity });
    const { json, hints } = await execute(pull(event, 100, { pullUntilEmpty: true }));
    expect(json).toHaveLength(100);
    expect(hints).toEqual([expect.stringMatching(/gave the same 100 .* again.*increase 'Count'/)]);
    expect(gateway.requests.map(({ body }) => body)).toEqual([{ count: 100 }, { count: 100 }]);
  });

  // Guess: empty-code
  test.each([false, true])(
    'shows code and words of what was taken as empty',
    async (pullUntilEmpty) => {
      queue(event, 3);
      gateway.fault({
        kind: 'businessCode',
        code: 10005,
        msg: '暂无',
        nth: pullUntilEmpty ? 2 : 1,
      });
      const { json, error, hints } = await execute(pull(event, 100, { pullUntilEmpty }));
      expect([error, json.length]).toEqual([undefined, pullUntilEmpty ? 3 : 0]);
      expect(hints).toEqual([
        expect.stringMatching(/: 暂无 \(code 10005\)\. .*'Empty Codes'.* are waiting\. /),
      ]);
    },
  );

  test('a page that fails does not lose the pages before it', async () => {
    queue(event, 250);
    gateway.fault({ kind: 'status', status: 500, nth: 3 });
    const { json, error, hints } = await execute(pull(event, 100, { pullUntilEmpty: true }));
    expect(error).toBeUndefined();
    expect(json).toHaveLength(200);
    expect(hints).toEqual([expect.stringContaining('The pull ended early')]);
  });

  test('a first page that fails is an error, and Retry On Fail repeats it', async () => {
    queue(event, 5);
    gateway.fault({ kind: 'businessCode', code: 9, msg: 'try later', times: 2 });
    expect((await execute(pull(event))).error?.message).toContain('try later (code 9)');
    // It is not asked for in smaller pages.
    expect(gateway.requests).toHaveLength(1);
    const { json } = await execute(pull(event), [{}], {
      node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
    });
    expect(json).toHaveLength(5);
  });

  test('records come before an item that failed, so that Retry On Fail throws none away', async () => {
    queue(event, 5);
    gateway.fault({ kind: 'businessCode', code: 9 });
    const { json } = await execute(pull(event), [{}, {}], {
      node: { ...CONTINUE.node, retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
    });
    expect(json.filter(({ error }) => !error)).toHaveLength(5);
  });

  test.each([0, -1, 1.5, '={{ "many" }}'])(
    'Count %p is an error before any request',
    async (count) => {
      const { error } = await execute(pull(event, count as number));
      expect(error?.message).toMatch(/'Count' must be a whole number/);
      expect(gateway.requests).toHaveLength(0);
    },
  );
});

test('Pull Until Empty ends after 1,000 pages when new records keep coming', async () => {
  gateway.fault({
    kind: 'slow',
    delayMs: 0,
    times: Infinity,
    match: () => {
      gateway.queueReports(1);
      return true;
    },
  });
  const { json, hints } = await execute(pull('deliveryReport', 100, { pullUntilEmpty: true }));
  expect(json).toHaveLength(1_000);
  expect(hints).toEqual([expect.stringContaining('ended after 1000 pages')]);
});

test('returns a page of 200,000 records', async () => {
  const data = Array.from({ length: 200_000 }, (_, index) => ({ batch_id: `b-${index}` }));
  gateway.fault({ kind: 'wrongShape', body: { code: 0, data } });
  expect((await execute(pull('deliveryReport'))).json).toHaveLength(200_000);
});
