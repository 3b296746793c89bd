import type { IDataObject, IExecuteContextData } from 'n8n-workflow';
import { createOtherHarness } from '../../kit/engine';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { untilPause } from '../../kit/engine/pauses';
import {
  CONTINUE,
  descriptionOf,
  people,
  savedContext,
  useSendingGateway,
  withOptions,
} from '../../kit/engine/sends';

/** How often a number is texted in a day, over all executions. Random histories of it are in search/. */

const { gateway, execute: run, allow } = useSendingGateway();

const timezone = 'Asia/Shanghai';

const execute: typeof run = async (parameters, items, options) =>
  await run(parameters, items, { timezone, ...options });

const store = DeduplicationStore.install();

const NOON = Date.UTC(2026, 10, 29, 4);
const HOUR = 3_600_000;

let hours = 0;
beforeEach(() => {
  // Each test has days of its own: the process remembers what it has stored.
  hours += 100 * 24;
  allow(9);
  store.clear();
  jest.spyOn(Date, 'now').mockReturnValue(NOON + hours * HOUR);
});

const later = (count: number) => {
  hours += count;
  jest.spyOn(Date, 'now').mockReturnValue(NOON + hours * HOUR);
};

const limited = (options: IDataObject = {}) =>
  withOptions({ maxPerNumberAndDay: 2, maxConcurrency: 1, ...options });

const OVER = {
  status: 'rejected',
  msg: "Not sent: the number had 2 today, and 'Max per Number and Day' is 2",
};
const SENT = { status: 'accepted' };

const HINT = expect.stringMatching(
  /^n8n keeps 100000 keys .* more than its limit. 50000 are in use/,
) as string;

const [one = {}, two = {}] = people(2);

/** The statuses of executions that send one message each to the same number. */
async function statuses(count: number, options: IDataObject = {}): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let nth = 0; nth < count; nth++) {
    all.push((await execute(limited(options), [one], CONTINUE)).json[0]?.status);
  }
  return all;
}

describe('Max per Number and Day', () => {
  test('the node that stops says which limit, that the limit can be raised, and releases the key', async () => {
    await statuses(2);
    const { error } = await execute(limited({ idempotencyKey: 'a' }), [one]);
    expect(error?.message).toBe(OVER.msg);
    expect(descriptionOf(error)).toContain("raise 'Max per Number and Day' under Options");
    expect(store.values().filter((value) => value.endsWith(':a'))).toEqual([]);
  });

  test('an execution that ends in a pause has its keys when it is run again, and frees them when cancelled', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '30' });
    const keyed = limited({ idempotencyKey: 'a' });
    const contextData: IExecuteContextData = {};
    let left = contextData;
    let held: string[] = [];
    const { json } = await execute(keyed, [one], {
      ...CONTINUE,
      contextData,
      onStart: (cancel) =>
        void untilPause(20_000).then(() => {
          left = savedContext(contextData);
          held = store.values();
          cancel();
        }),
    });
    expect(json).toMatchObject([{ status: 'rejected', msg: 'The execution was cancelled' }]);
    expect([held.length, store.values()]).toEqual([2, []]);

    // n8n was stopped in the pause, so the store still holds the keys.
    store.rows.set('workflow-1/', held);
    store.calls.length = 0;
    const retried = await execute(keyed, [one], { ...CONTINUE, contextData: left });
    expect(retried.json).toMatchObject([SENT]);
    expect([store.values(), store.sizes('check')]).toEqual([held, []]);
    expect(await statuses(2)).toEqual(['accepted', 'rejected']);
  });

  test('executions at once in one process do not get more', async () => {
    const runs = await Promise.all(
      Array.from({ length: 5 }, async () => (await execute(limited(), [one, two], CONTINUE)).json),
    );
    const sent = runs.flat().filter(({ status }) => status === 'accepted');
    expect(sent).toHaveLength(4);
    expect(new Set(gateway.deliveries().values())).toEqual(new Set([2]));
  });

  test("a day begins at midnight of the workflow's time zone", async () => {
    // 12:00 in Shanghai.
    expect(await statuses(3)).toEqual(['accepted', 'accepted', 'rejected']);
    later(11);
    expect(await statuses(1)).toEqual(['rejected']);
    later(2);
    expect(await statuses(3)).toEqual(['accepted', 'accepted', 'rejected']);
  });

  test.each(['DEFAULT', 'UTC+8', 'Asia/Nowhere'])(
    'a time zone that n8n takes is no reason to send nothing: %s',
    async (zone) => {
      const send = async () =>
        (await execute(limited(), [one, one, one], { ...CONTINUE, timezone: zone })).json;
      expect(await send()).toMatchObject([SENT, SENT, OVER]);
    },
  );

  test('the keys of earlier days are removed, a few with each send', async () => {
    await execute(limited(), people(30), CONTINUE);
    const [day = ''] = store.values();
    const isEarlier = (key: string) => key.slice(0, 33) === day.slice(0, 33);
    later(24);
    const left: number[] = [];
    for (let nth = 0; nth < 2; nth++) {
      await execute(limited(), people(32).slice(30), CONTINUE);
      left.push(store.values().filter(isEarlier).length);
    }
    expect(left).toEqual([5, 0]);
    expect(store.values()).toHaveLength(4);
    // Once in the list of this process, they are not asked for again.
    store.calls.length = 0;
    await execute(limited(), people(31).slice(30), CONTINUE);
    expect(store.sizes('remove')).toEqual([]);
  });

  test('another process counts the same', async () => {
    await statuses(1);
    const other = await createOtherHarness(gateway.credential());
    const { json } = await other.execute(limited(), [one, one], { ...CONTINUE, timezone });
    expect(json).toMatchObject([SENT, OVER]);
  });

  test('a workflow counts by itself, and a key of a user is no key of a day', async () => {
    await statuses(1);
    const [key = ''] = store.values();
    expect(key).not.toMatch(/^smsMessagingService:/);
    const other = await execute(limited({ maxPerNumberAndDay: 1 }), [one], {
      ...CONTINUE,
      workflowId: 'workflow-2',
    });
    expect(other.json).toMatchObject([SENT]);
  });

  test('many numbers are counted with few calls, none of them large', async () => {
    await execute(limited({ batchSize: 600 }), people(600), CONTINUE);
    expect(store.sizes('check')).toEqual([500, 100]);
  });

  test('without the option, the store is not asked', async () => {
    await execute(withOptions({}), [one], CONTINUE);
    expect(store.calls).toEqual([]);
  });

  test('a store that fails sends nothing, and says why', async () => {
    store.fail({ operation: 'check', when: 'before' });
    const { json } = await execute(limited(), [one, two], CONTINUE);
    const msg = expect.stringContaining('could not be recorded (database is locked)');
    expect(json).toMatchObject(Array(2).fill({ status: 'rejected', msg }));
    expect(gateway.requests).toEqual([]);
  });

  test.each([
    [{ maxPerNumberAndDay: 2 }, 49_998, []],
    [{ maxPerNumberAndDay: 2 }, 49_999, [HINT]],
    [{ idempotencyKey: 'a' }, 49_998, []],
    [{ idempotencyKey: 'a' }, 49_999, [HINT]],
    [{}, 99_999, []],
  ])('a send with %j, in a store with %d keys: the hints %j', async (options, count, expected) => {
    store.rows.set(
      'workflow-1/',
      Array.from({ length: count }, (_, index) => `other-${index}`),
    );
    const { hints } = await execute(withOptions(options), [one], CONTINUE);
    expect(hints).toEqual(expected);
  });
});
