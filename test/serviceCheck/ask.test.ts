import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConnection } from '../../nodes/SmsMessagingService/service/connection';
import { startForTest } from '../sandbox/startForTest';
import { ask } from './ask';
import { check } from './load';
import type { CheckAnswer, CheckRequest } from './load';

const BALANCE: CheckRequest = { path: '/sendsms/balance', body: '{}', signed: true };
const PULL: CheckRequest = { path: '/sendsms/mo/pull', body: '{"count":1}', signed: true };

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connectionTo(baseUrl: string) {
  return readConnection({ baseUrl, apiKey: 'key', apiSecret: 'secret' });
}

const QUICK = { pauseMs: 0, timeoutMs: 300 };

function failuresOf(answers: CheckAnswer[]): unknown[] {
  return answers.map((answer) => ('failure' in answer ? answer.failure : answer.status));
}

test('signs as the nodes do, one request at a time, and sends no key where it does not sign', async () => {
  const gateway = await startForTest({ latencyMs: 5 });
  const connection = readConnection(gateway.credential() as never);
  const answers = await ask(connection, [BALANCE, PULL, { ...BALANCE, signed: false }], {
    pauseMs: 0,
    timeoutMs: 10_000,
  });
  expect(gateway.requests.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'refused 1000']);
  expect(gateway.maxInFlight).toBe(1);
  expect(Object.keys(gateway.requests[2]?.headers ?? {})).not.toContainEqual(
    expect.stringMatching(/^x-|authorization/),
  );
  expect(answers[0]).toMatchObject({ ...BALANCE, status: 200 });
});

test('follows no redirect', async () => {
  const gateway = await startForTest();
  gateway.fault({ kind: 'redirect', location: '/sendsms/balance' });
  const [answer] = await ask(readConnection(gateway.credential() as never), [BALANCE], QUICK);
  expect(answer).toMatchObject({ status: 302, location: '/sendsms/balance' });
  expect(gateway.requestCount).toBe(1);
});

test('stops asking a service that does not answer three times in a row', async () => {
  let arrived = 0;
  const url = await listen(() => (arrived += 1));
  const answers = await ask(connectionTo(url), check.plan(), QUICK);
  expect(arrived).toBe(3);
  const [first, second, third, ...others] = failuresOf(answers);
  expect([first, second, third]).toEqual(Array(3).fill('no answer in time'));
  expect(new Set(others)).toEqual(new Set(['not asked, after three requests without an answer']));
  const { rows } = check.report(answers);
  expect(rows[0]?.verdict).toBe('ask your SMS provider');
});

test('nobody listens: Base URL', async () => {
  const url = await listen(() => undefined);
  servers.splice(0).forEach((server) => server.close());
  const answers = await ask(connectionTo(url), check.plan(), QUICK);
  expect(failuresOf(answers)[0]).toBe('no connection');
  expect(check.report(answers).settings.map(({ setting }) => setting)).toEqual(['Base URL']);
});

test('reads an answer of 10 MB with the strangest records', async () => {
  const record = { id: 1, [`x${'y'.repeat(1_000)}`]: 'z'.repeat(9_000), 13912345678: null };
  const list = Array.from({ length: 1_000 }, (_, id) => ({ ...record, id }));
  const text = JSON.stringify({ list, total: 1 });
  expect(text.length).toBeGreaterThan(10_000_000);
  const url = await listen((_request, response) => response.end(text));
  const requests = check.plan().filter(({ signed }) => signed);
  const answers = await ask(connectionTo(url), requests, { ...QUICK, timeoutMs: 9_000 });
  const rest = check.plan().slice(requests.length);
  const { rows } = check.report([
    ...answers,
    ...rest.map((request) => ({ ...request, failure: 'no answer in time' })),
  ]);
  expect(rows.find(({ about }) => about === 'Leads')?.found).toMatch(
    /^1000 records; also with others: 2; not all with is_.*; at list; .*; page_size is ignored$/,
  );
});

test('gives up an answer without an end', async () => {
  const url = await listen((_request, response) => {
    const piece = Buffer.alloc(1024 * 1024, 32);
    const more = () => {
      while (response.write(piece));
    };
    response.on('drain', more);
    more();
  });
  const answers = await ask(connectionTo(url), [BALANCE], { ...QUICK, timeoutMs: 20_000 });
  expect(failuresOf(answers)).toEqual(['a broken connection']);
});

describe('a pull', () => {
  const kept = () => {
    const pieces: Uint8Array[] = [];
    return {
      keep: (bytes: Uint8Array) => pieces.push(bytes),
      text: () => Buffer.concat(pieces).toString(),
    };
  };

  test('is kept as it came, and nothing else is', async () => {
    const gateway = await startForTest();
    gateway.queueReplies(1);
    const { keep, text } = kept();
    const [, answer] = await ask(readConnection(gateway.credential() as never), [BALANCE, PULL], {
      ...QUICK,
      keep,
    });
    expect(text()).toBe(`POST /sendsms/mo/pull\nHTTP 200\n${(answer as { text: string }).text}\n`);
    expect(text()).toContain('"mobile"');
  });

  test('is kept as far as it came', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"code":0,"data":[{"mobile":1');
      setTimeout(() => response.destroy(), 50);
    });
    const { keep, text } = kept();
    const answers = await ask(connectionTo(url), [PULL], { ...QUICK, keep });
    expect(failuresOf(answers)).toEqual(['a broken connection']);
    expect(text()).toBe('POST /sendsms/mo/pull\nHTTP 200\n{"code":0,"data":[{"mobile":1\n');
  });

  test('is not made when nothing can be kept', async () => {
    const gateway = await startForTest();
    const keep = () => {
      throw new Error('disk full');
    };
    const asked = ask(readConnection(gateway.credential() as never), [PULL], { ...QUICK, keep });
    await expect(asked).rejects.toThrow('disk full');
    expect(gateway.requestCount).toBe(0);
  });
});
