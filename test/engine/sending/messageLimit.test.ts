import type { IDataObject } from 'n8n-workflow';
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
      ...['rejected', 'rejected', 'unknown'],
      ...['accepted', 'accepted', 'rejected'],
    ]);
    expect(sent()).toBe(2);
  });

  test('counts a message once, however often its request is made', async () => {
    gateway.fault({ kind: 'tooManyRequests', times: 2 });
    const { rounds } = await execute(limited(), people(2), { rounds: [people(3).slice(2)] });
    expect(rounds.flat().map(({ status }) => status)).toEqual(Array(3).fill('accepted'));
  });

  test('counts an item whose key was used before, and stores no key of a run that would send more', async () => {
    const store = DeduplicationStore.install();
    store.clear();
    const keyed = limited({ idempotencyKey: '={{ $json.code }}' });
    const statuses = async (count: number) =>
      (await execute(keyed, people(count), CONTINUE)).json.map(({ status }) => status);
    expect(await statuses(3)).toEqual(Array(3).fill('accepted'));
    const kept = store.values();
    store.calls.length = 0;
    expect(await statuses(4)).toEqual(Array(4).fill('rejected'));
    expect(await statuses(3)).toEqual(Array(3).fill('skipped'));
    expect(store.sizes('check')).toEqual([3]);
    expect(store.values()).toEqual(kept);
    expect(sent()).toBe(3);
  });
});
