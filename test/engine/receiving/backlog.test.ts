import { deliveryReport } from '../../sandbox/records';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { setForward } from '../../kit/engine/pauses';
import { REPORTS_ONLY } from '../../kit/engine/pulls';

/** A trigger that never catches up with the service says so; one that has much to do does not. */

const { gateway, poll } = useGatewayPerTest();

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let clock = 0;

beforeEach(() => {
  const start = Date.now();
  clock = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => start + clock);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const pass = (seconds: number) => {
  clock += seconds * 1000;
  setForward(seconds * 1000);
};

/** Ten records for each of these ages in seconds. The oldest come first. */
function queue(...ages: number[]): void {
  const now = Math.floor(Date.now() / 1000);
  const reports = ages.flatMap((age, part) =>
    Array.from({ length: 10 }, (_, index) =>
      deliveryReport({ batch_id: `b-${clock}-${part}-${index}`, time: now - age }),
    ),
  );
  gateway.queueReports(reports);
}

/** Polls ten records at a time, with a pause between. Returns what was told after each poll. */
async function pollTimes(times: number, everySeconds: number, between?: () => void) {
  const options = { pullSize: 10, maxRecordsPerPoll: 10 };
  const poller = await poll({ ...REPORTS_ONLY, options });
  const told = [poller.errors.length];
  for (let left = times - 1; left > 0; left--) {
    pass(everySeconds);
    between?.();
    await poller.tick();
    told.push(poller.errors.length);
  }
  await poller.deactivate();
  return { told, errors: poller.errors };
}

/** So many times the same. */
const each = (count: number, age: number) => Array.from({ length: count }, () => age);

test('three polls that get no younger records are an error', async () => {
  queue(...each(7, 2 * HOUR));
  const { told, errors } = await pollTimes(7, 10 * MINUTE);
  expect(told).toEqual([0, 0, 1, 1, 1, 1, 1]);
  const [{ message, description } = {}] = errors as { message?: string; description?: string }[];
  expect(message).toContain('over an hour old or say no time, and more are waiting');
  expect(description).toContain("increase 'Max Records per Poll'");
  expect(description).toContain('poll more often');
});

test('it is told again after an hour', async () => {
  queue(...each(6, 2 * DAY));
  expect((await pollTimes(6, DAY)).told).toEqual([0, 0, 1, 2, 3, 4]);
});

test('as many as are pulled come in the meantime', async () => {
  queue(2 * HOUR, 1 * HOUR, 0);
  const { told } = await pollTimes(4, HOUR, () => queue(0));
  expect(told).toEqual([0, 0, 1, 2]);
});

test.each<[string, number[], number]>([
  [
    'a large campaign that drains',
    [180, 170, 160, 150, 140, 130, 120, 110].map((m) => m * MINUTE),
    6,
  ],
  ['records of the last hour', each(8, 50 * MINUTE), 6],
  ['a queue that is empty at the third poll', each(2, 2 * HOUR), 4],
])('%s is none', async (_, ages, polls) => {
  queue(...ages);
  const { told } = await pollTimes(polls, MINUTE);
  expect(told.at(-1)).toBe(0);
});

test('so are records without a time that can be read', async () => {
  const withoutTime = (_: unknown, index: number) =>
    deliveryReport({ batch_id: `b-${index}`, time: 1 });
  gateway.queueReports(Array.from({ length: 80 }, withoutTime));
  expect((await pollTimes(4, MINUTE)).told).toEqual([0, 0, 1, 1]);
});

test.each([-1, 1])('so is a steady lag whose age changes by %d s at each poll', async (step) => {
  queue(2 * HOUR, 2 * HOUR);
  let polls = 0;
  const { told } = await pollTimes(5, MINUTE, () => queue(2 * HOUR + (++polls % 2) * step));
  expect(told).toEqual([0, 0, 1, 1, 1]);
});

test('a poll that is emptied begins the count again', async () => {
  queue(...each(3, 2 * HOUR));
  let polls = 0;
  // Empty at the fourth poll.
  const { told } = await pollTimes(7, MINUTE, () => {
    if (++polls === 4) queue(...each(4, 2 * HOUR));
  });
  expect(told).toEqual([0, 0, 1, 1, 1, 1, 1]);
});
