import type { IDataObject } from 'n8n-workflow';
import { MessageLimit } from '../../../nodes/SmsMessagingService/sending/messageLimit';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import {
  CONTINUE,
  descriptionOf,
  isFor,
  people,
  useSendingGateway,
  withOptions,
} from '../../kit/engine/sends';

const { gateway, execute } = useSendingGateway();

const limited = (options: IDataObject = {}) => withOptions({ maxMessages: 3, ...options });

const sent = () => [...gateway.deliveries().values()].reduce((sum, count) => sum + count, 0);

describe('Max Messages per Run', () => {
  test('a run that would send more messages, in whatever items, sends nothing, and says so', async () => {
    const phones = people(4).map(({ phone }) => phone);
    const items = [phones.slice(0, 2), phones.slice(2)].map((phone) => ({ phone, code: '1' }));
    const { error } = await execute(limited({ batchSize: 1 }), items);
    expect(error?.message).toContain("This run has 4 messages, but 'Max Messages per Run' is 3");
    expect(descriptionOf(error)).toContain("raise 'Max Messages per Run' under Options");
    expect(gateway.requests).toEqual([]);
  });

  test('does not count what was refused, and counts what may have been sent', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity, match: isFor(0) });
    gateway.fault({ kind: 'status', status: 500, match: isFor(1) });
    const refused = people(1);
    const unclear = people(2).slice(1);
    const { rounds } = await execute(limited(), refused, {
      ...CONTINUE,
      rounds: [refused, unclear, people(4).slice(2), people(5).slice(4)],
    });
    expect(rounds.flat().map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'unknown',
      'accepted',
      'accepted',
      'rejected',
    ]);
    expect(sent()).toBe(2);
  });

  test('counts a message once, however often its request is made', async () => {
    gateway.fault({ kind: 'tooManyRequests', times: 2 });
    const { rounds } = await execute(limited(), people(2), { rounds: [people(3).slice(2)] });
    expect(rounds.flat().map(({ status }) => status)).toEqual(Array(3).fill('accepted'));
  });

  test('is shared by runs of one execution at once, such as calls of an agent', () => {
    const context = {};
    const runs = Array.from({ length: 4 }, () => new MessageLimit(context, 3));
    const obstacles = () => runs.map((run) => run.reserve(1)?.msg);
    const free = [undefined, undefined, undefined];
    const full = expect.stringContaining('after 3 of this execution') as unknown;
    expect(obstacles()).toEqual([...free, full]);
    for (const run of runs) run.release();
    expect(obstacles()).toEqual([...free, full]);
  });

  describe('with idempotency keys', () => {
    const store = DeduplicationStore.install();

    beforeEach(() => store.clear());

    const keyed = (options: IDataObject) =>
      limited({ idempotencyKey: '={{ $json.code }}', ...options });

    const statuses = async (count: number, more: object = {}) => {
      const { rounds } = await execute(keyed({}), people(count), { ...CONTINUE, ...more });
      return rounds.flat().map((each) => each.status);
    };

    test('does not count an item whose key was used before', async () => {
      expect(await statuses(3)).toEqual(Array(3).fill('accepted'));
      store.calls.length = 0;
      expect(await statuses(4, { rounds: [people(4)] })).toEqual([
        ...['skipped', 'skipped', 'skipped', 'accepted'],
        ...Array(4).fill('skipped'),
      ]);
      // Once per round, though the runs were counted.
      expect(store.sizes('check')).toEqual([4, 4]);
      expect(sent()).toBe(4);
    });

    test('a run that would send more leaves the store as it was', async () => {
      await statuses(3);
      const kept = store.values();
      const { json } = await execute(keyed({}), people(20), CONTINUE);
      expect(json).toMatchObject(
        people(20).map(() => ({
          status: 'rejected',
          msg: "This run has at least 17 messages, but 'Max Messages per Run' is 3",
        })),
      );
      expect(json.filter(({ warning }) => warning)).toEqual([]);
      expect(store.values()).toEqual(kept);
      expect(sent()).toBe(3);
    });

    test('stops counting at the limit, and makes no call with thousands of keys', async () => {
      const { json } = await execute(keyed({ maxMessages: 600 }), people(3000), CONTINUE);
      expect(json[2999]?.msg).toBe(
        "This run has at least 1000 messages, but 'Max Messages per Run' is 600",
      );
      expect(store.sizes('check')).toEqual([500, 500]);
      expect(store.sizes('remove')).toEqual(Array(40).fill(25));
      expect(store.values()).toEqual([]);
    });

    test('a run that would send more and cannot release its keys says so', async () => {
      store.fail({ operation: 'remove', when: 'before' });
      const { json } = await execute(keyed({}), people(4), CONTINUE);
      expect(json).toMatchObject(
        people(4).map(() => ({
          msg: expect.stringContaining('This run has 4 messages'),
          warning: expect.stringContaining('may hold'),
        })),
      );
    });

    test('another execution does not skip what a run that would send more has counted', async () => {
      const [refused, other] = await Promise.all([
        execute(keyed({}), people(400), CONTINUE),
        execute(keyed({ maxMessages: 400 }), people(400), CONTINUE),
      ]);
      // Whichever of them comes first.
      expect(['rejected', 'skipped']).toContain(refused.json[0]?.status);
      expect(other.json.filter(({ status }) => status !== 'accepted')).toEqual([]);
    });
  });
});
