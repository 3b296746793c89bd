import { CODES } from './codes';
import { call, signedHeaders, templateSend } from './rawClient';
import { startForTest } from './startForTest';

const PATH = '/sendsms/template/send';

/* That the gateway wants the signatures that other tools compute: what they give is in
   engine/service/signing.test.ts, and engine/credential.test.ts sends the nodes' signatures to the gateway. */

type Headers = Record<string, string | undefined>;
type Signer = (apiSecret: string, now: number) => Headers;

const signed = (apiSecret: string, timestamp: number) =>
  signedHeaders({ apiKey: 'sandbox-key', apiSecret }, String(timestamp));

it.each<[string, Signer, number]>([
  ['no key', () => ({ 'x-api-key': undefined }), CODES.missingHeader],
  ['no timestamp', () => ({ 'x-timestamp': undefined }), CODES.missingHeader],
  ['no nonce', () => ({ 'x-nonce': undefined }), CODES.missingHeader],
  ['no request signature', () => ({ 'x-sign': undefined }), CODES.missingHeader],
  ['an unknown key', () => ({ 'x-api-key': 'someone' }), CODES.unknownKey],
  ['another secret', (_secret, now) => signed('wrong', now), CODES.badSignature],
  ['another nonce than it signs', () => ({ 'x-nonce': 'other' }), CODES.badSignature],
  [
    'upper case',
    (secret, now) => {
      const headers = signed(secret, now);
      return { ...headers, 'x-sign': headers['x-sign']?.toUpperCase() };
    },
    CODES.badSignature,
  ],
  ['an old timestamp', (secret, now) => signed(secret, now - 310), CODES.badTimestamp],
  ['a timestamp ahead', (secret, now) => signed(secret, now + 310), CODES.badTimestamp],
  ['milliseconds', (secret, now) => signed(secret, now * 1000), CODES.badTimestamp],
])('a request with %s has no effect', async (_name, signer, code) => {
  const gateway = await startForTest();
  const headers = signer(gateway.apiSecret, Math.floor(Date.now() / 1000));
  gateway.fault({ kind: 'status' });
  // The body violates the contract too, but the request signature is checked first.
  const refused = await call(gateway, PATH, { nonsense: true }, { headers });
  expect([refused.status, refused.json]).toEqual([200, expect.objectContaining({ code })]);
  expect(gateway.deliveries().size).toBe(0);
  expect(gateway.requests[0]?.outcome).toBe(`refused ${code}`);
  // Nor does it use up the fault.
  expect((await call(gateway, PATH, templateSend('13800138000'))).status).toBe(500);
});

it('a nonce is taken once', async () => {
  const gateway = await startForTest();
  const headers = signedHeaders(gateway);
  const send = async (changed: Headers = {}) => {
    const sent = { headers: { ...headers, ...changed } };
    return (await call(gateway, PATH, templateSend('13800138000'), sent)).json;
  };
  // Not by a request that is refused.
  expect(await send({ 'x-sign': '0'.repeat(64) })).toMatchObject({ code: CODES.badSignature });
  expect(await send()).toMatchObject({ code: 0 });
  expect(await send()).toMatchObject({ code: CODES.nonceReused });
  expect(gateway.deliveries().get('13800138000')).toBe(1);
});

it('only Create signature wants the authorization token', async () => {
  const gateway = await startForTest({ authorizationToken: 'token-1' });
  const create = async (authorization?: string) => {
    const token = { headers: { authorization } };
    return (await call(gateway, '/openapi/sign/create', { name: '新签名' }, token)).json;
  };
  for (const wrong of [undefined, 'token-2']) {
    expect(await create(wrong)).toMatchObject({ code: CODES.badAuthorization });
  }
  expect(await create('token-1')).toMatchObject({ id: 203 });
  expect((await call(gateway, '/sendsms/balance')).json).toMatchObject({ code: 0 });
});
