import { once } from 'node:events';
import { createServer } from 'node:net';
import { startGateway } from './gateway';
import { call, templateSend } from './rawClient';
import { startForTest } from './startForTest';

describe('the sandbox gateway', () => {
  it('records each request with its raw body, headers, status and answer', async () => {
    const gateway = await startForTest();
    await call(gateway, '/sendsms/mo/pull', {}, { rawBody: '{"count": 2}' });
    expect(gateway.requests).toEqual([
      {
        method: 'POST',
        path: '/sendsms/mo/pull',
        headers: expect.objectContaining({ 'x-api-key': gateway.apiKey }) as unknown,
        rawBody: '{"count": 2}',
        body: { count: 2 },
        status: 200,
        answer: { status: 200, body: { code: 0, msg: expect.any(String) as unknown, data: [] } },
        accepted: [],
        outcome: 'ok',
      },
    ]);
  });

  it('records no requests with recordRequests: false, but counts deliveries', async () => {
    const gateway = await startForTest({ recordRequests: false, validate: false });
    await call(gateway, '/sendsms/template/send', templateSend('13800138000'));
    expect(gateway.requests).toEqual([]);
    expect(gateway.deliveries().size).toBe(1);
  });

  it('counts connections and simultaneous requests', async () => {
    const gateway = await startForTest({ latencyMs: 100 });
    await Promise.all([1, 2, 3].map(() => call(gateway, '/sendsms/balance')));
    expect(gateway.maxInFlight).toBe(3);
    expect(gateway.connections).toBe(3);
  });

  it('reset restores the state of a new gateway', async () => {
    const gateway = await startForTest({ records: { templates: 20 } });
    await call(gateway, '/sendsms/template/send', templateSend('13800138000'));
    await call(gateway, '/openapi/template/delete', { id: 301 });
    await call(gateway, '/sendsms/balance', { a: 1 });
    gateway.fault({ kind: 'hang' });
    gateway.reset();
    expect(gateway.requests).toEqual([]);
    expect(gateway.violations).toEqual([]);
    expect(gateway.deliveries().size).toBe(0);
    expect(gateway.state.templates.size).toBe(20);
    expect(gateway.state.reportsLeft).toBe(0);
    expect((await call(gateway, '/sendsms/balance')).json).toMatchObject({ balance: 1_000_000 });
  });

  it('rejects with EADDRINUSE when the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(startGateway({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    other.close();
  });

  it('close ends hanging and slow requests', async () => {
    const gateway = await startForTest();
    gateway.fault({ kind: 'hang' });
    gateway.fault({ kind: 'slow', delayMs: 60_000 });
    const calls = [call(gateway, '/sendsms/balance'), call(gateway, '/sendsms/balance')];
    const settled = Promise.allSettled(calls);
    while (gateway.requests.filter(({ outcome }) => outcome !== 'pending').length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await gateway.close();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
