import { DayLimit } from '../../../nodes/SmsMessagingService/sending/dayLimit';
import { IdempotencyKeys } from '../../../nodes/SmsMessagingService/sending/idempotencyKeys';
import { KEY_PREFIX, KeyStore } from '../../../nodes/SmsMessagingService/sending/keyStore';
import type { PlannedItem } from '../../../nodes/SmsMessagingService/sending/plan';
import { SendLedger } from '../../../nodes/SmsMessagingService/sending/sendLedger';
import { Messages } from '../../../nodes/SmsMessagingService/sending/messages';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { until, withTimeLimits } from '../../kit/engine/pauses';
import {
  CONTINUE,
  isFor,
  messagesOf,
  people,
  phone,
  savedContext,
  useSendingGateway,
  withOptions,
} from '../../kit/engine/sends';

/** Who has a key; while it pauses: dayLimit.test.ts. Which answers keep and free it is in test/search/sends, and which keys there are in parameters/. */

const { gateway, execute, allow } = useSendingGateway();

const store = DeduplicationStore.install();

beforeEach(() => store.clear());

const KEYED = { batchSize: 2, maxConcurrency: 1, idempotencyKey: '={{ $json.key }}' };
const PARAMETERS = withOptions(KEYED);

const keyed = (count: number) =>
  people(count).map((person, index) => ({ ...person, key: `order-${index}` }));

describe('an idempotency key', () => {
  test('that was sent before: a later execution skips the item, with the reason', async () => {
    await execute(PARAMETERS, keyed(3));
    const node = { onError: 'continueErrorOutput' } as const;
    const { output, json } = await execute(PARAMETERS, keyed(5), { node });
    expect(output?.[1]).toEqual([]);
    // The second execution sends the rest of the second batch, and the third batch.
    expect(gateway.requests.map((request) => messagesOf(request).length)).toEqual([2, 1, 1, 1]);
    expect(json.slice(0, 3)).toEqual(
      [0, 1, 2].map((index) => ({
        status: 'skipped',
        msg: `Not sent: the idempotency key "order-${index}" was used before in this workflow`,
        phone_number: phone(index),
        phone_numbers: [phone(index)],
      })),
    );
    expect(json.slice(3).map(({ status }) => status)).toEqual(['accepted', 'accepted']);
  });

  // Guess: request-key
  test('is stored for the workflow, with a prefix of this package', async () => {
    allow(3);
    await execute(PARAMETERS, keyed(1));
    const other = await execute(PARAMETERS, keyed(1), { workflowId: 'workflow-2' });
    const none = await execute(withOptions({ ...KEYED, idempotencyKey: '' }), people(1));
    expect([other, none].map(({ json }) => json[0]?.status)).toEqual(['accepted', 'accepted']);
    expect(store.values()).toEqual(['smsMessagingService:order-0']);
    expect(store.maxEntries).toBe(100_000);
  });

  test('that two items have is sent once: the second is skipped, or refused with the first', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(2) });
    const keys = ['a', 'a', 'b', 'b', 'c', 'c'];
    const items = keyed(6).map((item, index) => ({
      ...item,
      key: keys[index],
      ...(index === 4 && { phone: 'nonsense' }),
    }));
    const { json } = await execute(withOptions({ ...KEYED, batchSize: 1 }), items, CONTINUE);
    expect(json).toMatchObject([
      { status: 'accepted' },
      { status: 'skipped', msg: 'Not sent: item 0 has the same idempotency key' },
      { status: 'rejected', code: 9000 },
      { status: 'rejected', msg: expect.stringContaining('like item 2') },
      // Nobody was to be sent to under its key.
      { status: 'rejected', phone_numbers: ['nonsense'] },
      { status: 'accepted' },
    ]);
    expect([...gateway.deliveries().keys()]).toEqual([phone(0), phone(5)]);
    expect(store.values().map((value) => value.slice(-2))).toEqual([':a', ':c']);
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
});

describe("a call of n8n's store", () => {
  // One that fails while n8n runs on: test/search/.
  test.each([
    // The operation, whether it was done, and what becomes of the item in a retry and in a new execution.
    ['check', 'before', 'accepted', 'accepted'],
    ['check', 'after', 'unknown', 'skipped'],
    ['remove', 'before', 'unknown', 'skipped'],
    ['remove', 'after', 'accepted', 'accepted'],
  ] as const)('%s, and n8n is stopped %s the change', async (operation, when, retried, anew) => {
    gateway.fault({ kind: 'businessCode', code: 9000 });
    store.fail({ operation, when, hangs: true });
    const contextData = {};
    const left = await withTimeLimits(async (end) => {
      const run = execute(PARAMETERS, keyed(1), { ...CONTINUE, contextData });
      await until(() => store.sizes(operation).length > 0);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      const saved = savedContext(contextData);
      end();
      const warning = expect.stringContaining('may hold the idempotency key "order-0".');
      expect((await run).json).toMatchObject([{ status: 'rejected', warning }]);
      return saved;
    });
    store.stopFailing();
    gateway.clearFaults();
    const kept = store.values();
    const retry = await execute(PARAMETERS, keyed(1), { ...CONTINUE, contextData: left });
    const isKnown = retried === 'accepted';
    const msg = isKnown ? 'success' : expect.stringContaining('not known who recorded');
    const advice = isKnown ? {} : { advice: expect.stringContaining('again with another key') };
    expect(retry.json).toMatchObject([{ status: retried, msg, ...advice }]);

    gateway.reset();
    store.rows.set('workflow-1/', kept);
    const other = await execute(PARAMETERS, keyed(1), CONTINUE);
    expect(other.json).toMatchObject([{ status: anew }]);
  });

  test('that never ends: nothing is sent, and later executions are not held up', async () => {
    store.fail({ operation: 'check', when: 'before', hangs: true });
    const { json } = await withTimeLimits(async (end) => {
      const run = execute(PARAMETERS, keyed(4), CONTINUE);
      await until(() => store.sizes('check').length > 0);
      end();
      return await run;
    });
    const msg = expect.stringContaining('the database of n8n did not answer in time');
    expect(json).toMatchObject(Array(4).fill({ status: 'rejected', msg }));
    // It is not asked again, also not for the hint.
    expect(store.calls).toHaveLength(1);
    store.stopFailing();
    const later = await execute(PARAMETERS, keyed(2));
    expect(later.json).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
  });

  test('that never ends leaves the keys that the execution has, and each has its warning', async () => {
    let isSilent = false;
    const answer = async <T>(value: T) =>
      isSilent ? await new Promise<T>(() => undefined) : value;
    const helpers = {
      checkProcessedAndRecord: async (values: unknown[]) => await answer({ new: values }),
      removeProcessed: async () => await answer(undefined),
    };
    const ledger = new SendLedger({}, '0', '1');
    const [one = [], two = [], three = []] = ['a', 'b', 'c'].map((key, itemIndex) => {
      const item: PlannedItem = { itemIndex, recipients: [], idempotencyKey: KEY_PREFIX + key };
      return (item.recipients = [{ item, phoneNumber: phone(itemIndex), message: '' }]);
    });
    const store = new KeyStore(helpers as never, 'workflow');
    const messages = new Messages(
      ledger,
      new IdempotencyKeys(store, ledger),
      new DayLimit(store, ledger, () => '', Infinity),
    );
    expect(await messages.admit(one)).toEqual(one);
    isSilent = true;
    await withTimeLimits(async (end) => {
      const admitted = messages.admit(two);
      await new Promise(setImmediate);
      end();
      expect(await admitted).toEqual([]);
    });
    expect(await messages.admit(three)).toEqual([]);
    await messages.holdBack(one, { happening: 'heldBack', msg: 'No' });
    const outcomes = [one, two, three].flat().map((each) => messages.outcomeOf(each));
    const named = outcomes.map(({ warning }) => /"(\w)"/.exec(warning ?? '')?.[1]);
    expect(named).toEqual(['a', 'b', undefined]);
    const notes = ['a', 'b', 'c'].map((key) => ledger.noteOf(KEY_PREFIX + key));
    expect(notes).toEqual(['held', 'claimed', undefined]);
  });
});
