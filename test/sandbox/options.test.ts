import type { Hash, Hmac } from 'node:crypto';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { fetch } from 'undici';
import { CODES } from './codes';
import { CODE_AS_TEXT } from './deviations';
import { call } from './rawClient';
import { startForTest } from './startForTest';

describe('gateway options', () => {
  it('prefix: is part of every path', async () => {
    const gateway = await startForTest({ prefix: '/sms' });
    expect(gateway.baseUrl).toBe(`${gateway.origin}/sms`);
    expect((await call(gateway, '/sendsms/balance')).json).toMatchObject({ code: 0 });
    expect(gateway.requests[0]?.path).toBe('/sendsms/balance');
    const bare = await fetch(`${gateway.origin}/sendsms/balance`, { method: 'POST' });
    expect(bare.status).toBe(404);
  });

  it('notFound html: answers an unknown path with a web page', async () => {
    const gateway = await startForTest({ notFound: 'html' });
    const answer = await call(gateway, '/sendsms/balances');
    expect([answer.status, answer.json, answer.headers['content-type']]).toEqual([
      404,
      undefined,
      'text/html; charset=utf-8',
    ]);
  });

  function headersSignedBy(sign: (timestamp: string, nonce: string) => Hash | Hmac) {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    const digest = sign(timestamp, nonce).digest('hex');
    return { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-sign': digest };
  }

  it('signaturePayload: the request signature covers method, path and body', async () => {
    const gateway = await startForTest({
      prefix: '/sms',
      apiSecret: '密钥',
      signaturePayload: '{method}|{path}|{timestamp}|{nonce}|{body}|{apiSecret}',
    });
    const rawBody = '{ "count": 3 }';
    const headers = headersSignedBy((timestamp, nonce) =>
      createHash('sha256').update(
        `POST|/sms/sendsms/mo/pull|${timestamp}|${nonce}|${rawBody}|密钥`,
      ),
    );
    const answer = await call(gateway, '/sendsms/mo/pull', {}, { rawBody, headers });
    expect(answer.json).toMatchObject({ code: 0 });
    expect(gateway.credential()).toMatchObject({ signatureAlgorithm: 'sha256' });
  });

  it('signatureAlgorithm: the request signature is an HMAC', async () => {
    const gateway = await startForTest({
      signatureAlgorithm: 'hmacSha256',
      signaturePayload: '{timestamp}{nonce}',
    });
    const headers = headersSignedBy((timestamp, nonce) =>
      createHmac('sha256', gateway.apiSecret).update(timestamp + nonce),
    );
    const answer = await call(gateway, '/sendsms/balance', {}, { headers });
    expect(answer.json).toMatchObject({ code: 0 });
  });

  it('authorizationToken: only Create signature requires it', async () => {
    const gateway = await startForTest({ authorizationToken: 'token-1' });
    const body = { name: '新签名' };
    for (const headers of [{}, { authorization: 'token-2' }]) {
      const { json } = await call(gateway, '/openapi/sign/create', body, { headers });
      expect(json).toMatchObject({ code: CODES.badAuthorization });
    }
    const headers = { authorization: 'token-1' };
    expect((await call(gateway, '/openapi/sign/create', body, { headers })).json).toMatchObject({
      id: 203,
    });
    expect((await call(gateway, '/sendsms/balance')).json).toMatchObject({ code: 0 });
  });

  it('deviations: here the code of a success and of an error is a string', async () => {
    const gateway = await startForTest({ deviations: [CODE_AS_TEXT] });
    expect((await call(gateway, '/sendsms/balance')).json).toMatchObject({ code: '0' });
    const refused = await call(gateway, '/openapi/cert/delete', { id: 1 });
    expect(refused.json).toMatchObject({ code: String(CODES.unknownRecord) });
    expect(gateway.violations).toEqual([]);
  });

  it('inferredRoutes false: inferred paths answer 404, and pathAliases can replace them', async () => {
    const gateway = await startForTest({
      inferredRoutes: false,
      pathAliases: { '/v2/signatures': '/openapi/sign/info' },
    });
    expect((await call(gateway, '/openapi/sign/info')).status).toBe(404);
    expect((await call(gateway, '/v2/signatures')).json).toMatchObject([[{ total: 2 }]]);
    expect((await call(gateway, '/openapi/template/info')).status).toBe(200);
  });

  it('unknownFieldsAllowed: accepts unknown fields and still checks types', async () => {
    const gateway = await startForTest({ unknownFieldsAllowed: true });
    const path = '/openapi/template/create';
    const body = { name: 'a', content: 'b', tenant: 'x' };
    expect((await call(gateway, path, body)).json).toMatchObject({ id: 305 });
    expect(gateway.violations).toEqual([]);
    expect((await call(gateway, path, { ...body, type: '1' })).json).toMatchObject({
      code: CODES.badBody,
    });
  });
});
