import { CODES } from './codes';
import type { Fault } from './faults';
import type { Gateway } from './gateway';
import { call, templateSend } from './rawClient';
import { startForTest } from './startForTest';

const SEND = '/sendsms/template/send';
const CUSTOM = '/sendsms/send';

let gateway: Gateway;

beforeEach(async () => {
  gateway = await startForTest();
});

const send = (...numbers: string[]) => call(gateway, SEND, templateSend(...numbers));

describe('a send', () => {
  it('is charged per part, and comes back in delivery reports', async () => {
    const params = { name: '长'.repeat(80), order: '7', date: '明天' };
    const { json } = await call(gateway, SEND, {
      template_id: 302,
      user_data: 'order-7',
      messages: [
        { phone_number: '13800138000', params },
        { phone_number: '13700000002', params: { ...params, name: '王' }, phone_data: 'row-2' },
      ],
    });
    const { batch_id } = json as { batch_id: string };
    expect(gateway.state.balance).toBe(1_000_000 - 3);
    expect(gateway.deliveries().get('13700000002')).toBe(1);
    // Its signature is that of the template.
    const content = '【云岭商城】尊敬的王,您的订单7已发货,预计明天送达。回复TD退订';
    expect(gateway.state.messages.get('13700000002')).toMatchObject([{ content, batch_id }]);
    expect((await call(gateway, '/sendsms/report/pull', { count: 5 })).json).toMatchObject({
      data: [
        { batch_id, user_data: 'order-7', phone_data: '', split_count: 2, status: 'DELIVRD' },
        { batch_id, user_data: 'order-7', phone_data: 'row-2', status: 'EXPIRED' },
      ],
    });
  });

  it.each<[string, string, Record<string, unknown>, number]>([
    ['an unknown template', SEND, { template_id: 9 }, CODES.unknownTemplate],
    ['a disabled template', SEND, { template_id: 304 }, CODES.templateNotEnabled],
    ['an unknown signature', SEND, { sms_sign_id: 9 }, CODES.unknownSignature],
    [
      'a missing template parameter',
      SEND,
      { messages: [{ phone_number: '13800138000', params: { code: '1' } }] },
      CODES.missingParameter,
    ],
    ['no recipients', SEND, { messages: [] }, CODES.noRecipients],
    ['one bad number', SEND, templateSend('13800138000', '+8613800138000'), CODES.badPhoneNumber],
    ['no signature', CUSTOM, { sms_sign_id: undefined }, CODES.missingSignature],
    ['no content', CUSTOM, { content: ' ' }, CODES.emptyContent],
    ['too much for the balance', CUSTOM, { content: '好'.repeat(500) }, CODES.insufficientBalance],
  ])('is refused as a whole because of %s', async (_name, path, fields, code) => {
    gateway.state.balance = 5;
    const good =
      path === SEND
        ? templateSend('13800138000')
        : { sms_sign_id: 201, phone_numbers: ['13800138000'], content: '您好' };
    expect((await call(gateway, path, { ...good, ...fields })).json).toMatchObject({ code });
    expect(gateway.deliveries().size).toBe(0);
    expect(gateway.state.balance).toBe(5);
  });
});

describe('a fault', () => {
  it.each<[Fault, number, object]>([
    [{ kind: 'businessCode' }, 0, { status: 200, json: { code: CODES.refused } }],
    [{ kind: 'businessCode', code: 77, accept: true }, 1, { status: 200, json: { code: 77 } }],
    [{ kind: 'status' }, 0, { status: 500, json: { code: 500 } }],
    [{ kind: 'status', status: 502, body: '<p>', accept: true }, 1, { status: 502, text: '<p>' }],
    [
      { kind: 'tooManyRequests', retryAfter: '2' },
      0,
      { status: 429, headers: { 'retry-after': '2' } },
    ],
    [{ kind: 'html' }, 1, { status: 200, json: undefined }],
    [{ kind: 'wrongShape' }, 1, { status: 200, json: { code: 0, result: 'unexpected' } }],
    [{ kind: 'truncatedJson' }, 1, { status: 200, json: undefined }],
    [{ kind: 'redirect', location: 'http://127.0.0.1:1/x' }, 0, { status: 302, text: '' }],
    [{ kind: 'slow', delayMs: 1 }, 1, { status: 200, json: { code: 0 } }],
    [{ kind: 'acceptedFewer' }, 0, { status: 200, json: { code: 0, count: 0 } }],
    [{ kind: 'resetBeforeAccept' }, 0, { code: 'ECONNRESET' }],
    [{ kind: 'resetAfterAccept' }, 1, { code: 'ECONNRESET' }],
  ])('%j: the platform accepts %d messages', async (fault, accepted, answer) => {
    gateway.fault(fault);
    expect(await send('13800138000').catch((error: unknown) => error)).toMatchObject(answer);
    expect(gateway.deliveries().get('13800138000') ?? 0).toBe(accepted);
    expect(gateway.requests[0]?.outcome).toBe(`fault ${fault.kind}`);
    // It is over then.
    expect((await send('13800138000')).json).toMatchObject({ code: 0, count: 1 });
  });

  it('hang never answers, until the gateway closes', async () => {
    gateway.fault({ kind: 'hang' });
    const answer = send('13800138000').catch(() => 'no answer');
    while (gateway.deliveries().size === 0) await new Promise((resolve) => setImmediate(resolve));
    await gateway.close();
    expect(await answer).toBe('no answer');
  });

  it('has requests of its own: no two faults affect the same one', async () => {
    for (const status of [501, 502]) gateway.fault({ kind: 'status', status });
    const statuses: number[] = [];
    while (statuses.length < 3) statuses.push((await send('13800138000')).status);
    expect(statuses).toEqual([501, 502, 200]);
  });
});

it('listens on loopback only', async () => {
  // A server that listens on every address answers at this one too.
  await expect(fetch(gateway.origin.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow();
});

it('reset restores the state of a new gateway', async () => {
  await send('13800138000');
  await call(gateway, '/openapi/template/delete', { id: 301 });
  await call(gateway, '/sendsms/balance', { a: 1 });
  gateway.fault({ kind: 'status' });
  gateway.reset();
  expect([gateway.requests, gateway.violations]).toEqual([[], []]);
  expect(gateway.deliveries().size + gateway.state.reportsLeft).toBe(0);
  expect(gateway.state.templates.size).toBe(4);
  expect((await call(gateway, '/sendsms/balance')).json).toMatchObject({ balance: 1_000_000 });
});
