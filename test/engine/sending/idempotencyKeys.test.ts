import type { IExecuteContextData } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { until, untilPause, withTimeLimits } from '../harness/pauses';
import {
  CONTINUE,
  descriptionOf,
  isFor,
  messagesOf,
  people,
  phone,
  RETRY,
  savedContext,
  useSendingGateway,
  withOptions,
} from '../harness/sends';
let store: DeduplicationStore;

const { gateway, execute, allow } = useSendingGateway();

beforeAll(async () => {
  store = await DeduplicationStore.install();
});

afterEach(() => store.clear());

describe('an idempotency key', () => {
  const KEYED = { batchSize: 2, maxConcurrency: 1, idempotencyKey: '={{ $json.key }}' };
  const keyed = (count: number) =>
    people(count).map((person, index) => ({ ...person, key: `order-${index}` }));

  test('that was sent before: a later execution skips the item, with the reason', async () => {
    await execute(withOptions(KEYED), keyed(3));
    const { output } = await execute(withOptions(KEYED), keyed(5), {
      node: { onError: 'continueErrorOutput' },
    });
    expect(output?.[1]).toEqual([]);
    // The second execution sends the rest of the second batch, and the third batch.
    expect(gateway.requests.map(({ body }) => messagesOf({ body }).length)).toEqual([2, 1, 1, 1]);
    expect(output?.[0]?.map(({ json }) => json)).toEqual([
      ...[0, 1, 2].map((index) => ({
        status: 'skipped',
        msg: `Not sent: the idempotency key "order-${index}" was used before in this workflow`,
        phone_number: phone(index),
        phone_numbers: [phone(index)],
      })),
      expect.objectContaining({ status: 'accepted', batch_count: 1 }),
      expect.objectContaining({ status: 'accepted', batch_count: 1 }),
    ]);
    expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 1, 2, 3, 4].map((item) => ({ item })),
    );
  });

  test('of an item that was sent or skipped leaves nothing in the context of the execution', async () => {
    for (const status of ['accepted', 'skipped']) {
      const contextData: IExecuteContextData = {};
      const { json } = await execute(withOptions(KEYED), keyed(3), { contextData });
      expect(json.map((item) => item.status)).toEqual(Array(3).fill(status));
      expect(JSON.stringify(contextData)).toBe('{"node:SMS":{"sends":{},"keys":{}}}');
    }
  });

  test('of another workflow does not count, and a node without idempotency keys sends', async () => {
    allow(3);
    await execute(withOptions(KEYED), keyed(1));
    const other = await execute(withOptions(KEYED), keyed(1), { workflowId: 'workflow-2' });
    const none = await execute(withOptions({ ...KEYED, idempotencyKey: '' }), people(1));
    expect([other, none].map(({ json }) => json[0]?.status)).toEqual(Array(2).fill('accepted'));
  });

  // Guess: request-key
  test('is stored for the workflow, with a prefix of this package', async () => {
    await execute(withOptions({ ...KEYED, idempotencyKey: '={{ $itemIndex }}' }), people(2));
    expect(store.values()).toEqual(['smsMessagingService:0', 'smsMessagingService:1']);
    expect(store.maxEntries).toBe(100_000);
  });

  test('is released when the service refused the message, and kept when the outcome is unknown', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(0) });
    gateway.fault({ kind: 'resetAfterAccept', match: isFor(2) });
    const parameters = withOptions({ ...KEYED, batchSize: 1 });
    const first = await execute(parameters, keyed(3), CONTINUE);
    expect(first.json.map(({ status }) => status)).toEqual(['rejected', 'accepted', 'unknown']);
    const second = await execute(parameters, keyed(3), CONTINUE);
    expect(second.json.map(({ status }) => status)).toEqual(['accepted', 'skipped', 'skipped']);
  });

  test('is recorded before the request is sent', async () => {
    gateway.fault({ kind: 'hang' });
    await withTimeLimits(async (end) => {
      const run = execute(withOptions(KEYED), keyed(2));
      await until(() => gateway.requests.length > 0);
      expect(store.values()).toHaveLength(2);
      end();
      await run;
    });
  });

  test('does not stop a retry of the same execution from sending what was refused', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(3, 4) });
    const contextData = {};
    // One item in two requests: half of it was accepted under its key.
    const items = [{ phone: [1, 2, 3, 4].map(phone), code: '1', key: 'order-1' }];
    await execute(withOptions(KEYED), items, { contextData });
    const { json } = await execute(withOptions(KEYED), items, {
      contextData: savedContext(contextData),
    });
    expect(json).toMatchObject([
      { status: 'accepted', parts: [{ remembered: true }, { status: 'accepted' }] },
    ]);
    expect(gateway.deliveries().size).toBe(4);
  });

  test('covers the whole item, also when it is split over batches', async () => {
    const items = [{ phone: [1, 2, 3, 4, 5].map(phone), code: '1', key: 'order-1' }];
    const parameters = withOptions({ ...KEYED, maxConcurrency: 3 });
    const first = await execute(parameters, items);
    const second = await execute(parameters, items);
    expect([first, second].map(({ json }) => json[0]?.status)).toEqual(['accepted', 'skipped']);
    expect(gateway.deliveries().size).toBe(5);
    expect(store.values()).toHaveLength(1);
  });

  test('is kept when a part of the item was accepted, though an earlier part was refused', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(0) });
    const item = { phone: [phone(0), phone(1)], code: '1', key: 'order-0' };
    const parameters = withOptions({ ...KEYED, batchSize: 1 });
    const first = await execute(parameters, [item], CONTINUE);
    expect(first.json).toMatchObject([{ parts: [{ status: 'rejected' }, { status: 'accepted' }] }]);
    const second = await execute(parameters, [item], CONTINUE);
    expect(second.json).toMatchObject([{ status: 'skipped' }]);
  });

  test('that two items of a run have is sent once', async () => {
    const items = keyed(2).map((item) => ({ ...item, key: 'order-0' }));
    const { json } = await execute(withOptions(KEYED), items);
    expect(json).toMatchObject([
      { status: 'accepted' },
      { status: 'skipped', msg: 'Not sent: item 0 has the same idempotency key' },
    ]);
    expect(gateway.deliveries()).toEqual(new Map([[phone(0), 1]]));
  });

  test('that two items have: the second is refused with the first, or sent when the first cannot be', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
    const { json } = await execute(
      withOptions(KEYED),
      [
        ...keyed(2).map((item) => ({ ...item, key: 'order-0' })),
        { phone: 'nonsense', code: '1', key: 'order-9' },
        { phone: phone(9), code: '1', key: 'order-9' },
      ],
      CONTINUE,
    );
    expect(json).toMatchObject([
      { status: 'rejected' },
      { status: 'rejected', msg: expect.stringContaining('like item 0') },
      { status: 'rejected', phone_numbers: ['nonsense'] },
      { status: 'rejected', code: 9000 },
    ]);
    // The last item was in the batch of the first, which was refused. So its key is free again.
    expect(store.values()).toEqual([]);
  });

  test('in parallel executions of one process is sent once', async () => {
    const parameters = withOptions({ ...KEYED, batchSize: 3, maxConcurrency: 2 });
    const runs = await Promise.all(
      [1, 2, 3, 4].map(async () => (await execute(parameters, keyed(9))).json),
    );
    const statuses = runs.flat().map(({ status }) => status);
    expect(statuses.filter((status) => status === 'accepted')).toHaveLength(9);
    expect(statuses.filter((status) => status === 'skipped')).toHaveLength(27);
    expect(gateway.deliveries().size).toBe(9);
    expect(store.values()).toHaveLength(9);
  });

  test("is not recorded when another process creates the workflow's row at the same time: not sent", async () => {
    // The row appears after the node has looked for it and before it writes, as with two workers.
    const original = store.rows.has.bind(store.rows);
    store.rows.has = (key) => {
      store.rows.has = original;
      store.rows.set(key, ['of another process']);
      return true;
    };
    const first = await execute(withOptions(KEYED), keyed(1), CONTINUE);
    expect(first.json).toMatchObject([{ status: 'rejected', warning: expect.any(String) }]);
    expect(store.values()).toEqual(['of another process']);
    const { json } = await execute(withOptions(KEYED), keyed(1));
    expect(json).toMatchObject([{ status: 'accepted' }]);
  });

  test('that cannot be recorded: its item is not sent, and the output says why', async () => {
    store.fail({ operation: 'check', when: 'before' });
    const { json } = await execute(withOptions(KEYED), keyed(1), CONTINUE);
    expect(json).toMatchObject([
      {
        status: 'rejected',
        msg: 'The idempotency key could not be recorded (database is locked)',
      },
    ]);
    const { error } = await execute(withOptions(KEYED), keyed(1));
    expect(descriptionOf(error)).toContain('Remove Duplicates');
    expect(gateway.requests).toHaveLength(0);
  });

  test('that cannot be released: the output has a warning', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000 });
    store.fail({ operation: 'remove', when: 'before' });
    const { json } = await execute(withOptions(KEYED), keyed(1), CONTINUE);
    expect(json).toMatchObject([
      { status: 'rejected', code: 9000, warning: expect.stringContaining('may hold') },
    ]);
  });

  describe('is released when nothing was sent', () => {
    const oneItem = [{ phone: people(12).map((each) => each.phone), code: '1', key: 'order-1' }];

    const expectFree = async () => {
      expect(store.values()).toEqual([]);
      gateway.clearFaults();
      const { json } = await execute(withOptions(KEYED), oneItem);
      expect(json).toMatchObject([{ status: 'accepted' }]);
    };

    test('because Retry-After was too long', async () => {
      gateway.fault({ kind: 'tooManyRequests', retryAfter: '120' });
      const { json } = await execute(withOptions(KEYED), oneItem, CONTINUE);
      expect(json).toMatchObject([{ status: 'rejected' }]);
      expect(gateway.requests).toHaveLength(1);
      await expectFree();
    });

    test('because the run was cancelled during Retry-After', async () => {
      gateway.fault({ kind: 'tooManyRequests', retryAfter: '30' });
      const { json } = await execute(withOptions(KEYED), oneItem, {
        ...CONTINUE,
        onStart: (cancel) => void untilPause(20_000).then(cancel),
      });
      expect(json).toMatchObject([{ status: 'rejected', msg: 'The execution was cancelled' }]);
      await expectFree();
    });

    test('because the service is unreachable', async () => {
      const closed = await startGateway();
      const dead = await createHarness(closed.credential());
      await closed.close();
      const { json } = await dead.execute(
        withOptions({ ...KEYED, maxRetries: 0 }),
        oneItem,
        CONTINUE,
      );
      expect(json).toMatchObject([{ status: 'rejected' }]);
      await expectFree();
    });

    test('because the service refused each number of the item', async () => {
      gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
      await execute(withOptions(KEYED), oneItem, CONTINUE);
      await expectFree();
    });
  });

  test.each([
    ['may have been recorded by a call that failed', { operation: 'check', when: 'after' }],
    ['could not be released', { operation: 'remove', when: 'before' }],
  ] as const)('that %s: a retry does not send, and the output says why', async (_, failure) => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0' });
    store.fail({ ...failure, nth: 1 });
    const { json } = await execute(withOptions({ ...KEYED, maxRetries: 0 }), keyed(1), {
      node: { ...RETRY, maxTries: 2, onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([
      { status: 'unknown', msg: expect.stringContaining('not known who recorded') },
    ]);
    expect(gateway.deliveries().size).toBe(0);
    expect(store.values()).toHaveLength(1);
  });

  test('in a store that never answers: the item is not sent, and later executions are not held up', async () => {
    store.fail({ operation: 'check', when: 'before', hangs: true });
    const { json } = await withTimeLimits(async (end) => {
      const run = execute(withOptions(KEYED), keyed(4), CONTINUE);
      await until(() => store.sizes('check').length > 0);
      end();
      return await run;
    });
    expect(json).toMatchObject(
      keyed(4).map(() => ({
        status: 'rejected',
        msg: expect.stringContaining('the database of n8n did not answer in time'),
      })),
    );
    store.stopFailing();
    const later = await execute(withOptions(KEYED), keyed(2));
    expect(later.json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
  });

  test('in a store that is nearly full: a hint says that old keys will be dropped', async () => {
    const hintsWith = async (count: number) => {
      store.clear();
      const others = Array.from({ length: count }, (_, index) => `other-${index}`);
      store.rows.set('workflow-1/', others);
      const { hints } = await execute(withOptions(KEYED), keyed(5));
      gateway.reset();
      // n8n reads the whole list for it.
      expect(store.sizes('count')).toHaveLength(1);
      return hints;
    };
    expect(await hintsWith(89_000)).toEqual([]);
    expect(await hintsWith(95_000)).toEqual([
      expect.stringMatching(/^n8n keeps 100000 idempotency keys .* 95005 are in use: /),
    ]);
  });

  test('that could not be released: an item with three numbers has one outcome', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
    store.fail({ operation: 'remove', when: 'before' });
    const items = [{ phone: [1, 2, 3].map(phone), code: '1', key: 'order-1' }];
    const { json } = await execute(
      withOptions({ idempotencyKey: '={{ $json.key }}', batchSize: 1, maxRetries: 0 }),
      [{ ...items[0], phone: [phone(1), phone(1), phone(1)] }],
      CONTINUE,
    );
    for (const part of (json[0]?.parts ?? []) as { warning?: string }[]) {
      expect(part.warning ?? '').toMatch(/may hold|^$/);
    }
    gateway.reset();
    gateway.fault({ kind: 'status', status: 429, retryAfter: '120' });
    const together = await execute(
      withOptions({ idempotencyKey: '={{ $json.key }}2' }),
      items,
      CONTINUE,
    );
    expect(together.json).toMatchObject([
      { status: 'rejected', phone_numbers: { length: 3 }, warning: expect.any(String) },
    ]);
    expect(together.json[0]).not.toHaveProperty('parts');
  });

  test.each([
    [''],
    [' '],
    [null],
    [undefined],
    [NaN],
    ['undefined'],
    ['[object Object]'],
    ['Invalid DateTime'],
  ])('that an expression should give and that is %p: the item is not sent', async (key) => {
    const { json } = await execute(
      withOptions(KEYED),
      keyed(2).map((item, index) => (index === 0 ? { ...item, key } : item)),
      CONTINUE,
    );
    expect(json).toMatchObject([
      { status: 'rejected', msg: "'Idempotency Key' has no value for this item" },
      { status: 'accepted' },
    ]);
    expect([...gateway.deliveries().keys()]).toEqual([phone(1)]);
  });

  test.each(['nullable-1', 'annulled', 'NaNcy', '0', ' order 1 ', 'undefinedX'])(
    'may be any other text: %p',
    async (key) => {
      const { json } = await execute(withOptions(KEYED), [{ ...keyed(1)[0], key }]);
      expect(json).toMatchObject([{ status: 'accepted' }]);
    },
  );

  test('that is not text is an error before any request', async () => {
    const { error } = await execute(withOptions(KEYED), [
      { phone: phone(1), code: '1', key: { id: 1 } },
    ]);
    expect(error?.message).toBe("'Idempotency Key' must be text, not an object");
    expect(gateway.requests).toHaveLength(0);
  });
});
