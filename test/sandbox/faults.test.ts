import { setForward, until } from '../engine/harness/pauses';
import { CODES } from './codes';
import type { Fault } from './faults';
import type { Gateway } from './gateway';
import { startGateway } from './gateway';
import { duringMs, overLimit } from './limits';
import { call, signedHeaders, templateSend } from './rawClient';

const SEND = '/sendsms/template/send';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterEach(() => {
  expect(gateway.violations).toEqual([]);
  gateway.reset();
});

afterAll(async () => {
  await gateway.close();
});

function send(...numbers: string[]) {
  return call(gateway, SEND, templateSend(...(numbers.length > 0 ? numbers : ['13800138000'])));
}

function accepted(): number {
  return [...gateway.deliveries().values()].reduce((sum, count) => sum + count, 0);
}

describe('faults that change the answer', () => {
  it.each<[Fault, number, { status: number; json?: unknown; text?: string }]>([
    [{ kind: 'businessCode' }, 0, { status: 200, json: { code: CODES.refused } }],
    [
      { kind: 'businessCode', code: 77, msg: '限流', accept: true },
      1,
      { status: 200, json: { code: 77, msg: '限流' } },
    ],
    [{ kind: 'status' }, 0, { status: 500, json: { code: 500 } }],
    [{ kind: 'status', status: 403, code: 1001 }, 0, { status: 403, json: { code: 1001 } }],
    [
      { kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>', accept: true },
      1,
      { status: 502, json: undefined, text: '<h1>Bad Gateway</h1>' },
    ],
    [
      { kind: 'status', status: 503, body: { down: true } },
      0,
      { status: 503, json: { down: true } },
    ],
    [{ kind: 'tooManyRequests' }, 0, { status: 429, json: { code: CODES.tooManyRequests } }],
    [{ kind: 'html' }, 1, { status: 200, json: undefined }],
    [{ kind: 'html', accept: false, body: '<p>x' }, 0, { status: 200, text: '<p>x' }],
    [{ kind: 'wrongShape' }, 1, { status: 200, json: { code: 0, result: 'unexpected' } }],
    [{ kind: 'wrongShape', accept: false, body: [1] }, 0, { status: 200, json: [1] }],
    [{ kind: 'emptyBody' }, 1, { status: 200, text: '' }],
    [{ kind: 'truncatedJson' }, 1, { status: 200, json: undefined }],
  ])('fault %j: the platform accepts %d messages', async (fault, count, expected) => {
    gateway.fault(fault);
    expect(await send()).toMatchObject(expected);
    expect(accepted()).toBe(count);
    expect(gateway.requests[0]).toMatchObject({
      status: expected.status,
      outcome: `fault ${fault.kind}`,
    });
    expect((await send()).json).toMatchObject({ code: 0, count: 1 });
  });

  it('tooManyRequests sends the header Retry-After', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '2' });
    expect((await send()).headers['retry-after']).toBe('2');
  });

  it('redirect answers with the header Location', async () => {
    gateway.fault({ kind: 'redirect' });
    gateway.fault({ kind: 'redirect', status: 307, location: 'http://127.0.0.1:1/x' });
    expect(await send()).toMatchObject({
      status: 302,
      headers: { location: `${gateway.origin}/elsewhere` },
    });
    expect(await send()).toMatchObject({
      status: 307,
      headers: { location: 'http://127.0.0.1:1/x' },
    });
    expect(accepted()).toBe(0);
  });

  it('slow delays the answer', async () => {
    gateway.fault({ kind: 'slow', delayMs: 120 });
    const started = performance.now();
    expect((await send()).json).toMatchObject({ code: 0 });
    expect(performance.now() - started).toBeGreaterThan(110);
  });

  it('acceptedFewer does not accept the last messages', async () => {
    gateway.fault({ kind: 'acceptedFewer' });
    gateway.fault({ kind: 'acceptedFewer', acceptedCount: 0 });
    const numbers = ['13800000011', '13800000012', '13800000013'];
    expect((await send(...numbers)).json).toMatchObject({ code: 0, count: 2 });
    expect([...gateway.deliveries().keys()]).toEqual(numbers.slice(0, 2));
    expect((await send(...numbers)).json).toMatchObject({ code: 0, count: 0 });
    expect(accepted()).toBe(2);
  });
});

describe('limits and outages', () => {
  async function acceptedOf(count: number): Promise<boolean[]> {
    const seen: boolean[] = [];
    for (let index = 0; index < count; index++) {
      const { status, json } = await send();
      seen.push(status === 200 && (json as { code: number }).code === 0);
    }
    return seen;
  }

  it('by number: takes some requests, refuses some, and begins again', async () => {
    const match = overLimit({ requests: 2, refused: 3 });
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '-1', times: Infinity, match });
    const once = [true, true, false, false, false];
    expect(await acceptedOf(10)).toEqual([...once, ...once]);
    expect(accepted()).toBe(4);
  });

  it('by time: refuses what comes before the period is over', async () => {
    const match = overLimit({ requests: 1, perMs: 60_000 });
    gateway.fault({ kind: 'businessCode', code: 10007, times: Infinity, match });
    expect(await acceptedOf(3)).toEqual([true, false, false]);
    setForward(60_000);
    expect(await acceptedOf(2)).toEqual([true, false]);
  });

  it('an outage lasts from its first request on', async () => {
    gateway.fault({ kind: 'status', status: 503, times: Infinity, match: duringMs(60_000) });
    expect(await acceptedOf(2)).toEqual([false, false]);
    setForward(60_000);
    expect(await acceptedOf(2)).toEqual([true, true]);
  });
});

describe('faults that cut the connection', () => {
  it('drip sends the answer byte by byte, and never ends', async () => {
    gateway.fault({ kind: 'drip', everyMs: 1 });
    const answer = await fetch(gateway.baseUrl + SEND, {
      method: 'POST',
      headers: signedHeaders(gateway),
      body: JSON.stringify(templateSend('13800138000')),
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.endsWith('}  ')) text += new TextDecoder().decode((await reader.read()).value);
    expect(JSON.parse(text)).toMatchObject({ code: 0, count: 1 });
    expect(gateway.openRequests).toBe(1);
    await reader.cancel();
    await until(() => gateway.openRequests === 0);
    expect(accepted()).toBe(1);
  });

  it.each<[Fault, number]>([
    [{ kind: 'resetBeforeAccept' }, 0],
    [{ kind: 'resetAfterAccept' }, 1],
  ])('fault %j: the platform accepts %d messages', async (fault, count) => {
    gateway.fault(fault);
    await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(accepted()).toBe(count);
    expect(gateway.requests[0]).toMatchObject({ status: 0, outcome: `fault ${fault.kind}` });
  });

  it('truncatedJson with mismatchedLength announces more bytes than it sends', async () => {
    gateway.fault({ kind: 'truncatedJson', mismatchedLength: true });
    await expect(send()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(accepted()).toBe(1);
  });

  it.each([true, false])('hang never answers (message accepted: %s)', async (accept) => {
    gateway.fault({ kind: 'hang', accept });
    const answer = send();
    const first = await Promise.race([
      answer.then(() => 'answered'),
      new Promise((resolve) => setTimeout(resolve, 150, 'hanging')),
    ]);
    expect(first).toBe('hanging');
    expect(accepted()).toBe(accept ? 1 : 0);
    await gateway.close();
    await expect(answer).rejects.toThrow();
    gateway = await startGateway();
  });
});

describe('faults of pulls and lists', () => {
  const PULL = '/sendsms/report/pull';

  async function pulled(): Promise<unknown[]> {
    return ((await call(gateway, PULL, { count: 2 })).json as { data: unknown[] }).data;
  }

  it('notConsuming leaves pulled records in the queue', async () => {
    gateway.queueReports(3);
    gateway.fault({ kind: 'notConsuming' });
    const first = await pulled();
    expect(await pulled()).toEqual(first);
    expect(await pulled()).toHaveLength(1);
  });

  it('repeatPage repeats the previous pull and leaves the queue unchanged', async () => {
    gateway.queueReports(3);
    gateway.fault({ kind: 'repeatPage', path: PULL, nth: 2 });
    const first = await pulled();
    expect(await pulled()).toEqual(first);
    expect(await pulled()).toHaveLength(1);
  });

  it('repeatPage repeats the previous page of a list', async () => {
    gateway.fault({ kind: 'repeatPage', nth: 2, times: Infinity });
    const pages = [];
    for (const page of [1, 2, 3]) {
      pages.push((await call(gateway, '/openapi/template/info', { page, page_size: 1 })).json);
    }
    expect(pages[1]).toEqual(pages[0]);
    expect(pages[2]).toEqual(pages[0]);
  });

  it('resetAfterAccept removes pulled records from the queue although the answer is lost', async () => {
    gateway.queueReports(3);
    gateway.fault({ kind: 'resetAfterAccept' });
    await expect(pulled()).rejects.toThrow();
    expect(gateway.state.reports.length).toBe(1);
  });
});

describe('which request a fault affects', () => {
  async function statuses(count: number): Promise<number[]> {
    const seen: number[] = [];
    for (let index = 0; index < count; index++) seen.push((await send()).status);
    return seen;
  }

  it('affects the next requests, one fault each, in the order of the faults', async () => {
    gateway.fault({ kind: 'status', status: 501 });
    gateway.fault({ kind: 'status', status: 502 });
    expect(await statuses(3)).toEqual([501, 502, 200]);
  });

  it('nth and times select consecutive requests', async () => {
    gateway.fault({ kind: 'status', status: 501, nth: 2, times: 2 });
    expect(await statuses(4)).toEqual([200, 501, 501, 200]);
  });

  it('affects all requests with times: Infinity, until the faults are cleared', async () => {
    gateway.fault({ kind: 'status', status: 501, times: Infinity });
    expect(await statuses(3)).toEqual([501, 501, 501]);
    gateway.clearFaults();
    expect(await statuses(1)).toEqual([200]);
  });

  it('path and match select requests', async () => {
    gateway.fault({ kind: 'status', path: '/sendsms/send' });
    gateway.fault({
      kind: 'status',
      status: 503,
      match: ({ rawBody }) => rawBody.includes('13900000009'),
    });
    expect((await send('13800138000')).status).toBe(200);
    expect((await send('13900000009')).status).toBe(503);
    const body = { sms_sign_id: 201, phone_numbers: ['13800138000'], content: '您好' };
    expect((await call(gateway, '/sendsms/send', body)).status).toBe(500);
  });
});
