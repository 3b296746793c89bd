import { useGatewayPerTest } from '../harness/gateway';
import { expectOutputSchema } from '../harness/outputSchema';
import { REPORTS } from '../harness/pulls';

/** The trigger node in the editor: test data and settings. */

const { gateway, createPoller, testTrigger } = useGatewayPerTest();

describe('"Fetch Test Event" in the editor', () => {
  test('shows sample data by default, and pulls nothing', async () => {
    gateway.queueReplies(3);
    const items = await testTrigger({});
    expectOutputSchema('trigger', items);
    expect(items.map(({ event }) => event)).toEqual(['deliveryReport', 'deliveryReport', 'reply']);
    expect(gateway.requests).toHaveLength(0);
    const poller = createPoller({});
    await poller.tick();
    const [reply] = poller.executions.flat();
    expect(Object.keys(items[2] ?? {}).sort()).toEqual(Object.keys(reply ?? {}).sort());
  });

  test('shows the live data of one event when the other fails', async () => {
    gateway.queueReplies(3);
    gateway.fault({ kind: 'status', status: 500, path: REPORTS });
    expect(await testTrigger({ testData: 'live' })).toHaveLength(3);
    gateway.fault({ kind: 'status', status: 500, path: REPORTS });
    await expect(testTrigger({ testData: 'live' })).rejects.toThrow(
      /HTTP 500.*while pulling delivery reports/,
    );
  });

  test('pulls one page with Test Data set to live', async () => {
    gateway.queueReports(30);
    const items = await testTrigger({
      testData: 'live',
      events: ['deliveryReport'],
      options: { pullSize: 10 },
    });
    expect(items).toHaveLength(10);
    expect(gateway.requests).toHaveLength(1);
  });
});

test.each([0, 2.5, 'x'])('Pull Size %p is an error before any request', async (pullSize) => {
  const poller = createPoller({ options: { pullSize } });
  await poller.tick();
  expect(poller.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("'Pull Size' must be a whole number"),
  ]);
  expect(gateway.requests).toHaveLength(0);
});

test.each([['reply'], '={{ "reply" }}', '={{ ["reply", "reply"] }}'])(
  'Trigger On may be %p',
  async (events) => {
    gateway.queueReports(1);
    gateway.queueReplies(1);
    const poller = createPoller({ events });
    await poller.tick();
    expect(poller.executions.flat()).toMatchObject([{ event: 'reply' }]);
  },
);

test.each([
  [[], "'Trigger On' is empty"],
  [['receipt'], '\'Trigger On\' does not know the text "receipt"'],
])('Trigger On %p is an error before any request', async (events, message) => {
  const poller = createPoller({ events });
  await poller.tick();
  expect(poller.errors.map((error) => error.message)).toEqual([message]);
  expect(gateway.requests).toHaveLength(0);
});
