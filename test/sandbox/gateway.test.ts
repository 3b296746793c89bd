import { CODES } from './codes';
import type { Fault } from './faults';
import type { Gateway } from './gateway';
import { call, signedHeaders, templateSend } from './rawClient';
import type { RawRequest } from './rawClient';
import { startForTest } from './startForTest';

const SEND = '/sendsms/template/send';
const CUSTOM = '/sendsms/send';
const PULL = '/sendsms/mo/pull';
const DELETE = '/openapi/cert/delete';
const PHONE = '13800138000';

let gateway: Gateway;

beforeEach(async () => {
  gateway = await startForTest();
});

const send = (...numbers: string[]) => call(gateway, SEND, templateSend(...numbers));

it('a send is charged per part, and comes back in delivery reports', async () => {
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

/** A template SMS, and a custom one, with other fields than they should have. */
const template = (fields: object) => ({ ...templateSend(PHONE), ...fields });
const custom = (fields: object) => ({
  ...{ sms_sign_id: 201, phone_numbers: [PHONE], content: '您好', ...fields },
});
const to = (message: object) => template({ messages: [message] });

const signed = (apiSecret: string, seconds = 0, apiKey = 'sandbox-key') =>
  signedHeaders({ apiKey, apiSecret }, String(Math.floor(Date.now() / 1000) + seconds));
const SECRET = 'sandbox-secret-5f2c91';

/** A body that violates the contract, too: the request signature is checked first. */
const NONSENSE = { nonsense: true };

/* That the gateway wants the signatures that other tools compute: what they give is in
   engine/service/signing.test.ts, and engine/credential.test.ts sends the nodes' signatures to the gateway. */
it.each<[what: string, headers: RawRequest['headers'], code: number]>([
  ['no x-api-key', { 'x-api-key': undefined }, CODES.missingHeader],
  ['no x-timestamp', { 'x-timestamp': undefined }, CODES.missingHeader],
  ['no x-nonce', { 'x-nonce': undefined }, CODES.missingHeader],
  ['no x-sign', { 'x-sign': undefined }, CODES.missingHeader],
  ['an unknown key', signed(SECRET, 0, 'someone'), CODES.unknownKey],
  ['another secret', signed('wrong'), CODES.badSignature],
  ['another nonce than it signs', { 'x-nonce': 'other' }, CODES.badSignature],
  ['an old timestamp', signed(SECRET, -310), CODES.badTimestamp],
  ['a timestamp ahead', signed(SECRET, 310), CODES.badTimestamp],
  ['milliseconds', { 'x-timestamp': '1700000000000' }, CODES.badTimestamp],
])('a request with %s has no effect', async (_, headers, code) => {
  gateway.fault({ kind: 'status' });
  const refused = await call(gateway, SEND, NONSENSE, { headers });
  expect([refused.status, refused.json]).toEqual([200, expect.objectContaining({ code })]);
  expect(gateway.requests[0]?.outcome).toBe(`refused ${code}`);
  expect(gateway.deliveries().size).toBe(0);
  // Nor does it use up the fault.
  expect((await send(PHONE)).status).toBe(500);
});

const { badBody } = CODES;

it.each<[what: string, path: string, body: unknown, code: number, noted?: string]>([
  ['an unknown template', SEND, template({ template_id: 9 }), CODES.unknownTemplate],
  ['a disabled template', SEND, template({ template_id: 304 }), CODES.templateNotEnabled],
  ['an unknown signature', SEND, template({ sms_sign_id: 9 }), CODES.unknownSignature],
  ['a missing parameter', SEND, to({ phone_number: PHONE, params: {} }), CODES.missingParameter],
  ['no recipients', SEND, template({ messages: [] }), CODES.noRecipients],
  ['one bad number', SEND, templateSend(PHONE, `+86${PHONE}`), CODES.badPhoneNumber],
  ['no signature', CUSTOM, custom({ sms_sign_id: undefined }), CODES.missingSignature],
  ['no content', CUSTOM, custom({ content: ' ' }), CODES.emptyContent],
  ['too much', CUSTOM, custom({ content: '好'.repeat(500) }), CODES.insufficientBalance],
  ['text for a number', DELETE, { id: '1' }, badBody, 'body/id: must be integer'],
  ['an unknown field', '/sendsms/balance', { a: 1 }, badBody, 'body: unknown field "a"'],
  ['invalid JSON', PULL, Buffer.from('{"count":1'), badBody, 'body: not JSON in UTF-8'],
  ['invalid UTF-8', PULL, Buffer.from([0x22, 0xff, 0x22]), badBody, 'body: not JSON in UTF-8'],
  ['nothing', PULL, Buffer.of(), badBody, 'body: not JSON in UTF-8'],
  ['a query in the URL', '/sendsms/balance?a=1', {}, badBody, 'the URL has a query'],
])('a request with %s is refused as a whole', async (_, path, body, code, noted = '') => {
  gateway.state.balance = 5;
  const rawBody = Buffer.isBuffer(body) ? body : undefined;
  expect((await call(gateway, path, body, { rawBody })).json).toMatchObject({ code });
  expect(gateway.violations).toEqual(noted ? [`request ${path.split('?')[0]} ${noted}`] : []);
  expect([gateway.deliveries().size, gateway.state.balance]).toEqual([0, 5]);
});

it.each<[string, string | undefined, number]>([
  ['content-type', undefined, 415],
  ['content-type', 'text/plain', 415],
  ['content-type', 'application/json; charset=gbk', 415],
  ['x-nonce', undefined, 200],
])('the header %s is noted where it is %j', async (name, value, status) => {
  const headers = { [name]: value };
  expect((await call(gateway, PULL, { count: 1 }, { headers })).status).toBe(status);
  expect(gateway.violations).toEqual([expect.stringMatching(`^request ${PULL} headers.*${name}`)]);
});

it('takes JSON in UTF-8, by POST, at known paths', async () => {
  const headers = { 'content-type': 'application/json;charset=UTF-8' };
  expect((await call(gateway, '/sendsms/balance', {}, { headers, rawBody: '' })).status).toBe(200);
  expect(gateway.violations).toEqual([]);
  const get = await call(gateway, SEND, {}, { method: 'GET' });
  expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  expect((await call(gateway, '/sendsms/balances')).status).toBe(404);
});

it('notes answers of its own that violate the contract', async () => {
  gateway.state.balance = 0.5;
  Object.assign(gateway.state.leads.get(401) ?? {}, { extra: 1, url: undefined });
  await call(gateway, '/sendsms/balance');
  await call(gateway, '/openapi/lead/info');
  expect(gateway.violations).toEqual([
    'answer /sendsms/balance body/balance: must be integer',
    "answer /openapi/lead/info body/0/0/list/0: must have required property 'url'",
    'answer /openapi/lead/info body/0/0/list/0: unknown field "extra"',
  ]);
});

it('a nonce is taken once', async () => {
  const headers = signedHeaders(gateway);
  const send = async (changed: RawRequest['headers'] = {}) => {
    const sent = { headers: { ...headers, ...changed } };
    return (await call(gateway, SEND, templateSend('13800138000'), sent)).json;
  };
  // Not by a request that is refused.
  expect(await send({ 'x-sign': '0'.repeat(64) })).toMatchObject({ code: CODES.badSignature });
  expect(await send()).toMatchObject({ code: 0 });
  expect(await send()).toMatchObject({ code: CODES.nonceReused });
  expect(gateway.deliveries().get('13800138000')).toBe(1);
});

it('only Create signature wants the authorization token', async () => {
  const strict = await startForTest({ authorizationToken: 'token-1' });
  const create = async (authorization?: string) => {
    const token = { headers: { authorization } };
    return (await call(strict, '/openapi/sign/create', { name: '新签名' }, token)).json;
  };
  for (const wrong of [undefined, 'token-2']) {
    expect(await create(wrong)).toMatchObject({ code: CODES.badAuthorization });
  }
  expect(await create('token-1')).toMatchObject({ id: 203 });
  expect((await call(strict, '/sendsms/balance')).json).toMatchObject({ code: 0 });
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
