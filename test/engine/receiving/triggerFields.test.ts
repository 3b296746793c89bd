import type { INodeParameters } from 'n8n-workflow';
import { useGatewayPerTest } from '../../kit/engine/gateway';
import { numbered, REPORTS_ONLY } from '../../kit/engine/pulls';

/** The settings of the trigger. */

const { gateway, poll } = useGatewayPerTest();

test('no record is lost when the service returns more than Pull Size', async () => {
  gateway.fault({ kind: 'wrongShape', body: { code: 0, msg: '', data: numbered(25) } });
  const poller = await poll({ ...REPORTS_ONLY, options: { pullSize: 10 } });
  expect(poller.executions.map((items) => items.length)).toEqual([10, 10, 5]);
});

// Guess: short-page
test('an empty queue costs one request; any other costs one more than it has pages', async () => {
  const poller = await poll({ ...REPORTS_ONLY, options: { pullSize: 10 } });
  expect([gateway.requests.length, poller.executions]).toEqual([1, []]);
  gateway.queueReports(3);
  await poller.tick();
  expect(gateway.requests).toHaveLength(3);
  gateway.queueReports(13);
  await poller.tick();
  expect(gateway.requests).toHaveLength(6);
});

// Guess: pull-rate, push
test('Max Records per Poll and Items per Execution are kept', async () => {
  gateway.queueReports(100);
  const options = { pullSize: 20, maxRecordsPerPoll: 50, itemsPerExecution: 15 };
  const poller = await poll({ ...REPORTS_ONLY, options });
  expect(poller.executions.map((items) => items.length)).toEqual([15, 5, 15, 5, 10]);
  await poller.tick();
  expect(poller.executions.flat()).toHaveLength(100);
});

// Guess: pull-rate
test('reports and replies are pulled side by side', async () => {
  gateway.fault({ kind: 'slow', delayMs: 100, times: Infinity });
  await poll({});
  expect(gateway.maxInFlight).toBe(2);
});

test.each([['reply'], '={{ "reply" }}', '={{ ["reply", "reply"] }}'])(
  'Trigger On may be %p',
  async (events) => {
    gateway.queueReports(1);
    gateway.queueReplies(1);
    const poller = await poll({ events });
    expect(poller.executions.flat()).toMatchObject([{ event: 'reply' }]);
  },
);

test.each<[INodeParameters, string]>([
  [{ events: [] }, "'Trigger On' is empty. Choose at least one event to start the workflow with"],
  [
    { events: ['receipt'] },
    '\'Trigger On\' must be "deliveryReport" or "reply", not the text "receipt". Set',
  ],
  [
    { options: { pullSize: '={{ 10 + }}' } },
    "'Pull Size' cannot be evaluated: invalid syntax: {{ 10 + }}. ",
  ],
  [
    { options: { timeout: "={{ $('X').first().json.t }}" } },
    "'Timeout' cannot be evaluated: Referenced node doesn't exist: {{ $('X').first().json.t }}. ",
  ],
  // Versions of n8n say this in different words.
  [
    { options: { maxRecordsPerPoll: '={{ $json.a.b }}' } },
    "'Max Records per Poll' cannot be evaluated: ",
  ],
  [{ events: '={{ $vars.e }}' }, "'Trigger On' is empty: {{ $vars.e }}. "],
  [
    { options: { repeatFailed: '={{ $vars.x }}' } },
    "'Repeat Failed Executions' is empty: {{ $vars.x }}. ",
  ],
  ...[0, 2.5, 'x'].map((pullSize): [INodeParameters, string] => [
    { options: { pullSize } },
    "'Pull Size' must be a whole number",
  ]),
])('%j is an error before any request', async (parameters, message) => {
  const poller = await poll(parameters);
  expect(poller.errors.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
  expect(gateway.requests).toHaveLength(0);
});
