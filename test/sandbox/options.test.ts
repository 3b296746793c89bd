import { CODES } from './codes';
import { call } from './rawClient';
import { startForTest } from './startForTest';

describe('gateway options', () => {
  it('notFound html: answers an unknown path with a web page', async () => {
    const gateway = await startForTest({ notFound: 'html' });
    const answer = await call(gateway, '/sendsms/balances');
    expect([answer.status, answer.json, answer.headers['content-type']]).toEqual([
      404,
      undefined,
      'text/html; charset=utf-8',
    ]);
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
