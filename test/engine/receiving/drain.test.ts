import { drain } from '../../../nodes/SmsMessagingService/receiving/drain';
import type { Kept } from '../../../nodes/SmsMessagingService/receiving/drainStep';
import { EVENTS } from '../../../nodes/SmsMessagingService/receiving/events';
import { RecordMemory } from '../../../nodes/SmsMessagingService/receiving/recordMemory';
import type { ServiceClient } from '../../../nodes/SmsMessagingService/service/client';
import { setForward } from '../harness/pauses';

/** Which page sizes a drain requests, from services that are hard to drain. */

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ batch_id: `b-${from + index}`, time: 1 }));

/** A service, and the page sizes that were requested. */
function serviceOf(pull: (count: number) => unknown, mostRequests = 200) {
  const asked: number[] = [];
  const client = {
    exchange: async (_path: string, { count }: { count: number }) => {
      asked.push(count);
      if (asked.length > mostRequests) throw new Error('The drain does not end');
      const answer = pull(count);
      return Array.isArray(answer) ? { kind: 'answered', body: { code: 0, data: answer } } : answer;
    },
    errorFor: ({ reason }: { reason: string }) => new Error(reason),
  } as unknown as ServiceClient;
  return { client, asked };
}

/** The polls of one trigger, their errors, and what they say of records that may stand behind. */
function poller(client: ServiceClient, pullSize = 100, maxRecords = 10_000) {
  const memory = new RecordMemory();
  const kept = {};
  const errors: string[] = [];
  const told: number[] = [];
  const poll = async () => {
    const records: unknown[] = [];
    setForward(60_000);
    try {
      const options = {
        pullSize,
        kept,
        sizeField: 'Pull Size',
        maxRecords,
        shouldContinue: () => true,
        memory,
        onHidden: (count: number) => void told.push(count),
      };
      for await (const page of drain(client, EVENTS.deliveryReport, options)) {
        memory.mark(page);
        records.push(...page.fresh);
      }
    } catch (error) {
      errors.push((error as Error).message);
    }
    return records;
  };
  const pollAll = async (polls: number) => {
    const records: unknown[] = [];
    for (let number = 0; number < polls; number++) records.push(...(await poll()));
    return records;
  };
  return { poll, pollAll, errors, told };
}

test('what a page has taught is kept before it is handed over, which may fail', async () => {
  const kept: Kept = {};
  const pages = drain(serviceOf(numbered).client, EVENTS.deliveryReport, {
    pullSize: 10,
    kept,
    sizeField: 'Pull Size',
    maxRecords: 100,
    shouldContinue: () => true,
    memory: new RecordMemory(),
  });
  await pages.next();
  expect(kept.learnt?.freshAt).toBeGreaterThan(0);
});

test.each([100, 160, 250, 1_000, 4_321, 12_345])(
  'a service that returns all %d records again, oldest first, is read to the newest over several polls',
  async (count) => {
    const records = numbered(count);
    const { client } = serviceOf((wanted) => records.slice(0, wanted));
    const { poll, pollAll, told, errors } = poller(client);
    expect(await pollAll(8)).toEqual(records);
    expect(await poll()).toEqual([]);
    records.push(...numbered(60, count));
    expect(await pollAll(2)).toEqual(numbered(60, count));
    expect([new Set(told).size, errors]).toEqual([count === 100 ? 1 : 0, []]);
  },
);

test.each([
  [10, 10],
  [100, 250],
  [100, 10],
])(
  'Pull Size %d and Max Records per Poll %d hide nothing behind old records',
  async (pullSize, maxRecords) => {
    const records = numbered(700);
    const { client } = serviceOf((wanted) => records.slice(0, wanted));
    expect(await poller(client, pullSize, maxRecords).pollAll(9)).toEqual(records);
  },
);

test('more than 10,000 records at a service that does not consume all come', async () => {
  const records = numbered(60_000);
  const { client } = serviceOf((wanted) => records.slice(0, wanted));
  expect(await poller(client, 1_000).pollAll(9)).toHaveLength(60_000);
});

test('a look ends at 100,000 old records, and says so', async () => {
  const records = numbered(100_100);
  const { client, asked } = serviceOf((wanted) => records.slice(0, wanted));
  const { pollAll, told } = poller(client, 20_000);
  expect(await pollAll(6)).toHaveLength(100_000);
  expect(told).toEqual([100_000]);
  expect(Math.max(...asked)).toBe(100_000);
});

test('a service that takes a page out late is never asked for more than Pull Size', async () => {
  const queue = numbered(1_000);
  let late: unknown[] = [];
  const { client, asked } = serviceOf((wanted) => {
    const page = [...late, ...queue].slice(0, wanted);
    // It takes the page before out when it gives the next one.
    late = late.length === 0 ? queue.splice(0, wanted) : [];
    return page;
  });
  expect(await poller(client).pollAll(10)).toEqual(numbered(1_000));
  expect(Math.max(...asked)).toBe(100);
});

test('a service with a limit of its own that does not consume is said to hide records', async () => {
  const { client, asked } = serviceOf((wanted) => numbered(900).slice(0, Math.min(wanted, 100)));
  const { poll, told } = poller(client);
  await poll();
  asked.length = 0;
  await poll();
  expect([asked, told]).toEqual([[100, 100, 200], [100]]);
});

test('the page size is larger than Pull Size only behind old records', async () => {
  const queue = numbered(1_000);
  const { client, asked } = serviceOf((wanted) => queue.splice(0, wanted));
  await poller(client).poll();
  expect(Math.max(...asked)).toBe(100);
});

test('a service that ignores the page size gets two requests when all records are old', async () => {
  const { client, asked } = serviceOf(() => numbered(3_000));
  const { poll } = poller(client);
  await poll();
  asked.length = 0;
  expect(await poll()).toEqual([]);
  expect(asked).toEqual([100, 100]);
});

const LATE = { kind: 'unclear', reason: 'late', isTimeout: true };

test('the page size is halved after a timeout, also for the next poll', async () => {
  const queue = numbered(500);
  const { client, asked } = serviceOf((wanted) => (wanted > 20 ? LATE : queue.splice(0, wanted)));
  const { poll, errors } = poller(client);
  const records: unknown[] = [];
  for (let polls = 0; polls < 60 && records.length < 500; polls++) records.push(...(await poll()));
  expect(records).toEqual(numbered(500));
  // The page size goes down to 13. The first trial of a larger one comes later, because a failed trial loses a page.
  expect(asked.slice(0, 3)).toEqual([100, 50, 25]);
  expect(asked.slice(3, 3 + 20)).toEqual(Array(20).fill(13));
  expect(errors.length).toBeLessThan(6);
});

test('trials of a larger page size become rare when they fail (back-off)', async () => {
  let serial = 0;
  const { client, asked } = serviceOf((wanted) =>
    wanted > 20 ? LATE : numbered(wanted, (serial += wanted)),
  );
  const { poll } = poller(client, 40);
  for (let polls = 0; asked.length < 190; polls++) await poll().catch(() => undefined);
  const trials = asked.flatMap((count, index) => (count > 20 ? [index] : []));
  expect(trials).toEqual([0, 21, 62, 143]);
});

test('the page size grows again when the service is fast again', async () => {
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

// Guess: pull-size
test('the page size is halved for one poll when the service refuses; later polls make one request', async () => {
  const { client, asked } = serviceOf(() => REFUSED);
  const { poll, errors } = poller(client);
  for (let polls = 0; polls < 20; polls++) await poll();
  expect(asked).toEqual([100, 50, 25, 12, 6, ...Array(19).fill(100)]);
  expect(errors).toHaveLength(20);
});

test.each([401, 403, 404, 500])('HTTP %d does not change the page size', async (httpStatus) => {
  const { client, asked } = serviceOf(() => ({ ...REFUSED, httpStatus }));
  await poller(client).poll();
  expect(asked).toEqual([100]);
});

test('a page size that the service refuses is halved, without an error', async () => {
  const queue = numbered(500);
  const { client, asked } = serviceOf((wanted) =>
    wanted > 30 ? REFUSED : queue.splice(0, wanted),
  );
  const { poll, errors } = poller(client);
  expect(await poll()).toEqual(numbered(500));
  expect(asked.slice(0, 4)).toEqual([100, 50, 25, 25]);
  // A larger page size is tried now and then, which costs one request.
  expect(asked.filter((count) => count > 30)).toEqual([100, 50, 50]);
  expect(errors).toEqual([]);
});

test.each([25, 100, 160, 1_000])(
  'a service that returns all its %d records again and refuses page sizes above 100 is read to there',
  async (count) => {
    const { client, asked } = serviceOf((wanted) =>
      wanted > 100 ? REFUSED : numbered(count).slice(0, wanted),
    );
    const { poll, pollAll, told, errors } = poller(client);
    expect(await poll()).toEqual(numbered(Math.min(count, 100)));
    asked.length = 0;
    expect(await pollAll(12)).toEqual([]);
    const isHidden = count >= 100;
    // What was refused is tried again, ever more rarely.
    const trials = asked.filter((size) => size === 200).length;
    expect([trials, asked.length]).toEqual(isHidden ? [4, 28] : [0, 24]);
    expect([told, errors]).toEqual([isHidden ? Array(12).fill(100) : [], []]);
  },
);

test('a look that is late is an error once, and is tried again after a while', async () => {
  let isSlow = true;
  const records = numbered(1_000);
  const { client, asked } = serviceOf(
    (wanted) => (isSlow && wanted > 400 ? LATE : records.slice(0, wanted)),
    500,
  );
  const { pollAll, told, errors } = poller(client);
  expect(await pollAll(5)).toHaveLength(400);
  expect([errors.length, told]).toEqual([1, [400]]);
  isSlow = false;
  expect(await pollAll(30)).toHaveLength(600);
  expect([errors.length, Math.max(...asked)]).toEqual([1, 1_600]);
});

test('new records behind 900 old ones that come again are read in the same poll', async () => {
  const queue = numbered(900);
  const { client } = serviceOf((wanted) => queue.splice(0, Math.min(wanted, 30)));
  const { poll } = poller(client);
  await poll();
  queue.push(...numbered(910));
  expect(await poll()).toEqual(numbered(10, 900));
});
