import type { IDataObject } from 'n8n-workflow';
import type { Gateway } from '../../sandbox/gateway';
import type { Harness } from '../harness';
import {
  CONTINUE,
  descriptionOf,
  isFor,
  people,
  shareSendingGateway,
  withOptions,
} from '../harness/sends';

let gateway: Gateway;
let execute: Harness['execute'];

shareSendingGateway((world) => {
  ({ gateway, execute } = world);
});

const limited = (options: IDataObject = {}) => withOptions({ maxMessages: 3, ...options });

const sent = () => [...gateway.deliveries().values()].reduce((sum, count) => sum + count, 0);

describe('Max Messages per Run', () => {
  test('lets a run of that size through', async () => {
    const { json } = await execute(limited(), people(3));
    expect(json.map(({ status }) => status)).toEqual(Array(3).fill('accepted'));
  });

  test('a run that would send more sends nothing, and says so', async () => {
    const { error } = await execute(limited({ batchSize: 1 }), people(4));
    expect(error?.message).toContain(
      "This run would send 4 messages, but 'Max Messages per Run' is 3",
    );
    expect(descriptionOf(error)).toContain("raise 'Max Messages per Run' under Options");
    expect(gateway.requests).toEqual([]);
  });

  test('counts messages, and not items', async () => {
    const numbers = people(4).map(({ phone }) => phone);
    const { json } = await execute(limited(), [{ phone: numbers, code: '1' }], CONTINUE);
    expect(json).toEqual([expect.objectContaining({ status: 'rejected' })]);
    expect(gateway.requests).toEqual([]);
  });

  test('counts over the rounds of a loop', async () => {
    const [first, second, third] = [people(2), people(3).slice(2), people(4).slice(3)];
    const { rounds } = await execute(limited(), first, { ...CONTINUE, rounds: [second, third] });
    expect(rounds.flat().map(({ status }) => status)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'rejected',
    ]);
    expect(rounds.at(-1)?.[0]?.msg).toContain(
      'would send 1 message, after 3 that this execution has sent',
    );
    expect(sent()).toBe(3);
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

  test.each([null, undefined, '', 0, -1, 1.5, 'many'])(
    'sends nothing with the value %j',
    async (maxMessages) => {
      const items = people(1, maxMessages === undefined ? {} : { maxMessages });
      const { error } = await execute(limited({ maxMessages: '={{ $json.maxMessages }}' }), items);
      expect(error?.message).toContain("'Max Messages per Run'");
      expect(gateway.requests).toEqual([]);
    },
  );
});
