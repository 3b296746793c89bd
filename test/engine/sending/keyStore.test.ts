import { IdempotencyKeys } from '../../../nodes/SmsMessagingService/sending/idempotencyKeys';
import { SendLedger } from '../../../nodes/SmsMessagingService/sending/sendLedger';
import type { Outcome, Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';

/** n8n's store of idempotency keys fails, before or after the change. Who has the key then. */

/** n8n's store, with failures and a size to choose. */
class Store {
  readonly keys = new Set<string>();
  fails: 'never' | 'before' | 'after' = 'never';
  /** How the next counts end. Those after them work. */
  counts: ('fails' | 'works')[] = [];
  /** Keys of other executions in the store. */
  others = 0;
  calls = 0;

  checkProcessedAndRecord = async (values: unknown[]) => {
    const keys = values.map(String);
    this.calls += 1;
    if (this.fails === 'before') throw new Error('gone');
    const added = keys.filter((key) => !this.keys.has(key));
    for (const key of added) this.keys.add(key);
    if (this.fails === 'after') throw new Error('gone');
    return { new: added, processed: [] };
  };

  removeProcessed = async (values: unknown[]) => {
    if (this.fails === 'before') throw new Error('gone');
    for (const value of values) this.keys.delete(String(value));
    if (this.fails === 'after') throw new Error('gone');
  };

  getProcessedDataCount = async () => {
    if (this.counts.shift() === 'fails') throw new Error('gone');
    return this.others + this.keys.size;
  };
}

const ACCEPTED: Outcome = { status: 'accepted' };
const REJECTED: Outcome = { status: 'rejected', msg: 'No' };

const recipient = (itemIndex: number, index = 0): Recipient => ({
  itemIndex,
  phoneNumber: `1380000000${index}`,
  message: '',
  key: `${itemIndex}/${index}`,
});

let store: Store;
let context: object;

beforeEach(() => {
  store = new Store();
  context = {};
});

/** A try of the execution, with an item for each key. */
function tryWith(...names: string[]) {
  const ledger = new SendLedger(context as never, '0', '1');
  const keys = new IdempotencyKeys(store as never, 'workflow', ledger);
  names.forEach((name, index) => keys.add(index, name, 1, false));
  const recipients = names.map((_, index) => recipient(index));
  return {
    ledger,
    keys,
    stateOf: (name: string) => ledger.keyState(`smsMessagingService:${name}`),
    store: async () => await keys.store(recipients),
    conclude: async (outcome: Outcome) => await keys.conclude([{ recipients, outcome }]),
  };
}

/** A try in which the key cannot be recorded. It ends as a run does. */
async function failedTry(...names: string[]) {
  const failed = tryWith(...names);
  const { allowed, denied } = await failed.store();
  expect(allowed).toEqual([]);
  const concluded = await failed.keys.conclude(denied);
  expect(concluded.map(({ outcome }) => outcome.status)).toEqual(names.map(() => 'rejected'));
  store.fails = 'never';
  return { ...failed, warnings: concluded.map(({ outcome }) => outcome.warning) };
}

const statusesIn = async ({ store }: ReturnType<typeof tryWith>) => {
  const { allowed, denied } = await store();
  return [...allowed.map(() => 'allowed'), ...denied.map(({ outcome }) => outcome.status)];
};

test('a key that was not recorded belongs to nobody: the retry records it', async () => {
  store.fails = 'before';
  const { stateOf, warnings } = await failedTry('a', 'b');
  expect([stateOf('a'), stateOf('b'), ...warnings]).toEqual(Array(4).fill(undefined));
  expect(await statusesIn(tryWith('a', 'b'))).toEqual(['allowed', 'allowed']);
});

test('a key that another execution records before the retry counts as used', async () => {
  store.fails = 'before';
  await failedTry('a');
  store.keys.add('smsMessagingService:a');
  expect(await statusesIn(tryWith('a'))).toEqual(['skipped']);
});

test('a key that was recorded before the failure is released', async () => {
  store.fails = 'after';
  const { stateOf, warnings } = await failedTry('a', 'b');
  // The release failed too, but it had removed the key.
  expect([...store.keys]).toEqual([]);
  expect([stateOf('a'), stateOf('b'), ...warnings]).toEqual(Array(4).fill(undefined));
});

describe('the store does not tell whether it recorded the key', () => {
  const expectUnclear = async (names = ['a']) => {
    store.fails = 'after';
    const { stateOf, warnings } = await failedTry(...names);
    expect(stateOf('a')).toBe('claimed');
    expect(warnings[0]).toContain('may hold the idempotency key');
    expect(store.keys.has('smsMessagingService:a')).toBe(true);
    const retry = tryWith('a');
    const { allowed, denied } = await retry.store();
    expect(allowed).toEqual([]);
    expect(denied).toMatchObject([
      { outcome: { status: 'unknown', advice: expect.stringContaining('another key') } },
    ]);
    await retry.keys.conclude(denied);
    expect(retry.stateOf('a')).toBe('claimed');
    // A failure of the retry does not change that.
    store.fails = 'before';
    await failedTry('a');
    expect(tryWith('a').stateOf('a')).toBe('claimed');
  };

  test.each([[['fails'] as const], [['works', 'fails'] as const]])(
    'because its keys cannot be counted: %j',
    async (counts) => {
      store.counts = [...counts];
      await expectUnclear();
    },
  );

  test('because it is full', async () => {
    store.others = 100_000;
    await expectUnclear();
  });

  test('because these keys make it full', async () => {
    store.others = 99_999;
    await expectUnclear(['a', 'b']);
  });

  test('because one of the keys was there before', async () => {
    store.keys.add('smsMessagingService:b');
    await expectUnclear(['a', 'b']);
  });
});

test('a store that is exactly full with the key still tells', async () => {
  store.others = 99_999;
  store.fails = 'after';
  const { stateOf, warnings } = await failedTry('a');
  expect([stateOf('a'), ...warnings]).toEqual([undefined, undefined]);
});

describe('a key that cannot be released', () => {
  const refusedTry = async () => {
    const first = tryWith('a');
    await first.store();
    return first;
  };

  test('belongs to its execution, and the retry sends under it', async () => {
    const { conclude, stateOf } = await refusedTry();
    store.fails = 'before';
    const [verdict] = await conclude(REJECTED);
    expect(verdict?.outcome).toMatchObject({ status: 'rejected', msg: 'No' });
    expect(verdict?.outcome.warning).toContain('still holds the idempotency key "a"');
    expect(stateOf('a')).toBe('held');
    // It still does when the store fails once more.
    await failedTry('a');
    store.fails = 'before';
    store.counts = ['fails'];
    await failedTry('a');
    expect(tryWith('a').stateOf('a')).toBe('held');
    const retry = tryWith('a');
    expect(await statusesIn(retry)).toEqual(['allowed']);
    await retry.conclude(ACCEPTED);
    expect(retry.stateOf('a')).toBeUndefined();
    expect([...store.keys]).toEqual(['smsMessagingService:a']);
  });

  test('but was released before the failure is not reported as kept', async () => {
    const { conclude, stateOf } = await refusedTry();
    store.fails = 'after';
    const [verdict] = await conclude(REJECTED);
    expect(verdict?.outcome).toBe(REJECTED);
    expect(stateOf('a')).toBeUndefined();
    expect([...store.keys]).toEqual([]);
  });

  test('as far as anybody knows may belong to another execution at the retry', async () => {
    const { conclude, stateOf } = await refusedTry();
    store.fails = 'after';
    store.counts = ['works', 'fails'];
    const [verdict] = await conclude(REJECTED);
    expect(verdict?.outcome.warning).toContain('still holds');
    expect(stateOf('a')).toBe('claimed');
    store.fails = 'never';
    store.keys.add('smsMessagingService:a');
    expect(await statusesIn(tryWith('a'))).toEqual(['unknown']);
  });
});

test('a key is released when the last recipient of its item was refused, and not before', async () => {
  const ledger = new SendLedger({} as never, '0', '1');
  const keys = new IdempotencyKeys(store as never, 'workflow', ledger);
  keys.add(0, 'a', 2, false);
  const [one, two] = [recipient(0, 0), recipient(0, 1)];
  await keys.store([one]);
  await keys.conclude([{ recipients: [one], outcome: REJECTED }]);
  expect(store.keys.size).toBe(1);
  // The store is asked once per item.
  await keys.store([two]);
  expect(store.calls).toBe(1);
  await keys.conclude([{ recipients: [two], outcome: REJECTED }]);
  expect(store.keys.size).toBe(0);
});

test('an item without a key is sent, and its outcome does not change', async () => {
  const { keys } = tryWith('a');
  await keys.store([recipient(0)]);
  const other = recipient(7);
  expect(await keys.store([other])).toEqual({ allowed: [other], denied: [] });
  store.fails = 'before';
  const verdicts = await keys.conclude([{ recipients: [recipient(0), other], outcome: REJECTED }]);
  expect(verdicts.map(({ outcome }) => outcome.warning !== undefined)).toEqual([true, false]);
});

test('an item of which an earlier try has sent a part keeps its key, and the store is not asked', async () => {
  const keys = new IdempotencyKeys(
    store as never,
    'workflow',
    new SendLedger({} as never, '0', '1'),
  );
  store.keys.add('smsMessagingService:a');
  keys.add(0, 'a', 1, true);
  expect((await keys.store([recipient(0)])).allowed).toHaveLength(1);
  await keys.conclude([{ recipients: [recipient(0)], outcome: REJECTED }]);
  expect([store.calls, store.keys.size]).toEqual([0, 1]);
});
