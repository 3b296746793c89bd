import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { MAX_TIMEOUT_MS } from '../../../nodes/SmsMessagingService/service/client';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { useGateway } from '../harness/gateway';
import { listen } from '../harness/listen';
import { until, withTimeLimits } from '../harness/pauses';
import { CONTINUE, inPairs, people, withOptions } from '../harness/sends';

/** How a request is made: the credential that signs it, and what ends it. */

const harness = useGateway();
const { gateway } = harness;

test('the credential is read once for a run, so a database that is gone then costs nobody a message', async () => {
  const { credentialsHelper } = harness.additionalData();
  const helper = Object.getPrototypeOf(credentialsHelper) as typeof credentialsHelper;
  const real = helper.getDecrypted;
  const itemsOfReads: unknown[] = [];
  jest.spyOn(helper, 'getDecrypted').mockImplementation(async function (
    this: typeof helper,
    ...args
  ) {
    // The first read is before the first request.
    if (itemsOfReads.push(args[6]?.itemIndex) > 1)
      throw new Error('SQLITE_BUSY: database is locked');
    return await real.apply(this, args);
  });
  const statuses = async () => {
    const { json } = await harness.execute(inPairs({ batchSize: 1 }), people(2), CONTINUE);
    return json.map(({ status }) => status);
  };
  expect(await statuses()).toEqual(['accepted', 'accepted']);
  expect(itemsOfReads).toEqual([0]);
  // Before the first request, nothing was sent for certain.
  expect(await statuses()).toEqual(['rejected', 'rejected']);
  expect(gateway.requests).toHaveLength(2);
  jest.restoreAllMocks();
});

describe('a body that drips', () => {
  let server: Server;
  let baseUrl: string;
  let answers: ServerResponse[];
  const closed = async () => await until(() => answers.every(({ destroyed }) => destroyed));

  beforeEach(async () => {
    answers = [];
    server = createServer((request, response) => {
      request.resume();
      answers.push(response);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    });
    baseUrl = `http://${await listen(server)}`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const dripping = async () => await createHarness({ ...gateway.credential(), baseUrl });

  test('a send: the time limit ends the connection too', async () => {
    const { execute } = await dripping();
    const { json } = await execute(withOptions({ timeout: 300 }), people(1), CONTINUE);
    expect(json).toMatchObject([
      { status: 'unknown', msg: 'The service did not answer within 300 ms' },
    ]);
    expect(answers).toHaveLength(1);
    await closed();
  });

  test('Stop ends the connection at once', async () => {
    const { execute } = await dripping();
    await execute(withOptions({ timeout: MAX_TIMEOUT_MS }), people(1), {
      ...CONTINUE,
      onStart: (cancel) => void until(() => answers.length > 0).then(cancel),
    });
    expect(answers).toHaveLength(1);
    await closed();
  });

  const EDITOR_AND_TRIGGER: [string, (world: Harness) => Promise<unknown>][] = [
    ['a list of the editor', async (world) => await world.search('searchTemplates')],
    [
      'a poll',
      async (world) => await world.testTrigger({ events: ['reply'], testData: 'live' } as never),
    ],
  ];

  test.each(EDITOR_AND_TRIGGER)('%s: the time limit ends the connection too', async (_, ask) => {
    const world = await dripping();
    await withTimeLimits(async (end) => {
      void until(() => answers.length > 0).then(end);
      await expect(ask(world)).rejects.toThrow(/did not answer/);
    });
    expect(answers).toHaveLength(1);
    await closed();
  });
});
