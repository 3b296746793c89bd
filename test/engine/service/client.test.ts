import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { MAX_TIMEOUT_MS } from '../../../nodes/SmsMessagingService/service/client';
import { createHarness } from '../harness';
import type { Harness } from '../harness';
import { useGateway } from '../harness/gateway';
import { listen } from '../harness/listen';
import { until, withTimeLimits } from '../harness/pauses';
import { CONTINUE, inPairs, people, withOptions } from '../harness/sends';

/** How a request is made: the credential that signs it, and what ends it. */

const BALANCE = { resource: 'balance', operation: 'get' };

const harness = useGateway();
const { gateway } = harness;

type Data = ICredentialDataDecryptedObject;

/**
 * Reads the credential instead of n8n's database, and counts the reads.
 *
 * @param read gets which read it is, from 0 on, the item, and the data of the credential
 */
function onRead(read: (index: number, item: number, data: Data) => Data) {
  const { credentialsHelper } = harness.additionalData();
  const helper = Object.getPrototypeOf(credentialsHelper) as typeof credentialsHelper;
  const real = helper.getDecrypted;
  let reads = 0;
  return jest.spyOn(helper, 'getDecrypted').mockImplementation(async function (
    this: typeof helper,
    ...args
  ) {
    const data = await real.apply(this, args);
    return read(reads++, args[6]?.itemIndex ?? 0, data);
  });
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the credential is read once for a run', () => {
  test('a database that is gone in the middle costs nobody a message', async () => {
    onRead((index, _, data) => {
      // The first read is before the first request.
      if (index > 0) throw new Error('SQLITE_BUSY: database is locked');
      return data;
    });
    const { json } = await harness.execute(inPairs({ batchSize: 1 }), people(2), CONTINUE);
    expect(json.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    // Before the first request, nothing was sent for certain.
    const later = await harness.execute(inPairs(), people(2), CONTINUE);
    expect(later.json.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(gateway.requests).toHaveLength(2);
  });

  test('a Base URL that is edited in the middle holds from the next run on', async () => {
    onRead((index, _, data) => (index > 0 ? { ...data, baseUrl: 'https://other.invalid' } : data));
    const { json } = await harness.execute(inPairs({ batchSize: 1 }), people(1), CONTINUE);
    expect(json).toMatchObject([{ status: 'accepted' }]);
  });

  test('a key that is exchanged in the middle is not in the output', async () => {
    const apiKey = 'the-new-key-4711';
    onRead((index, _, data) => (index > 0 ? { ...data, apiKey } : data));
    const fault = { kind: 'status' as const, status: 200, body: {} as unknown };
    gateway.fault({
      ...fault,
      match: ({ headers }) => {
        fault.body = { code: 7, msg: `no account ${headers['x-api-key']}` };
        return true;
      },
      get body() {
        return fault.body;
      },
    });
    const { run, error } = await harness.execute(BALANCE);
    expect(error?.message).toContain('no account [hidden]');
    expect(JSON.stringify(run)).not.toContain(apiKey);
  });

  test('for the first item, however many there are', async () => {
    const items: number[] = [];
    onRead((_, item, data) => {
      items.push(item);
      return item === 0 ? data : { ...data, apiKey: 'key-of-another-account' };
    });
    const { json } = await harness.execute(withOptions({}), people(1000), CONTINUE);
    expect(json.filter(({ status }) => status === 'accepted')).toHaveLength(1000);
    expect(items).toEqual([0]);
  });
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

describe('the words of the service are cut to what a person reads', () => {
  const parameters: [string, INodeParameters][] = [
    ['a send', withOptions({})],
    ['the balance', BALANCE],
  ];

  test.each(parameters)('%s', async (_, operation) => {
    const long = '很长的消息🔑'.repeat(5_000);
    const body = { code: `c${long}`, msg: long, request_id: `r${long}` };
    for (const node of [{}, CONTINUE.node]) {
      gateway.fault({ kind: 'status', status: 200, body });
      const { run, json, error } = await harness.execute(operation, people(1), { node });
      const size = JSON.stringify(run).length;
      expect(size).toBeLessThan(60_000);
      const shown = JSON.stringify([json, error?.message]);
      expect(shown).toContain('…');
      expect(shown).not.toContain('\ufffd');
      // Never half of a character.
      expect(shown).not.toMatch(/\\ud83d(?!\\udd11)/);
    }
  });
});
