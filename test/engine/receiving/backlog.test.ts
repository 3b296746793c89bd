import type { NodeOperationError } from 'n8n-workflow';
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

/** Ten records for each of these ages in seconds. The oldest come first. */
function queue(...ages: number[]): void {
  const now = Math.floor(Date.now() / 1000);
  const reports = ages.flatMap((age, part) =>
    Array.from({ length: 10 }, (_, index) =>
      deliveryReport({ batch_id: `b-${clock}-${part}-${index}`, time: now - age || 1 }),
    ),
  );
  gateway.queueReports(reports);
}

/** So many times the same. */
const each = (count: number, age: number) => Array.from({ length: count }, () => age);

const OLD = 2 * HOUR;
const CAMPAIGN = [180, 170, 160, 150, 140, 130, 120, 110].map((age) => age * MINUTE);

const again = (poll: number) => (poll === 4 ? each(4, OLD) : []);

/** Ages, seconds between the polls, how many errors there are after each, and the ages that come before a later poll. */
type Story = [ages: number[], every: number, told: number[], come?: (poll: number) => number[]];

test.each<[what: string, ...Story]>([
  ['three polls that get no younger records', each(7, OLD), 10 * MINUTE, [0, 0, 1, 1, 1, 1, 1]],
  ['the same after an hour again', each(6, 2 * DAY), DAY, [0, 0, 1, 2, 3, 4]],
  ['as many as are pulled meanwhile', [OLD, HOUR, 0], HOUR, [0, 0, 1, 2], () => [0]],
  ['no time', each(8, NaN), MINUTE, [0, 0, 1, 1]],
  ['a lag that grows and shrinks', [OLD, OLD], MINUTE, [0, 0, 1, 1, 1], (n) => [OLD + (n % 2)]],
  ['one that shrinks and grows', [OLD, OLD], MINUTE, [0, 0, 1, 1, 1], (n) => [OLD - (n % 2)]],
  ['an empty poll, and then all of it again', each(3, OLD), MINUTE, [0, 0, 1, 1, 1, 1, 1], again],
  ['a large campaign that drains', CAMPAIGN, MINUTE, each(6, 0)],
  ['records of the last hour', each(8, 50 * MINUTE), MINUTE, each(6, 0)],
  ['a queue that is empty at the third poll', each(2, OLD), MINUTE, each(4, 0)],
])('%s', async (_, ages, every, expected, come = () => []) => {
  queue(...ages);
  const options = { pullSize: 10, maxRecordsPerPoll: 10 };
  const poller = await poll({ ...REPORTS_ONLY, options });
  const told = [poller.errors.length];
  while (told.length < expected.length) {
    clock += every * 1000;
    setForward(every * 1000);
    queue(...come(told.length));
    await poller.tick();
    told.push(poller.errors.length);
  }
  await poller.deactivate();
  expect(told).toEqual(expected);
  for (const { message, description } of poller.errors as NodeOperationError[]) {
    expect(message).toContain('over an hour old or say no time, and more are waiting');
    expect(description).toMatch(/poll more often, increase 'Max Records per Poll'/);
  }
});
