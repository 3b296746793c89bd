import type { NodeApiError } from 'n8n-workflow';
import { setForward } from '../../kit/engine/pauses';
import { numbered, REPORTS_ONLY } from '../../kit/engine/pulls';
import { coded, json, useScriptedService } from '../../kit/engine/scriptedService';

/** Which pages a poll of the trigger asks for, from services that are hard to drain. */

const { useN8n, reply, answers, requests } = useScriptedService();
const { createPoller } = useN8n();

/** @param pull gives the records for a request of this page size */
const serve = (pull: (count: number) => object[]) =>
  reply(({ count }) => json({ code: 0, data: pull(Number(count)) }));

/** The page sizes that the service was asked for. */
const asked = () => requests.map(({ count }) => count);

/** An account has one trigger, so each test closes its own. */
let close: () => Promise<void>;

afterEach(async () => await close());

/** The polls of one trigger, a minute apart. Each returns its new records. */
function pollerOf(settings = {}) {
  const parameters = { ...REPORTS_ONLY, options: settings };
  const poller = createPoller(parameters, { isEachMinute: true });
  close = poller.deactivate;
  const poll = async () => {
    poller.executions.length = 0;
    await poller.tick();
    return poller.executions.flat().map(({ batch_id: id }) => id);
  };
  return { poller, poll };
}

test('new records behind 900 old ones that come again are read in the same poll', async () => {
  const queue = numbered(900);
  serve((count) => queue.splice(0, count));
  const { poller, poll } = pollerOf();
  await poll();
  queue.push(...numbered(1_000));
  expect(await poll()).toEqual(numbered(100, 900).map(({ batch_id: id }) => id));
  expect(poller.errors).toEqual([]);
});

test('a page that repeats the one before is the end, and nothing is said while new records came', async () => {
  const late = numbered(150);
  let given = 0;
  // It takes a page out of the queue later than it gives it.
  serve((count) => late.slice(given, given + count));
  const { poller, poll } = pollerOf();
  expect(await poll()).toHaveLength(100);
  given = 100;
  expect(await poll()).toHaveLength(50);
  expect([asked(), poller.errors]).toEqual([[100, 100, 100, 100], []]);
});

test('a record that comes again with its fields in another order is an old one', async () => {
  serve(() =>
    requests.length < 2
      ? [{ batch_id: 'b-1', time: 1, user_data: { order: 1, shop: 2 } }]
      : [{ time: 1, batch_id: 'b-1', user_data: { shop: 2, order: 1 } }],
  );
  const { poll } = pollerOf();
  expect(await poll()).toEqual(['b-1']);
  expect(await poll()).toEqual([]);
});

describe('a service that never takes records out', () => {
  test('and gives its pages by turns does not hold a poll up', async () => {
    serve((count) => numbered(count, requests.length % 2 === 0 ? 0 : count));
    const { poller, poll } = pollerOf();
    expect(await poll()).toHaveLength(200);
    requests.length = 0;
    expect(await poll()).toEqual([]);
    expect(asked()).toHaveLength(3);
    for (let each = 0; each < 10; each++) await poll();
    expect(poller.errors[0]?.message).toBe('The service gave the same 100 delivery reports again');
  });

  // Guess: queue
  test('gets two requests in a poll, and says nothing while Pull Size shows all', async () => {
    const queue = numbered(99);
    serve((count) => queue.slice(0, count));
    const { poller, poll } = pollerOf();
    for (let each = 0; each < 4; each++) await poll();
    expect(asked()).toEqual(Array(8).fill(100));
    queue.push(...numbered(1, 99));
    expect(await poll()).toEqual(['b-99']);
    expect(poller.errors).toEqual([]);
  });

  test.each([
    ['Pull Size', { pullSize: 100 }, 100],
    ['Max Records per Poll', { maxRecordsPerPoll: 20 }, 20],
  ])(
    'and has more than one page is an error once a day, after ten polls, that names %s',
    async (name, set, size) => {
      serve((count) => numbered(400).slice(0, count));
      const { poller, poll } = pollerOf(set);
      expect(await poll()).toHaveLength(size);
      for (let polls = 2; polls <= 10; polls++) {
        expect(poller.errors).toEqual([]);
        await poll();
      }
      for (let minute = 0; minute < 70; minute++) await poll();
      expect(poller.errors).toHaveLength(1);
      setForward(24 * 3_600_000);
      await poll();
      expect(poller.errors).toHaveLength(2);
      const [error] = poller.errors as NodeApiError[];
      expect(error?.message).toBe(`The service gave the same ${size} delivery reports again`);
      expect(error?.description).toContain(`increase '${name}'`);
      expect(new Set(asked())).toEqual(new Set([size]));
    },
  );

  test.each([
    ['its largest page, a multiple of ten', 20, 1],
    ['a short one, as late acknowledgements do', 7, 0],
    ['one that was larger before', 20, 0, 30],
  ])('and gives %s again behind new records', async (_, size, errors, earlier = 0) => {
    const queue = numbered(earlier);
    serve(() => queue.splice(0, earlier));
    const { poller, poll } = pollerOf();
    await poll();
    serve(() => (queue.length > 0 ? queue.splice(0) : numbered(size, 1_000)));
    for (let polls = 0; polls < 12; polls++) {
      queue.push(...numbered(1, 2_000 + polls));
      await poll();
    }
    expect(poller.errors).toHaveLength(errors);
  });
});

// Guess: pull-size
test('a page size that is refused is asked for once in each poll, and the error names Pull Size', async () => {
  answers(coded(7));
  const { poller, poll } = pollerOf();
  for (let each = 0; each < 3; each++) await poll();
  expect(asked()).toEqual([100, 100, 100]);
  expect(poller.errors).toHaveLength(3);
  const advice = "If fewer delivery reports come at a time, lower 'Pull Size'.";
  expect((poller.errors[1] as NodeApiError).description).toContain(advice);
});
