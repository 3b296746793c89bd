import { createServer } from 'node:net';
import { createHarness } from '../../kit/engine';
import { useGateway } from '../../kit/engine/gateway';
import { listen } from '../../kit/engine/listen';
import { CONTINUE, people, withOptions } from '../../kit/engine/sends';

/** n8n's requests go through the proxy of the environment (docs/run/operate.md). */

const { gateway } = useGateway();

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

test('a proxy that is down: certainly nothing was sent', async () => {
  expect(await outcomeThrough('127.0.0.1:9')).toMatchObject([{ status: 'rejected' }]);
});

test.each([
  ['answers 502', 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'],
  ['hangs up', ''],
])('a proxy that %s: the message may have been sent', async (_, answer) => {
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
