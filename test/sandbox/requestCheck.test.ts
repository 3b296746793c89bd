import { CODES } from './codes';
import { call, signedHeaders, templateSend } from './rawClient';
import { startForTest } from './startForTest';

describe('request check', () => {
  const PATH = '/sendsms/template/send';

  it('refuses a missing or wrong request signature, API key or timestamp', async () => {
    const gateway = await startForTest();
    const now = Math.floor(Date.now() / 1000);
    const old = signedHeaders(gateway, String(now - 310));
    const ahead = signedHeaders(gateway, String(now + 310));
    const milliseconds = signedHeaders(gateway, String(Date.now()));
    const wrongSecret = signedHeaders({ apiKey: gateway.apiKey, apiSecret: 'wrong' });
    const cases: [Record<string, string | undefined>, number][] = [
      [{ 'x-sign': undefined }, CODES.missingHeader],
      [{ 'x-api-key': 'someone' }, CODES.unknownKey],
      [wrongSecret, CODES.badSignature],
      [old, CODES.badTimestamp],
      [ahead, CODES.badTimestamp],
      [milliseconds, CODES.badTimestamp],
    ];
    gateway.fault({ kind: 'status' });
    for (const [headers, code] of cases) {
      // The body violates the contract too, but the request signature is checked first.
      const answer = await call(gateway, PATH, { nonsense: true }, { headers });
      expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ code })]);
    }
    // The contract says what a header looks like, not which key or secret is right.
    expect(gateway.violations).toEqual([
      `request ${PATH} headers: must have required property 'x-sign'`,
      `request ${PATH} headers/x-timestamp: must match pattern "^\\d{10}$"`,
    ]);
    expect(gateway.deliveries().size).toBe(0);
    expect(gateway.requests.map(({ outcome }) => outcome)).toEqual(
      cases.map(([, code]) => `refused ${code}`),
    );
    // Refused requests do not use up the fault.
    expect((await call(gateway, PATH, templateSend('13800138000'))).status).toBe(500);
  });

  it('refuses a nonce that was used before', async () => {
    const gateway = await startForTest();
    const headers = signedHeaders(gateway);
    expect(
      (await call(gateway, PATH, templateSend('13800138000'), { headers })).json,
    ).toMatchObject({ code: 0 });
    expect(
      (await call(gateway, PATH, templateSend('13800138000'), { headers })).json,
    ).toMatchObject({ code: CODES.nonceReused });
    expect(gateway.deliveries().get('13800138000')).toBe(1);
  });

  it('refuses methods other than POST with HTTP 405', async () => {
    const gateway = await startForTest();
    const get = await call(gateway, PATH, {}, { method: 'GET' });
    expect([get.status, get.headers.allow, get.json]).toEqual([
      405,
      'POST',
      expect.objectContaining({ code: 405 }),
    ]);
  });

  it.each([undefined, 'text/plain', 'application/json; charset=gbk', 'application/jsonp'])(
    'refuses the content type %s with HTTP 415 and records the violation',
    async (type) => {
      const gateway = await startForTest();
      const answer = await call(gateway, PATH, {}, { headers: { 'content-type': type } });
      expect(answer.status).toBe(415);
      expect(gateway.violations).toEqual([
        type === undefined
          ? `request ${PATH} headers: must have required property 'content-type'`
          : expect.stringMatching(/^request \S+ headers\/content-type: must match pattern /),
      ]);
    },
  );

  it.each(['application/json; charset=utf-8', 'application/json;charset=UTF-8'])(
    'accepts the content type %s',
    async (type) => {
      const gateway = await startForTest();
      const headers = { 'content-type': type };
      expect((await call(gateway, '/sendsms/balance', {}, { headers })).status).toBe(200);
      expect(gateway.violations).toEqual([]);
    },
  );

  it('answers an unknown path with HTTP 404 and JSON', async () => {
    const gateway = await startForTest();
    expect(await call(gateway, '/sendsms/balances')).toMatchObject({
      status: 404,
      json: { code: 404 },
    });
  });

  it.each<[string, string | Buffer, string]>([
    ['an unknown field', '{"count":1,"page":1}', 'body: unknown field "page"'],
    ['a wrong type', '{"count":"1"}', 'body/count: must be integer'],
    ['invalid JSON', '{"count":1', 'body: not JSON in UTF-8'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body: not JSON in UTF-8'],
    ['no body', '', 'body: not JSON in UTF-8'],
  ])('refuses a body and records the violation: %s', async (_name, rawBody, problem) => {
    const gateway = await startForTest();
    const { json } = await call(gateway, '/sendsms/mo/pull', {}, { rawBody });
    expect(json).toMatchObject({ code: CODES.badBody });
    expect(gateway.violations).toEqual([`request /sendsms/mo/pull ${problem}`]);
  });

  it('refuses a query in the URL and records the violation', async () => {
    const gateway = await startForTest();
    expect((await call(gateway, '/sendsms/balance?a=1')).json).toMatchObject({
      code: CODES.badBody,
    });
    expect(gateway.violations).toEqual(['request /sendsms/balance the URL has a query']);
  });
});
