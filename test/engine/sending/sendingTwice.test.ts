import type { IExecuteContextData } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { isFor, people, phone, TEMPLATE } from '../harness/sends';

/** Everything about not sending a message twice: retries, memory, keys and duplicates. */

const RETRY = { retryOnFail: true, waitBetweenTries: 1 };

let gateway: Gateway;
let execute: Harness['execute'];
let store: DeduplicationStore;
/** How often a number may get a message in the test. */
let mostPerNumber = 1;

beforeAll(async () => {
  gateway = await startGateway();
  ({ execute } = await createHarness(gateway.credential() as never));
  store = await DeduplicationStore.install();
});

afterEach(() => {
  const violations = [...gateway.violations];
  const tooMany = [...gateway.deliveries()].filter(([, count]) => count > mostPerNumber);
  mostPerNumber = 1;
  gateway.reset();
  store.clear();
  expect(violations).toEqual([]);
  expect(tooMany).toEqual([]);
});

afterAll(() => gateway.close());

const withOptions = (options: object) => ({ ...TEMPLATE, options }) as never;
const oneByOne = (options: object = {}) =>
  withOptions({ batchSize: 2, maxConcurrency: 1, ...options });
/** As n8n saves the context with the execution and reads it for "Retry execution". */
const saved = (context: IExecuteContextData): IExecuteContextData =>
  JSON.parse(JSON.stringify(context)) as IExecuteContextData;
const describeError = (error: unknown) =>
  (error as { description?: string } | undefined)?.description ?? '';

describe('a request that sent nothing is made again', () => {
  test('when the service asks to slow down, as late as it asks', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: 3 });
    const { json } = await execute(oneByOne(), people(2));
    expect(json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
    expect(gateway.requests).toHaveLength(4);
  });

  test('without Retry-After too', async () => {
    gateway.fault({ kind: 'tooManyRequests' });
    const { json } = await execute(oneByOne(), people(1));
    expect(json).toMatchObject([{ status: 'accepted' }]);
    expect(gateway.requests).toHaveLength(2);
  });

  test('not more often than Max Retries says; then the messages are refused', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: 3 });
    const { error } = await execute(oneByOne({ maxRetries: 2 }), people(2));
    expect(error?.message).toContain('slow down (HTTP 429)');
    expect(describeError(error)).toContain('0 accepted, 2 refused, 0 unknown');
    expect(gateway.requests).toHaveLength(3);
  });

  test('never with Max Retries 0', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0' });
    const { json } = await execute(oneByOne({ maxRetries: 0 }), people(4), {
      node: { onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([
      { status: 'rejected', sent: 2 },
      { status: 'rejected', sent: 2 },
      { status: 'rejected', msg: expect.stringMatching(/^Not sent, because earlier/) },
      { status: 'rejected', msg: expect.stringMatching(/^Not sent, because earlier/) },
    ]);
    expect(gateway.requests).toHaveLength(1);
  });

  test('all requests of the run keep the pause', async () => {
    // Whoever comes within the pause is turned away.
    let end = Infinity;
    gateway.fault({
      kind: 'tooManyRequests',
      retryAfter: '1',
      times: Infinity,
      match: () => {
        if (end === Infinity) end = Date.now() + 900;
        return Date.now() < end;
      },
    });
    const { json } = await execute(withOptions({ batchSize: 1, maxConcurrency: 2 }), people(6));
    expect(json.map(({ status }) => status)).toEqual(Array(6).fill('accepted'));
    // Two were on their way; the other four did not ask before the pause was over.
    expect(gateway.requests.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test('a wait longer than a minute is not waited for, and nothing else is sent', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '3600' });
    const { json } = await execute(oneByOne(), people(6), {
      node: { onError: 'continueRegularOutput' },
    });
    expect(json.map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
    expect(json[2]).toMatchObject({ msg: expect.stringMatching(/^Not sent, because earlier/) });
    expect(gateway.requests).toHaveLength(1);
  });

  test('when the service stays out of reach, the rest of the run is not tried', async () => {
    const closed = await startGateway();
    const dead = await createHarness(closed.credential() as never);
    await closed.close();
    const { json } = await dead.execute(
      withOptions({ batchSize: 1, maxConcurrency: 1, maxRetries: 1 }),
      people(50),
      { node: { onError: 'continueRegularOutput' } },
    );
    expect(json).toHaveLength(50);
    for (const item of json) expect(item).toMatchObject({ status: 'rejected' });
    expect(json[0]).toMatchObject({ sent: 1, msg: expect.stringContaining('ECONNREFUSED') });
    const untried = json.filter(({ sent }) => sent === undefined);
    expect(untried).toHaveLength(49);
    expect(untried[0]).toMatchObject({ msg: expect.stringMatching(/^Not sent/) });
  });

  test.each(['businessCode', 'status', 'resetBeforeAccept', 'html'] as const)(
    'but not after "%s"',
    async (kind) => {
      gateway.fault({ kind });
      await execute(oneByOne(), people(1));
      expect(gateway.requests).toHaveLength(1);
    },
  );
});

describe('a cancelled execution', () => {
  test('sends no further request, and tells which were not sent', async () => {
    gateway.fault({ kind: 'hang', nth: 2 });
    const contextData = {};
    const { run, json } = await execute(oneByOne({ timeout: 60_000 }), people(8), {
      contextData,
      node: { onError: 'continueRegularOutput' },
      onStart: (cancel) => void untilRequests(2).then(cancel),
    });
    expect(run.status).toBe('canceled');
    expect(json.map(({ status }) => status)).toEqual([
      'accepted',
      'accepted',
      'unknown',
      'unknown',
      ...Array(4).fill('rejected'),
    ]);
    expect(json[2]).toMatchObject({ msg: expect.stringContaining('cancelled before') });
    expect(json[4]).toMatchObject({ msg: 'Not sent: the execution was cancelled' });
    expect(gateway.requests).toHaveLength(2);

    const again = await execute(oneByOne(), people(8), {
      contextData: saved(contextData),
      node: { onError: 'continueRegularOutput' },
    });
    expect(again.json.map(({ status }) => status)).toEqual([
      'accepted',
      'accepted',
      'unknown',
      'unknown',
      ...Array(4).fill('accepted'),
    ]);
    expect(gateway.requests).toHaveLength(4);
  });

  test('does not wait out a pause', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '3' });
    const { json } = await execute(oneByOne(), people(4), {
      node: { onError: 'continueRegularOutput' },
      onStart: (cancel) => void untilRequests(1).then(cancel),
    });
    expect(json).toMatchObject(
      Array(4).fill({ status: 'rejected', msg: 'Not sent: the execution was cancelled' }),
    );
    expect(gateway.requests).toHaveLength(1);
  });

  async function untilRequests(count: number): Promise<void> {
    while (gateway.requests.filter(({ outcome }) => outcome !== 'pending').length < count) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

describe('the memory of an execution', () => {
  test.each([2, 3, 4, 5])('holds through %d tries of Retry On Fail', async (maxTries) => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(9), times: Infinity });
    gateway.fault({ kind: 'resetAfterAccept', match: isFor(2) });
    const { error } = await execute(oneByOne(), people(10), {
      node: { ...RETRY, maxTries },
    });
    expect(describeError(error)).toContain('7 accepted, 1 refused, 2 unknown');
    // In the first try five batches, and the two messages of the refused one; then only what is refused.
    expect(gateway.requests).toHaveLength(7 + maxTries - 1);
    expect(gateway.deliveries().size).toBe(9);
  });

  test('holds through "Retry execution", and one more', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(0), times: 3 });
    const contextData = {};
    await execute(oneByOne(), people(6), { contextData });
    const second = saved(contextData);
    await execute(oneByOne(), people(6), { contextData: second });
    const { json } = await execute(oneByOne(), people(6), { contextData: saved(second) });
    expect(json.map(({ status, remembered }) => [status, remembered])).toEqual([
      ['accepted', undefined],
      ...Array(5).fill(['accepted', true]),
    ]);
    // Three batches, and the two messages of the refused one; then only what was refused.
    expect(gateway.requests).toHaveLength(5 + 1 + 1);
    expect(gateway.deliveries().size).toBe(6);
  });

  test('is not confused by a text that changes with every try', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(2, 3), times: 3 });
    const parameters = {
      ...TEMPLATE,
      options: { batchSize: 2, maxConcurrency: 1 },
      parametersJson: '={{ { code: String(Math.random()), minutes: "5" } }}',
    };
    const { json } = await execute(parameters, people(4), { node: { ...RETRY, maxTries: 2 } });
    expect(json.map(({ remembered }) => remembered)).toEqual([true, true, undefined, undefined]);
  });

  test('belongs to one round of a loop: the next round sends again', async () => {
    mostPerNumber = 2;
    gateway.fault({ kind: 'resetAfterAccept', nth: 2 });
    const { rounds } = await execute(oneByOne(), people(4), {
      rounds: [people(4)],
      node: { onError: 'continueRegularOutput' },
    });
    expect(rounds.map((round) => round.map(({ status }) => status))).toEqual([
      ['accepted', 'accepted', 'unknown', 'unknown'],
      ['accepted', 'accepted', 'accepted', 'accepted'],
    ]);
    expect(gateway.requests).toHaveLength(4);
  });

  test('counts a request that an earlier try left in flight as unknown', async () => {
    gateway.fault({ kind: 'hang', nth: 2 });
    const contextData = {};
    // n8n ends the execution at its time limit while the request is under way, and saves.
    let left: IExecuteContextData = {};
    await execute(oneByOne({ timeout: 400 }), people(4), {
      contextData,
      onStart: () =>
        void (async () => {
          while (gateway.requests.length < 2) await new Promise((r) => setTimeout(r, 5));
          await new Promise((resolve) => setTimeout(resolve, 50));
          left = saved(contextData);
        })(),
    });
    const { json } = await execute(oneByOne(), people(4), {
      contextData: left,
      node: { onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([
      { status: 'accepted', remembered: true },
      { status: 'accepted', remembered: true },
      { status: 'unknown', msg: expect.stringContaining('interrupted') },
      { status: 'unknown', remembered: true },
    ]);
    expect(gateway.requests).toHaveLength(2);
  });

  test('tells the same number twice in one item apart', async () => {
    mostPerNumber = 3;
    gateway.fault({ kind: 'businessCode', code: 9000, nth: 2 });
    const { json } = await execute(
      withOptions({ batchSize: 1, maxConcurrency: 1 }),
      [{ phone: [phone(1), phone(1), phone(1)], code: '1' }],
      { node: { ...RETRY, maxTries: 2, onError: 'continueRegularOutput' } },
    );
    // Two were accepted in the first try and one in the second.
    expect(json).toMatchObject([{ status: 'accepted', phone_numbers: Array(3).fill(phone(1)) }]);
    expect(gateway.requests).toHaveLength(4);
    expect(gateway.deliveries().get(phone(1))).toBe(3);
  });

  test('is empty when nothing can be tried again, and small when something can', async () => {
    const contextData: IExecuteContextData = {};
    await execute(withOptions({}), people(1000), { contextData });
    expect(JSON.stringify(contextData)).toBe('{"node:SMS":{"sends":{}}}');

    gateway.reset();
    gateway.fault({ kind: 'businessCode', code: 9000, nth: 10 });
    await execute(withOptions({}), people(1000), { contextData });
    expect(JSON.stringify(contextData).length).toBeLessThan(16 * 1000);
  });
});

describe('an idempotency key', () => {
  const KEYED = { batchSize: 2, maxConcurrency: 1, idempotencyKey: '={{ $json.key }}' };
  const keyed = (count: number) =>
    people(count).map((person, index) => ({ ...person, key: `order-${index}` }));

  test('that was sent is skipped in a later execution, with the reason', async () => {
    await execute(withOptions(KEYED), keyed(3));
    const { output } = await execute(withOptions(KEYED), keyed(5), {
      node: { onError: 'continueErrorOutput' },
    });
    expect(output?.[1]).toEqual([]);
    // The second execution has one request for what is left of the second batch, and one for the third.
    expect(
      gateway.requests.map(({ body }) => (body as { messages: unknown[] }).messages.length),
    ).toEqual([2, 1, 1, 1]);
    expect(output?.[0]?.map(({ json }) => json)).toEqual([
      ...[0, 1, 2].map((index) => ({
        status: 'skipped',
        msg: `Not sent: the idempotency key "order-${index}" was used before in this workflow`,
        phone_numbers: [phone(index)],
      })),
      expect.objectContaining({ status: 'accepted', sent: 1 }),
      expect.objectContaining({ status: 'accepted', sent: 1 }),
    ]);
    expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 1, 2, 3, 4].map((item) => ({ item })),
    );
  });

  test('that was skipped, or sent, leaves nothing to remember', async () => {
    for (const status of ['accepted', 'skipped']) {
      const contextData: IExecuteContextData = {};
      const { json } = await execute(withOptions(KEYED), keyed(3), { contextData });
      expect(json.map((item) => item.status)).toEqual(Array(3).fill(status));
      expect(JSON.stringify(contextData)).toBe('{"node:SMS":{"sends":{},"keys":{}}}');
    }
  });

  test('of another workflow does not count, and a node without keys sends', async () => {
    mostPerNumber = 3;
    await execute(withOptions(KEYED), keyed(1));
    const other = await execute(withOptions(KEYED), keyed(1), { workflowId: 'workflow-2' });
    const none = await execute(withOptions({ ...KEYED, idempotencyKey: '' }), people(1));
    expect([other, none].map(({ json }) => json[0]?.status)).toEqual(Array(2).fill('accepted'));
  });

  test('is stored for the workflow under a name of its own', async () => {
    await execute(withOptions({ ...KEYED, idempotencyKey: '={{ $itemIndex }}' }), people(2));
    expect(store.values()).toEqual(['smsMessagingService:0', 'smsMessagingService:1']);
    expect(store.maxEntries).toBe(100_000);
  });

  test('is released when the service refused, and kept when that is not certain', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(0) });
    gateway.fault({ kind: 'resetAfterAccept', match: isFor(2) });
    const parameters = withOptions({ ...KEYED, batchSize: 1 });
    const run = { node: { onError: 'continueRegularOutput' as const } };
    const first = await execute(parameters, keyed(3), run);
    expect(first.json.map(({ status }) => status)).toEqual(['rejected', 'accepted', 'unknown']);
    const second = await execute(parameters, keyed(3), run);
    expect(second.json.map(({ status }) => status)).toEqual(['accepted', 'skipped', 'skipped']);
  });

  test('is recorded before the request is made', async () => {
    gateway.fault({ kind: 'hang' });
    let duringRequest: string[] = [];
    await execute(withOptions({ ...KEYED, timeout: 400 }), keyed(2), {
      onStart: () =>
        void (async () => {
          while (gateway.requests.length < 1) await new Promise((r) => setTimeout(r, 5));
          duringRequest = store.values();
        })(),
    });
    expect(duringRequest).toHaveLength(2);
  });

  test('does not stop a retry of the same execution from sending what was refused', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(3, 4), times: 3 });
    const contextData = {};
    // One item, split over two requests: half of it was accepted under its key.
    const items = [{ phone: [1, 2, 3, 4].map(phone), code: '1', key: 'order-1' }];
    await execute(withOptions(KEYED), items, { contextData });
    const { json } = await execute(withOptions(KEYED), items, { contextData: saved(contextData) });
    expect(json).toMatchObject([
      { status: 'accepted', parts: [{ remembered: true }, { status: 'accepted' }] },
    ]);
    expect(gateway.deliveries().size).toBe(4);
  });

  test('covers an item that is split over requests as a whole', async () => {
    const items = [{ phone: [1, 2, 3, 4, 5].map(phone), code: '1', key: 'order-1' }];
    const parameters = withOptions({ ...KEYED, maxConcurrency: 3 });
    const first = await execute(parameters, items);
    const second = await execute(parameters, items);
    expect([first, second].map(({ json }) => json[0]?.status)).toEqual(['accepted', 'skipped']);
    expect(gateway.deliveries().size).toBe(5);
    expect(store.values()).toHaveLength(1);
  });

  test('is kept for what was accepted of an item, though a request before that was refused', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(0) });
    const item = { phone: [phone(0), phone(1)], code: '1', key: 'order-0' };
    const parameters = withOptions({ ...KEYED, batchSize: 1 });
    const run = { node: { onError: 'continueRegularOutput' as const } };
    const first = await execute(parameters, [item] as never, run);
    expect(first.json).toMatchObject([{ parts: [{ status: 'rejected' }, { status: 'accepted' }] }]);
    const second = await execute(parameters, [item] as never, run);
    expect(second.json).toMatchObject([{ status: 'skipped' }]);
  });

  test('that comes twice in one run is sent once', async () => {
    const [one, two] = keyed(2);
    const { json } = await execute(withOptions(KEYED), [one, { ...two, key: 'order-0' }] as never);
    expect(json).toMatchObject([
      { status: 'accepted' },
      { status: 'skipped', msg: 'Not sent: item 0 has the same idempotency key' },
    ]);
    expect(gateway.deliveries()).toEqual(new Map([[phone(0), 1]]));
  });

  test('that comes twice: the second is refused with the first, and sent instead of a bad one', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
    const [one, two] = keyed(2);
    const { json } = await execute(
      withOptions(KEYED),
      [
        one,
        { ...two, key: 'order-0' },
        { phone: 'nonsense', code: '1', key: 'order-9' },
        { phone: phone(9), code: '1', key: 'order-9' },
      ] as never,
      { node: { onError: 'continueRegularOutput' } },
    );
    expect(json).toMatchObject([
      { status: 'rejected' },
      { status: 'rejected', msg: expect.stringContaining('like item 0') },
      { status: 'rejected', phone_numbers: ['nonsense'] },
      { status: 'rejected', code: 9000 },
    ]);
    // The last one travelled with the first, which was refused; its key is free again.
    expect(store.values()).toEqual([]);
  });

  test('in parallel executions of one process: each is sent once', async () => {
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

  test("does not get lost when another process makes the workflow's first entry", async () => {
    // The row appears between the node's look and its write, as with two workers.
    const original = store.rows.has.bind(store.rows);
    store.rows.has = (key) => {
      store.rows.has = original;
      store.rows.set(key, ['of another process']);
      return true;
    };
    const { json } = await execute(withOptions(KEYED), keyed(1));
    expect(json).toMatchObject([{ status: 'accepted' }]);
    expect(store.values()).toEqual(['of another process', 'smsMessagingService:order-0']);
  });

  test('that cannot be recorded: nothing is sent under it, and the message says so', async () => {
    store.failures.check = new Error('database is locked');
    const { json } = await execute(withOptions(KEYED), keyed(1), {
      node: { onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([
      {
        status: 'rejected',
        msg: 'Not sent: the idempotency key could not be recorded (database is locked)',
      },
    ]);
    const { error } = await execute(withOptions(KEYED), keyed(1));
    expect(describeError(error)).toContain('Remove Duplicates');
    expect(gateway.requests).toHaveLength(0);
  });

  test('that cannot be released: the output says so', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000 });
    store.failures.remove = new Error('database is locked');
    const { json } = await execute(withOptions(KEYED), keyed(1), {
      node: { onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([
      { status: 'rejected', code: 9000, warning: expect.stringContaining('could not be released') },
    ]);
  });

  describe('is free again when nothing was sent, whatever the way there', () => {
    const CONTINUE = { node: { onError: 'continueRegularOutput' as const } };
    const oneItem = [{ phone: people(12).map((each) => each.phone), code: '1', key: 'order-1' }];

    const expectFree = async () => {
      expect(store.values()).toEqual([]);
      gateway.clearFaults();
      const { json } = await execute(withOptions(KEYED), oneItem as never);
      expect(json).toMatchObject([{ status: 'accepted' }]);
    };

    test('the service asked for a long pause', async () => {
      gateway.fault({ kind: 'tooManyRequests', retryAfter: '120' });
      const { json } = await execute(withOptions(KEYED), oneItem as never, CONTINUE);
      expect(json).toMatchObject([{ status: 'rejected' }]);
      expect(gateway.requests).toHaveLength(1);
      await expectFree();
    });

    test('the run was cancelled while it waited', async () => {
      gateway.fault({ kind: 'tooManyRequests', retryAfter: '30' });
      const { json } = await execute(withOptions(KEYED), oneItem as never, {
        ...CONTINUE,
        onStart: (cancel) =>
          void (async () => {
            while (gateway.requests[0]?.status !== 429) await new Promise((r) => setTimeout(r, 1));
            await new Promise((resolve) => setTimeout(resolve, 50));
            cancel();
          })(),
      });
      expect(json).toMatchObject([
        { status: 'rejected', msg: 'Not sent: the execution was cancelled' },
      ]);
      await expectFree();
    });

    test('the service cannot be reached', async () => {
      const closed = await startGateway();
      const dead = await createHarness(closed.credential() as never);
      await closed.close();
      const { json } = await dead.execute(
        withOptions({ ...KEYED, maxRetries: 0 }),
        oneItem as never,
        CONTINUE,
      );
      expect(json).toMatchObject([{ status: 'rejected' }]);
      await expectFree();
    });

    test('the service refused each number of the item in requests of its own', async () => {
      gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
      await execute(withOptions(KEYED), oneItem as never, CONTINUE);
      await expectFree();
    });
  });

  test('that could not be released is remembered: a retry sends', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000 });
    store.failures.remove = new Error('database is locked');
    const { json } = await execute(withOptions(KEYED), keyed(1), {
      node: { ...RETRY, maxTries: 2 },
    });
    expect(json).toMatchObject([{ status: 'accepted' }]);
    expect(gateway.deliveries().get(phone(0))).toBe(1);
    expect(store.values()).toHaveLength(1);
  });

  test('that was recorded before the store reported a failure: a retry sends', async () => {
    let calls = 0;
    store.onChange = (operation, when) => {
      if (operation === 'check' && when === 'after' && ++calls === 1) throw new Error('gone away');
    };
    const { json } = await execute(withOptions(KEYED), keyed(2), {
      node: { ...RETRY, maxTries: 2 },
    });
    expect(json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
  });

  test('that was used before is not sent after a failure of the store, and the item says why', async () => {
    await execute(withOptions(KEYED), keyed(1));
    let calls = 0;
    store.onChange = (operation, when) => {
      if (operation === 'check' && when === 'after' && ++calls === 1) throw new Error('gone away');
    };
    // One key was used, the other was not, and nothing tells which of them the store took.
    const { json } = await execute(withOptions(KEYED), keyed(2), {
      node: { ...RETRY, maxTries: 2, onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([
      { status: 'unknown', msg: expect.stringContaining('could not tell whether') },
      { status: 'unknown', msg: expect.stringContaining('could not tell whether') },
    ]);
    expect(gateway.deliveries().size).toBe(1);
  });

  test('that could not be released, of an item with three numbers, is one outcome', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
    store.failures.remove = new Error('database is locked');
    const items = [{ phone: [1, 2, 3].map(phone), code: '1', key: 'order-1' }];
    const { json } = await execute(
      withOptions({ idempotencyKey: '={{ $json.key }}', batchSize: 1, maxRetries: 0 }),
      [{ ...items[0], phone: [phone(1), phone(1), phone(1)] }] as never,
      { node: { onError: 'continueRegularOutput' } },
    );
    for (const part of (json[0]?.parts ?? []) as { warning?: string }[]) {
      expect(part.warning ?? '').toMatch(/could not be released|^$/);
    }
    gateway.reset();
    gateway.fault({ kind: 'status', status: 429, retryAfter: '120' });
    const together = await execute(
      withOptions({ idempotencyKey: '={{ $json.key }}2' }),
      items as never,
      { node: { onError: 'continueRegularOutput' } },
    );
    expect(together.json).toMatchObject([
      { status: 'rejected', phone_numbers: { length: 3 }, warning: expect.any(String) },
    ]);
    expect(together.json[0]).not.toHaveProperty('parts');
  });

  test.each([
    ['', /has no value for this item/],
    [' ', /has no value for this item/],
    [null, /has no value for this item/],
    [undefined, /has no value for this item/],
    [NaN, /the number NaN, of which a part has no value/],
    ['order-undefined', /the text "order-undefined", of which a part has no value/],
    ['null_1', /a part has no value/],
    ['a/NaN', /a part has no value/],
    ['[object Object]', /a part has no value/],
    ['Invalid DateTime', /a part has no value/],
  ])('that an expression was meant to give and is %p: the item is not sent', async (key, text) => {
    const { json } = await execute(
      withOptions(KEYED),
      [{ ...keyed(1)[0], key }, keyed(2)[1]] as never,
      { node: { onError: 'continueRegularOutput' } },
    );
    expect(json).toMatchObject([
      { status: 'rejected', msg: expect.stringMatching(text) },
      { status: 'accepted' },
    ]);
    expect([...gateway.deliveries().keys()]).toEqual([phone(1)]);
  });

  test.each(['nullable-1', 'annulled', 'NaNcy', '0', ' order 1 ', 'undefinedX'])(
    'may be any other text: %p',
    async (key) => {
      const { json } = await execute(withOptions(KEYED), [{ ...keyed(1)[0], key }] as never);
      expect(json).toMatchObject([{ status: 'accepted' }]);
    },
  );

  test('that is not text is told before any request', async () => {
    const { error } = await execute(withOptions(KEYED), [
      { phone: phone(1), code: '1', key: { id: 1 } },
    ]);
    expect(error?.message).toBe("'Idempotency Key' must be text, not an object");
    expect(gateway.requests).toHaveLength(0);
  });
});

describe('the same number more than once in one run', () => {
  const items = [
    { phone: phone(1), code: 'same' },
    { phone: `+86 ${phone(1)}`, code: 'same' },
    { phone: phone(1), code: 'other' },
    { phone: [phone(2), phone(1), phone(2)], code: 'same' },
  ];

  test('gets each message by default', async () => {
    mostPerNumber = 4;
    const { json } = await execute(withOptions({}), items);
    expect(json.map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    expect(gateway.deliveries()).toEqual(
      new Map([
        [phone(1), 4],
        [phone(2), 2],
      ]),
    );
  });

  test('with "merge" gets one where the messages are the same, and every item says so', async () => {
    mostPerNumber = 2;
    const { json } = await execute(withOptions({ duplicateNumbers: 'merge' }), items);
    expect(gateway.deliveries()).toEqual(
      new Map([
        [phone(1), 2],
        [phone(2), 1],
      ]),
    );
    const batch = json[0]?.batch_id;
    expect(json).toEqual([
      expect.objectContaining({ status: 'accepted', phone_numbers: [phone(1)], sent: 3 }),
      expect.objectContaining({ status: 'accepted', batch_id: batch, merged: true }),
      expect.objectContaining({ status: 'accepted', batch_id: batch }),
      expect.objectContaining({
        status: 'accepted',
        phone_numbers: [phone(2), phone(1)],
        parts: [
          expect.objectContaining({ phone_numbers: [phone(2)] }),
          expect.objectContaining({ phone_numbers: [phone(1)], merged: true }),
        ],
      }),
    ]);
    expect(json[0]).not.toHaveProperty('merged', true);
  });

  test('with "merge": what becomes of the one becomes of all, and a retry sends it once', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000 });
    const contextData = {};
    const parameters = withOptions({ duplicateNumbers: 'merge' });
    const same = [items[0], items[1]] as never;
    const first = await execute(parameters, same, {
      contextData,
      node: { onError: 'continueRegularOutput' },
    });
    expect(first.json).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    const second = await execute(parameters, same, { contextData: saved(contextData) });
    expect(second.json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
  });

  test('with "merge" items with keys of their own stay apart', async () => {
    mostPerNumber = 2;
    const { json } = await execute(
      withOptions({ duplicateNumbers: 'merge', idempotencyKey: '={{ $itemIndex }}' }),
      [items[0], items[1]] as never,
    );
    expect(json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
    expect(gateway.deliveries().get(phone(1))).toBe(2);
  });
});
