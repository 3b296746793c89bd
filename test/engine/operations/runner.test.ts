import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { IDataObject } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import { SELF_SIGNED } from '../service/selfSigned';
import { people, TEMPLATE } from '../harness/sends';
import { since } from '../harness/since';

/** What fails before any request: nothing that was not sent leaves on the success branch. */

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterEach(() => {
  expect(gateway.requests).toHaveLength(0);
  gateway.reset();
});

afterAll(() => gateway.close());

const PULL = { resource: 'reply', operation: 'pull', count: 10 };
const LIST = { resource: 'template', operation: 'getAll', returnAll: true };
const BALANCE = { resource: 'balance', operation: 'get' };

const withOptions = (options: object) => ({ ...TEMPLATE, options });

const CASES: [string, IDataObject, object, RegExp][] = [
  ['a credential without secret', { apiSecret: '' }, TEMPLATE, /no API Secret/],
  ['plain http', { baseUrl: 'http://sms.example.com' }, TEMPLATE, /plain http/],
  [
    'a timeout that is missing',
    {},
    withOptions({ timeout: '={{ $json.none }}' }),
    /'Timeout' is empty/,
  ],
  [
    'a timeout that no timer can run',
    {},
    withOptions({ timeout: 2 ** 31 }),
    /'Timeout' must be a whole number from 1 to 2147483647, not the number 2147483648/,
  ],
  ['a timeout of months', {}, withOptions({ timeout: 9_999_999_999 }), /'Timeout' must be/],
  ['a batch size of 0', {}, withOptions({ batchSize: 0 }), /'Batch Size' must be/],
  ['a credential without secret, of a pull', { apiSecret: '' }, PULL, /no API Secret/],
  ['a credential without secret, of a list', { apiSecret: '' }, LIST, /no API Secret/],
  ['plain http, of the balance', { baseUrl: 'http://sms.example.com' }, BALANCE, /plain http/],
  ['an operation that does not exist', {}, { resource: 'message', operation: 'x' }, /no operation/],
];

describe.each(CASES)('%s', (_, change, parameters, text) => {
  const run = async (onError?: 'continueRegularOutput' | 'continueErrorOutput') => {
    const { execute } = await createHarness({ ...gateway.credential(), ...change } as never);
    return await execute(parameters as never, people(3), { node: onError ? { onError } : {} });
  };

  test('stops the run', async () => {
    expect((await run()).error?.message).toMatch(text);
  });

  test('is on every item, with "Continue"', async () => {
    const { json, error, output } = await run('continueRegularOutput');
    expect(error).toBeUndefined();
    expect(json).toHaveLength(3);
    for (const item of json) expect(item.error).toMatch(text);
    expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 1, 2].map((item) => ({ item })),
    );
  });

  test('puts every item on the error branch, with "Continue (using error output)"', async () => {
    const { output, error } = await run('continueErrorOutput');
    expect(error).toBeUndefined();
    expect(output?.[0]).toEqual([]);
    expect(output?.[1]).toHaveLength(3);
    for (const { json } of output?.[1] ?? []) expect(json.error).toMatch(text);
  });
});

test('the outcome of each message is that it was not sent', async () => {
  const { execute } = await createHarness({ ...gateway.credential(), apiSecret: '' } as never);
  const items = [...people(1), { phone: 'x', code: '1' }];
  const { json } = await execute(TEMPLATE, items, { node: { onError: 'continueRegularOutput' } });
  expect(json).toMatchObject([
    { status: 'rejected', msg: 'The credential has no API Secret', phone_numbers: ['13810000000'] },
    { status: 'rejected', phone_numbers: ['x'] },
  ]);
});

test('the longest timeout that a timer can run waits for the answer', async () => {
  const { execute } = await createHarness(gateway.credential() as never);
  const { json } = await execute(withOptions({ timeout: 2 ** 31 - 1 }) as never, people(1));
  expect(json).toMatchObject([{ status: 'accepted' }]);
  gateway.reset();
});

test('a certificate that nobody knows: provably nothing was sent', async () => {
  let requests = 0;
  const server = createTlsServer(SELF_SIGNED, (socket) => {
    requests += 1;
    socket.destroy();
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { execute } = await createHarness({ ...gateway.credential(), baseUrl } as never);
  const { json } = await execute(withOptions({ maxRetries: 0 }) as never, people(1), {
    node: { onError: 'continueRegularOutput' },
  });
  expect(json).toMatchObject([
    { status: 'rejected', msg: expect.stringContaining('(DEPTH_ZERO_SELF_SIGNED_CERT)') },
  ]);
  expect(requests).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});

since('2.34').describe('a TLS handshake that fails', () => {
  let server: Server;
  let connections = 0;

  const listen = async (answer: (socket: Socket) => void) => {
    connections = 0;
    server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await createHarness({ ...gateway.credential(), baseUrl } as never);
  };

  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  test.each<[string, (socket: Socket) => void]>([
    ['with a port that speaks http', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['with an alert', (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40]))],
    ['with a reset', (socket) => socket.resetAndDestroy()],
    ['with an end', (socket) => socket.end()],
    ['without an answer', (socket) => setTimeout(() => socket.destroy(), 2_000)],
  ])('%s: provably nothing was sent', async (_, answer) => {
    const { execute } = await listen(answer);
    const parameters = withOptions({ maxRetries: 0, timeout: 500 });
    const { json } = await execute(parameters as never, people(1), {
      node: { onError: 'continueRegularOutput' },
    });
    expect(json).toMatchObject([
      { status: 'rejected', msg: expect.stringContaining('No connection to the service') },
    ]);
    expect(connections).toBe(1);
  });
});
