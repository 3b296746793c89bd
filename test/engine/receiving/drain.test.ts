import { drain } from '../../../dist/nodes/SmsMessagingService/receiving/drain';
import { EVENTS } from '../../../dist/nodes/SmsMessagingService/receiving/events';
import { RecordMemory } from '../../../dist/nodes/SmsMessagingService/receiving/recordMemory';
import { PageSize } from '../../../dist/nodes/SmsMessagingService/receiving/pageSize';
import type { ServiceClient } from '../../../dist/nodes/SmsMessagingService/service/client';

/** How many records a drain asks for, of services that are hard to drain. */

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ batch_id: `b-${from + index}`, time: 1 }));

/** A service, and what it was asked for. */
function serviceOf(pull: (count: number) => unknown) {
  const asked: number[] = [];
  const client = {
    exchange: async (_path: string, { count }: { count: number }) => {
      asked.push(count);
      if (asked.length > 200) throw new Error('The drain does not end');
      const answer = pull(count);
      return Array.isArray(answer) ? { kind: 'answered', body: { code: 0, data: answer } } : answer;
    },
    errorFor: ({ reason }: { reason: string }) => new Error(reason),
  } as unknown as ServiceClient;
  return { client, asked };
}

let triggers = 0;

/** Polls of one trigger, until one brings nothing; errors are kept. */
function poller(client: ServiceClient, setting = 100) {
  const memory = new RecordMemory({}, 'deliveryReport');
  const name = `trigger-${++triggers}`;
  const errors: string[] = [];
  const poll = async () => {
    const records: unknown[] = [];
    try {
      const pageSize = new PageSize(setting, name);
      const options = { pageSize, maxRecords: 10_000, goesOn: () => true, memory };
      for await (const page of drain(client, EVENTS.deliveryReport, options)) {
        memory.mark(page);
        records.push(...page.fresh);
      }
    } catch (error) {
      errors.push((error as Error).message);
    }
    return records;
  };
  return { poll, errors };
}

test.each([100, 160, 250, 1_000, 4_321])(
  'a service that shows all %d records again, the oldest first, is read to the newest',
  async (count) => {
    const records = numbered(count);
    const { client } = serviceOf((wanted) => records.slice(0, wanted));
    const { poll } = poller(client);
    expect(await poll()).toEqual(records);
    expect(await poll()).toEqual([]);
    records.push(...numbered(60, count));
    expect(await poll()).toEqual(numbered(60, count));
  },
);

test('more than the setting is asked for only behind old records', async () => {
  const queue = numbered(1_000);
  const { client, asked } = serviceOf((wanted) => queue.splice(0, wanted));
  await poller(client).poll();
  expect(Math.max(...asked)).toBe(100);
});

test('a service that ignores how many are asked for is asked twice when all is old', async () => {
  const { client, asked } = serviceOf(() => numbered(3_000));
  const { poll } = poller(client);
  await poll();
  asked.length = 0;
  expect(await poll()).toEqual([]);
  expect(asked).toEqual([100, 100]);
});

const LATE = { kind: 'unclear', reason: 'late', isTimeout: true };

test('a service that is too slow for many is asked for fewer, also by the next poll', async () => {
  const queue = numbered(500);
  const { client, asked } = serviceOf((wanted) => (wanted > 20 ? LATE : queue.splice(0, wanted)));
  const { poll, errors } = poller(client);
  const records: unknown[] = [];
  for (let polls = 0; polls < 60 && records.length < 500; polls++) records.push(...(await poll()));
  expect(records).toEqual(numbered(500));
  // Down to what it gives, and no trial of more so soon: one would cost a page.
  expect(asked.slice(0, 3)).toEqual([100, 50, 25]);
  expect(asked.slice(3, 3 + 20)).toEqual(Array(20).fill(13));
  expect(errors.length).toBeLessThan(6);
});

test('trials of more become rare where they fail', async () => {
  let serial = 0;
  const { client, asked } = serviceOf((wanted) =>
    wanted > 20 ? LATE : numbered(wanted, (serial += wanted)),
  );
  const { poll } = poller(client, 40);
  for (let polls = 0; asked.length < 190; polls++) await poll().catch(() => undefined);
  const trials = asked.flatMap((count, index) => (count > 20 ? [index] : []));
  expect(trials).toEqual([0, 21, 62, 143]);
});

test('it is asked for as many as before once it gets better', async () => {
  const queue = numbered(400);
  let isBad = true;
  const { client, asked } = serviceOf((wanted) => (isBad ? LATE : queue.splice(0, wanted)));
  const { poll } = poller(client, 8);
  for (let polls = 0; polls < 10; polls++) await poll();
  expect(asked.at(-1)).toBe(1);
  isBad = false;
  asked.length = 0;
  expect(await poll()).toHaveLength(400);
  expect(asked.slice(0, 61)).toEqual([
    ...Array(20).fill(1),
    ...Array(20).fill(2),
    ...Array(20).fill(4),
    8,
  ]);
});

const REFUSED = { kind: 'refused', reason: 'no', code: 7, httpStatus: 200 };

test('a service that refuses is asked for fewer once, and then for as many as before, once a poll', async () => {
  const { client, asked } = serviceOf(() => REFUSED);
  const { poll, errors } = poller(client);
  for (let polls = 0; polls < 20; polls++) await poll();
  expect(asked).toEqual([100, 50, 25, 13, 7, ...Array(19).fill(100)]);
  expect(errors).toHaveLength(20);
});

test.each([401, 403, 404, 500])('HTTP %d is no refusal of how many', async (httpStatus) => {
  const { client, asked } = serviceOf(() => ({ ...REFUSED, httpStatus }));
  await poller(client).poll();
  expect(asked).toEqual([100]);
});

test('a service that refuses more than it likes to give is asked for fewer, without an error', async () => {
  const queue = numbered(500);
  const { client, asked } = serviceOf((wanted) =>
    wanted > 30 ? REFUSED : queue.splice(0, wanted),
  );
  const { poll, errors } = poller(client);
  expect(await poll()).toEqual(numbered(500));
  expect(asked.slice(0, 4)).toEqual([100, 50, 25, 25]);
  // Now and then more is tried, which costs one request.
  expect(asked.filter((count) => count > 30)).toEqual([100, 50, 50]);
  expect(errors).toEqual([]);
});

test.each([25, 100, 160, 1_000])(
  'a service that shows all its %d records again, and refuses more than 100, is asked no more once all is old',
  async (count) => {
    const { client, asked } = serviceOf((wanted) =>
      wanted > 100 ? REFUSED : numbered(count).slice(0, wanted),
    );
    const { poll } = poller(client);
    expect(await poll()).toEqual(numbered(Math.min(count, 100)));
    asked.length = 0;
    expect(await poll()).toEqual([]);
    expect(asked.length).toBeLessThan(6);
  },
);

test('new records behind 900 old ones that are given again come in the same poll', async () => {
  const queue = numbered(900);
  const { client } = serviceOf((wanted) => queue.splice(0, Math.min(wanted, 30)));
  const { poll } = poller(client);
  await poll();
  queue.push(...numbered(910));
  expect(await poll()).toEqual(numbered(10, 900));
});
