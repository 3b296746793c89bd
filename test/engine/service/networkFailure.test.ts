import { createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { readNetworkFailure } from '../../../nodes/SmsMessagingService/service/networkFailure';
import { createHarness } from '../../kit/engine';
import { useGateway } from '../../kit/engine/gateway';
import { listen } from '../../kit/engine/listen';
import { CONTINUE, descriptionOf, people, withOptions } from '../../kit/engine/sends';
import { since } from '../../kit/engine/since';
import { SELF_SIGNED } from './selfSigned';

/** Connections that cannot be opened: nothing was sent, so the outcome is rejected, not unknown. */

const { gateway, execute } = useGateway();

test('nothing of an error without a code is shown: it may hold the request', () => {
  const error = { message: 'broken', config: { headers: { 'X-Api-Key': 'key' }, data: '{}' } };
  expect(readNetworkFailure(error, 1000)).toEqual({
    kind: 'unclear',
    reason: 'The connection broke before the answer was complete (no reason given)',
  });
});

test.each(['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'EPROTO'])(
  '%s on an open connection: the request may have arrived',
  (code) => {
    const cause = { code, syscall: 'write', message: `write ${code}` };
    expect(readNetworkFailure({ message: 'failed', cause }, 1000).kind).toBe('unclear');
  },
);

test('of several addresses none could be reached: certainly nothing was sent', () => {
  const errors = ['EHOSTUNREACH', 'ENETUNREACH'].map((code) => ({ code, syscall: 'connect' }));
  const cause = { code: 'EHOSTUNREACH', errors };
  expect(readNetworkFailure({ message: 'failed', cause }, 1000).kind).toBe('unreachable');
});

test('the longest timeout of a timer still waits for the answer', async () => {
  const { json } = await execute(withOptions({ timeout: 2 ** 31 - 1 }), people(1));
  expect(json).toMatchObject([{ status: 'accepted' }]);
});

test('a self-signed certificate: certainly nothing was sent', async () => {
  let requests = 0;
  const server = createTlsServer(SELF_SIGNED, (socket) => {
    requests += 1;
    socket.destroy();
  });
  server.on('tlsClientError', () => undefined);
  const baseUrl = `https://${await listen(server)}`;
  const { execute } = await createHarness({ ...gateway.credential(), baseUrl });
  const { json } = await execute(withOptions({ maxRetries: 0 }), people(1), CONTINUE);
  expect(json).toMatchObject([
    { status: 'rejected', msg: expect.stringContaining('(DEPTH_ZERO_SELF_SIGNED_CERT)') },
  ]);
  expect(requests).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});

test('https on a port that speaks http: certainly nothing was sent, and the error says what is wrong', async () => {
  const baseUrl = gateway.baseUrl.replace('http://', 'https://');
  const dead = await createHarness({ ...gateway.credential(), baseUrl });
  const { error } = await dead.execute(withOptions({ maxRetries: 0 }), people(1));
  const problem =
    'No connection to the service could be opened: the port does not speak https (EPROTO)';
  const advice =
    "If the service has no https, the credential's Base URL must start with http://, with Allow HTTP on; otherwise check its port.";
  expect(error?.message).toBe(problem);
  expect(descriptionOf(error)).toBe(`Nothing was sent. ${advice}`);
  expect(gateway.requests).toHaveLength(0);
  const message = `${problem}. ${advice}`;
  expect(await dead.testCredential()).toEqual({ status: 'Error', message });
});

since('2.34').describe('a TLS handshake that fails', () => {
  let server: Server;
  let sockets: Socket[];

  const serve = async (answer: (socket: Socket) => void) => {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    const baseUrl = `https://${await listen(server)}`;
    return await createHarness({ ...gateway.credential(), baseUrl });
  };

  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  });

  test.each<[string, (socket: Socket) => void]>([
    ['with an alert', (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40]))],
    ['with a reset', (socket) => socket.resetAndDestroy()],
    ['with an end', (socket) => socket.end()],
    ['without an answer', () => undefined],
  ])('%s: certainly nothing was sent', async (_, answer) => {
    const { execute } = await serve(answer);
    // Long enough for a busy machine to open the socket: before that nothing is proved.
    const parameters = withOptions({ maxRetries: 0, timeout: 3_000 });
    const { json } = await execute(parameters, people(1), CONTINUE);
    expect(json).toMatchObject([
      { status: 'rejected', msg: expect.stringContaining('No connection to the service') },
    ]);
    expect(sockets).toHaveLength(1);
  });
});

/** What a request to this port ends with, as n8n shows it: newer versions, the credential test, older ones. */
async function failuresOf(port: number): Promise<unknown[]> {
  const options = { port, host: '127.0.0.1', method: 'POST', rejectUnauthorized: false };
  const request = httpsRequest(options);
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
    request.on('error', resolve);
    request.end('{}');
  });
  const { code, message, syscall } = error;
  const { secureConnecting } = (request.socket ?? {}) as { secureConnecting?: boolean };
  return [
    { code, message, request: { socket: { secureConnecting } }, cause: error },
    { code, message, cause: { code, syscall } },
    { httpCode: code, message },
  ];
}

test('plain text behind a handshake: the request may have arrived', async () => {
  const connections: Socket[] = [];
  let requests = 0;
  // Below the encryption, as a broken proxy answers.
  const server = createHttpsServer(SELF_SIGNED, () => {
    requests += 1;
    connections.at(-1)?.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  server.on('connection', (socket: Socket) => connections.push(socket));
  const [, port] = (await listen(server)).split(':');
  for (const failure of await failuresOf(Number(port))) {
    expect(readNetworkFailure(failure, 1000)).toMatchObject({ kind: 'unclear' });
  }
  expect(requests).toBe(1);
  await new Promise((resolve) => server.close(resolve));
});

/** n8n's requests go through the proxy of the environment (docs/run/operate.md). */
describe('a proxy', () => {
  const outcomeThrough = async (proxy: string) => {
    process.env.HTTPS_PROXY = `http://${proxy}`;
    const baseUrl = 'https://sms.example.test';
    const { execute } = await createHarness({ ...gateway.credential(), baseUrl });
    const { json } = await execute(withOptions({ maxRetries: 0 }), people(1), CONTINUE);
    return json;
  };

  afterEach(() => {
    delete process.env.HTTPS_PROXY;
  });

  test('that is down: certainly nothing was sent', async () => {
    expect(await outcomeThrough('127.0.0.1:9')).toMatchObject([{ status: 'rejected' }]);
  });

  test.each([
    ['answers 502', 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'],
    ['hangs up', ''],
  ])('that %s: the message may have been sent', async (_, answer) => {
    const asked: string[] = [];
    const proxy = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        asked.push(data.toString());
        socket.end(answer);
      });
    });
    expect(await outcomeThrough(await listen(proxy))).toMatchObject([{ status: 'unknown' }]);
    expect(asked).toEqual([expect.stringContaining('sms.example.test')]);
    await new Promise((resolve) => proxy.close(resolve));
  });
});
