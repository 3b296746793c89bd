import { IdempotencyKeys } from '../../../nodes/SmsMessagingService/sending/idempotencyKeys';
import { SendLedger } from '../../../nodes/SmsMessagingService/sending/sendLedger';
import type { Outcome, Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';
import { until, withTimeLimits } from '../harness/pauses';

/** Who has a key when n8n's store fails, before or after the change, or never answers. */

/** n8n's store, with failures to choose. */
class Store {
  readonly keys = new Set<string>();
  fails: 'never' | 'before' | 'after' | 'hangs' = 'never';
  /** The number of keys of each call. */
  readonly added: number[] = [];
  readonly removed: number[] = [];

  checkProcessedAndRecord = async (values: unknown[]) => {
    this.added.push(values.length);
    await this.failIf('before');
    const fresh = values.filter((value) => !this.keys.has(String(value)));
    for (const value of fresh) this.keys.add(String(value));
    await this.failIf('after');
    return { new: fresh, processed: [] };
  };

  removeProcessed = async (values: unknown[]) => {
    this.removed.push(values.length);
    await this.failIf('before');
    for (const value of values) this.keys.delete(String(value));
    await this.failIf('after');
  };

  getProcessedDataCount = async () => {
    await this.failIf('before');
    return 95_000;
  };

  private async failIf(when: 'before' | 'after'): Promise<void> {
    if (this.fails === 'hangs') await new Promise(() => undefined);
    if (this.fails === when) throw new Error('gone');
  }
}

const ACCEPTED: Outcome = { status: 'accepted' };
const UNKNOWN: Outcome = { status: 'unknown' };
const REJECTED: Outcome = { status: 'rejected', msg: 'No' };

const recipient = (itemIndex: number, index = 0): Recipient => ({
  itemIndex,
  phoneNumber: `1380000000${index}`,
  message: '',
  key: `${itemIndex}/${index}`,
});

let store: Store;
let context: object;

/** The tries do not wait for each other, so that one may be left in the middle of a call. */
let workflows = 0;

beforeEach(() => {
  store = new Store();
  context = {};
});

/** A try of the execution, with an item for each key. */
function tryWith(...names: string[]) {
  const ledger = new SendLedger(context as never, '0', '1');
  const keys = new IdempotencyKeys(store as never, String(++workflows), ledger);
  names.forEach((name, index) => keys.add(index, name, 1, false));
  const recipients = names.map((_, index) => recipient(index));
  return {
    keys,
    noteOf: (name: string) => ledger.noteOf(`smsMessagingService:${name}`),
    record: async () => {
      const { allowed, denied } = await keys.record(recipients);
      return [...allowed.map(() => 'allowed'), ...denied.map(({ outcome }) => outcome.status)];
    },
    conclude: async (outcome: Outcome) => await keys.conclude([{ recipients, outcome }]),
  };
}

/** A try whose key the store fails to record. It ends as a run does. */
async function failedTry(fails: Store['fails']) {
  const failed = tryWith('a');
  store.fails = fails;
  const { denied } = await failed.keys.record([recipient(0)]);
  const [verdict] = await failed.keys.conclude(denied);
  store.fails = 'never';
  expect(verdict?.outcome).toMatchObject({
    status: 'rejected',
    msg: 'The idempotency key could not be recorded (gone)',
    advice: expect.stringContaining('Try again'),
    warning:
      'n8n\'s store may hold the idempotency key "a". If a later execution skips the item, use another key.',
  });
  // A key that may belong to another execution is never released.
  expect(store.removed).toEqual([]);
}

/** n8n saves the context while the try waits for the store, and nothing comes after that. */
async function interrupt(call: Promise<unknown>): Promise<void> {
  await Promise.race([call, new Promise(setImmediate)]);
  context = JSON.parse(JSON.stringify(context)) as object;
}

const KEY = 'smsMessagingService:a';

test.each([ACCEPTED, UNKNOWN])('a key of an outcome %j stays', async (outcome) => {
  const first = tryWith('a');
  expect(await first.record()).toEqual(['allowed']);
  expect(await first.conclude(outcome)).toMatchObject([{ outcome }]);
  expect([first.noteOf('a'), store.keys.has(KEY), store.removed]).toEqual([undefined, true, []]);
});

test('a key of another execution is not released', async () => {
  store.keys.add(KEY);
  const first = tryWith('a');
  expect(await first.record()).toEqual(['skipped']);
  await first.conclude({ status: 'skipped' });
  await first.conclude(REJECTED);
  expect([first.noteOf('a'), store.keys.has(KEY), store.removed]).toEqual([undefined, true, []]);
});

test('a key that could not be recorded is recorded by the retry', async () => {
  await failedTry('before');
  const retry = tryWith('a');
  expect(await retry.record()).toEqual(['allowed']);
  expect(await retry.conclude(REJECTED)).toMatchObject([{ outcome: REJECTED }]);
  expect([retry.noteOf('a'), store.keys.size]).toEqual([undefined, 0]);
});

test.each([
  ['was recorded by the call that failed', 'after'],
  ['another execution has recorded since', 'before'],
] as const)('the retry does not send under a key that %s: nobody can tell', async (_, fails) => {
  await failedTry(fails);
  store.keys.add(KEY);
  const retry = tryWith('a');
  const { allowed, denied } = await retry.keys.record([recipient(0)]);
  expect(allowed).toEqual([]);
  expect(denied).toMatchObject([
    {
      outcome: {
        status: 'unknown',
        msg: expect.stringContaining('not known who recorded'),
        advice: expect.stringContaining('another key'),
      },
    },
  ]);
  expect((await retry.keys.conclude(denied))[0]?.outcome.warning).toBeUndefined();
  expect([store.keys.has(KEY), store.removed]).toEqual([true, []]);
  // Another failure tells no more.
  await failedTry('before');
  expect(await tryWith('a').record()).toEqual(['unknown']);
});

test.each([
  ['before', 'unknown'],
  ['after', 'allowed'],
] as const)('a release that fails %s the change: the retry is %s', async (fails, expected) => {
  const first = tryWith('a');
  await first.record();
  store.fails = fails;
  const [verdict] = await first.conclude(REJECTED);
  expect(verdict?.outcome).toMatchObject({
    status: 'rejected',
    msg: 'No',
    warning: expect.stringContaining('may hold the idempotency key "a"'),
  });
  store.fails = 'never';
  expect(await tryWith('a').record()).toEqual([expected]);
});

describe('a try that was interrupted', () => {
  test('after it had recorded a key: the retry sends under it, and releases it', async () => {
    await tryWith('a').record();
    await interrupt(Promise.resolve());
    const retry = tryWith('a');
    expect(await retry.record()).toEqual(['allowed']);
    expect(store.added).toEqual([1]);
    await retry.conclude(REJECTED);
    expect([retry.noteOf('a'), store.keys.size]).toEqual([undefined, 0]);
  });

  test('while it recorded a key or released it: the retry does not take it for its own', async () => {
    const first = tryWith('a');
    await first.record();
    store.fails = 'hangs';
    await interrupt(first.conclude(REJECTED));
    store = Object.assign(new Store(), { keys: store.keys });
    expect(await tryWith('a').record()).toEqual(['unknown']);

    context = {};
    store.keys.clear();
    store.fails = 'hangs';
    await interrupt(tryWith('a').record());
    store.keys.add(KEY);
    expect(tryWith('a').noteOf('a')).toBe('claimed');
  });
});

test('a store that does not answer is not asked again, and its keys have the right owner', async () => {
  const first = tryWith('a', 'b', 'c');
  await first.keys.record([recipient(0)]);
  store.fails = 'hangs';
  const { denied } = await withTimeLimits(async (end) => {
    const answer = first.keys.record([recipient(1)]);
    await until(() => store.added.length === 2);
    end();
    return await answer;
  });
  const later = await first.keys.record([recipient(2)]);
  const outcomes = await first.keys.conclude([
    { recipients: [recipient(0)], outcome: REJECTED },
    ...denied,
    ...later.denied,
  ]);
  expect(outcomes.map(({ outcome }) => outcome.status)).toEqual(Array(3).fill('rejected'));
  const [one, two, three] = outcomes.map(({ outcome }) => `${outcome.msg} ${outcome.warning}`);
  expect(one).toMatch(/^No .* may hold the idempotency key "a"/);
  expect(two).toMatch(/did not answer in time.* may hold the idempotency key "b"/);
  expect(three).toMatch(/did not answer in time\) undefined$/);
  expect([store.added, store.removed]).toEqual([[1, 1], []]);
  expect(await first.keys.findHint()).toBeUndefined();
  expect(['a', 'b', 'c'].map(first.noteOf)).toEqual(['held', 'claimed', undefined]);
});

test('no call has thousands of keys, and a part that fails does not deny the others', async () => {
  const names = Array.from({ length: 1200 }, (_, index) => String(index));
  const { keys } = tryWith(...names);
  const recipients = names.map((_, index) => recipient(index));
  const add = store.checkProcessedAndRecord;
  store.checkProcessedAndRecord = async (values) => {
    if (values.includes('smsMessagingService:600')) throw new Error('gone');
    return await add(values);
  };
  const { allowed, denied } = await keys.record(recipients);
  expect([allowed.length, denied.length, store.added]).toEqual([700, 500, [500, 200]]);
  await keys.conclude([{ recipients: allowed, outcome: REJECTED }, ...denied]);
  expect(store.removed).toEqual(Array(28).fill(25));
  expect(store.keys.size).toBe(0);
});

test('a key is released when the last recipient of its item was refused, and not before', async () => {
  const ledger = new SendLedger({} as never, '0', '1');
  const keys = new IdempotencyKeys(store as never, 'workflow', ledger);
  keys.add(0, 'a', 2, false);
  const [one, two] = [recipient(0, 0), recipient(0, 1)];
  await keys.record([one]);
  await keys.conclude([{ recipients: [one], outcome: REJECTED }]);
  expect(store.keys.size).toBe(1);
  // The store is asked once per item.
  await keys.record([two]);
  expect(store.added).toEqual([1]);
  await keys.conclude([{ recipients: [two], outcome: REJECTED }]);
  expect(store.keys.size).toBe(0);
});

test('an item without a key is sent, and its outcome does not change', async () => {
  const { keys } = tryWith('a');
  await keys.record([recipient(0)]);
  const other = recipient(7);
  expect(await keys.record([other])).toEqual({ allowed: [other], denied: [] });
  store.fails = 'before';
  const verdicts = await keys.conclude([{ recipients: [recipient(0), other], outcome: REJECTED }]);
  expect(verdicts.map(({ outcome }) => outcome.warning !== undefined)).toEqual([true, false]);
});

test('an item of which an earlier try has sent a part keeps its key, and the store is not asked', async () => {
  const { keys } = tryWith();
  store.keys.add(KEY);
  keys.add(0, 'a', 1, true);
  expect((await keys.record([recipient(0)])).allowed).toHaveLength(1);
  await keys.conclude([{ recipients: [recipient(0)], outcome: REJECTED }]);
  expect([store.added, store.keys.size]).toEqual([[], 1]);
});

test('the hint about a full store needs no answer', async () => {
  expect(await tryWith().keys.findHint()).toBeUndefined();
  const { keys } = tryWith('a');
  expect(await keys.findHint()).toContain('95000 are in use');
  store.fails = 'before';
  expect(await keys.findHint()).toBeUndefined();
});
