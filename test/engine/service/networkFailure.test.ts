import { createServer as createHttpsServer, request as httpsRequest } from 'node:https';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { readNetworkFailure } from '../../../nodes/SmsMessagingService/service/networkFailure';
import { listen } from '../harness/listen';
import { SELF_SIGNED } from './selfSigned';

/** Plain text where TLS was expected: before the request, or after it, when messages may have been sent. */

const PLAIN = 'HTTP/1.1 400 Bad Request\r\n\r\n';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

const open = async (server: Server): Promise<number> => {
  servers.push(server);
  await listen(server);
  return (server.address() as AddressInfo).port;
};

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
    { messages: [message] },
  ];
}

test('instead of a handshake: certainly nothing was sent', async () => {
  const port = await open(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(PLAIN));
    }),
  );
  for (const failure of await failuresOf(port)) {
    expect(readNetworkFailure(failure, 1000)).toEqual({
      kind: 'unreachable',
      reason:
        'No connection to the service could be opened: the port does not speak https (EPROTO)',
      needs: 'http',
    });
  }
});

test('behind a handshake: the request may have arrived', async () => {
  let requests = 0;
  const service = createHttpsServer(SELF_SIGNED, (request, response) => {
    requests += 1;
    request.resume();
    response.end('{}');
  });
  const upstreamPort = await open(service);
  // Passes the handshake on, and answers to the request as a broken proxy does.
  const port = await open(
    createServer((socket) => {
      let chunks = 0;
      const upstream = connect(upstreamPort, '127.0.0.1');
      for (const end of [socket, upstream]) end.on('error', () => undefined);
      socket.on('data', (chunk) => {
        chunks += 1;
        upstream.write(chunk);
      });
      upstream.on('data', (chunk) => {
        if (chunks === 1) socket.write(chunk);
        else socket.end(PLAIN);
      });
      socket.on('close', () => upstream.destroy());
    }),
  );
  for (const failure of await failuresOf(port)) {
    expect(readNetworkFailure(failure, 1000)).toMatchObject({ kind: 'unclear' });
  }
  expect(requests).toBe(1);
});
