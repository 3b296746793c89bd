import type { IDataObject, INodeType } from 'n8n-workflow';
import type { GatewayOptions } from '../sandbox/gateway';
import { createHarness, CREDENTIAL } from '../kit/engine';
import { useGatewayPerTest } from '../kit/engine/gateway';
import { byId } from '../kit/engine/locators';
import { descriptionOf } from '../kit/engine/sends';
import { describeNode } from '../kit/engine/start';

const BALANCE = { resource: 'balance', operation: 'get' };
const SECRET = 'a-secret-that-must-not-leak';

const { gateway, restart } = useGatewayPerTest();

const start = async (options: GatewayOptions = {}) =>
  await restart({ apiSecret: SECRET, ...options });

describe('the headers of a request, with the request signature X-Sign', () => {
  test('are on every request, also the content type of an empty body', async () => {
    await start();
    const { apiKey, apiSecret } = gateway;
    // Spaces around the key and the secret are not sent.
    const spaced = { apiKey: ` ${apiKey}\n`, apiSecret: `${apiSecret} ` };
    const { execute } = await createHarness({ ...gateway.credential(), ...spaced });
    const { json } = await execute(BALANCE);
    expect(json).toEqual([{ code: 0, msg: expect.any(String), balance: gateway.state.balance }]);
    expect(gateway.requests).toHaveLength(1);
    const [request] = gateway.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/sendsms/balance', rawBody: '{}' });
    expect(request?.headers).toMatchObject({
      'x-api-key': apiKey,
      'x-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-nonce': expect.stringMatching(/^[\da-f]{32}$/),
      'x-sign': expect.stringMatching(/^[\da-f]{64}$/),
      'content-type': 'application/json',
      accept: 'application/json',
    });
    const own = Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-'));
    expect(own.sort()).toEqual(['x-api-key', 'x-nonce', 'x-sign', 'x-timestamp']);
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  test.each<GatewayOptions>([
    {
      signatureAlgorithm: 'hmacSha256',
      signaturePayload: '{apiKey}{timestamp}{nonce}',
      apiSecret: 's-密钥',
    },
    { signaturePayload: '{method}\n{path}\n{timestamp}\n{nonce}\n{body}\n{apiSecret}' },
    { signaturePayload: '{method}{path}{timestamp}{nonce}{body}{apiSecret}', prefix: '/sms/v1' },
    { apiKey: 'key-{nonce}', apiSecret: '密钥-ключ-🔑' },
    // Guess: sign-algorithm, base-url
  ])('have a request signature as the SMS provider wants it: %j', async (options) => {
    const { execute, testCredential } = await start(options);
    expect((await execute(BALANCE)).json).toMatchObject([{ code: 0 }]);
    expect(await testCredential()).toMatchObject({ status: 'OK' });
  });
});

describe('a credential that cannot be used', () => {
  const plain = 'http://sms.example.com';

  // Guess: plain-http
  test.each<[string, IDataObject, RegExp]>([
    ['no base URL', { baseUrl: '' }, /has no Base URL/],
    ['a malformed base URL', { baseUrl: 'sms.example.com' }, /not a web address/],
    ['another protocol', { baseUrl: 'ftp://sms.example.com' }, /not a web address/],
    ['plain http to another machine', { baseUrl: plain }, /plain http/],
    ['plain http to a name like this machine', { baseUrl: 'http://127.a.b' }, /plain http/],
    ['plain http to a name without a dot', { baseUrl: 'http://gateway' }, /plain http/],
    ['Allow HTTP as a text', { baseUrl: plain, allowHttp: 'false' }, /plain http/],
    ['a query in the base URL', { baseUrl: 'https://sms.example.com/?a=b' }, /do not belong/],
    ['no API key', { apiKey: ' ' }, /has no API Key/],
    ['an API key that no header can carry', { apiKey: 'key-密钥' }, /cannot carry/],
    ['a token that no header can carry', { authorizationToken: 'key-密钥' }, /cannot carry/],
    ['no API secret', { apiSecret: '' }, /has no API Secret/],
    ['a code in two lists', { customResultCodes: true, emptyCodes: '0' }, /code 0 in two lists/],
  ])('%s: an error before any request, without the key', async (_, change, text) => {
    const { execute, testCredential } = await createHarness({ ...gateway.credential(), ...change });
    const { error } = await execute(BALANCE);
    expect(error?.message).toMatch(text);
    expect(descriptionOf(error)).toMatch(/\S/);
    expect(`${error?.message} ${descriptionOf(error)}`).not.toContain('密钥');
    expect(await testCredential()).toMatchObject({
      status: 'Error',
      message: expect.stringMatching(text),
    });
    expect(gateway.requests).toHaveLength(0);
  });

  // Guess: plain-http
  test('plain http to another machine is used when the credential allows it', async () => {
    const change = { baseUrl: 'http://sms.invalid', allowHttp: true };
    const { execute } = await createHarness({ ...gateway.credential(), ...change });
    expect((await execute(BALANCE)).error?.message).toMatch(/No connection .* could be opened/);
  });
});

// Guess: token-use
test('the authorization token goes only with Create a signature', async () => {
  const credential = { ...gateway.credential(), authorizationToken: ' token-7c1e9b\n' };
  const { execute } = await createHarness(credential);
  await execute(BALANCE);
  await execute({ resource: 'signature', operation: 'getAll' });
  const create = { resource: 'signature', operation: 'create', name: 'n' };
  await execute(create);
  await execute({ ...create, options: { endpointPath: '/v2/sign' } });
  await execute({ resource: 'signature', operation: 'delete', signatureId: byId(202) });
  expect(gateway.requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    undefined,
    'token-7c1e9b',
    'token-7c1e9b',
    undefined,
  ]);
});

test('a signed request is sent only to the Base URL', async () => {
  const { loader } = await start();
  const { authenticate } = loader.getCredential(CREDENTIAL).type;
  if (typeof authenticate !== 'function') throw new TypeError('No authenticate()');
  const otherProtocol = gateway.baseUrl.replace(/^http:/, 'https:');
  for (const url of ['http://evil.example/x', `${otherProtocol}/sendsms/balance`, '/x']) {
    const request = authenticate(gateway.credential() as never, { method: 'POST', url });
    await expect(request).rejects.toThrow(/the credential is for/);
  }
  // A query, as the HTTP Request node may add one, is no part of the path that is signed.
  const credential = { ...gateway.credential(), customSigning: true, signaturePayload: '{path}' };
  const sign = async (url: string) =>
    (await authenticate(credential as never, { method: 'POST', url })).headers?.['X-Sign'];
  const url = `${gateway.baseUrl}/sendsms/balance`;
  expect(await sign(`${url}?a=1`)).toBe(await sign(url));
});

describe('a request of another node with the credential, as the HTTP Request node makes it', () => {
  const SEND = { sms_sign_id: 201, phone_numbers: ['13800138000'], content: 'Grüße' };

  /** Makes the request with n8n's older helper, as the HTTP Request node does. */
  const LEGACY: INodeType = {
    description: describeNode({
      credentials: [{ name: CREDENTIAL }],
      properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
    }),
    async execute() {
      const body = (await this.helpers.requestWithAuthentication.call(this, CREDENTIAL, {
        method: 'POST',
        uri: this.getNodeParameter('url', 0) as string,
        body: this.getInputData()[0]?.json.body ?? SEND,
        followRedirect: true,
        followAllRedirects: true,
        json: true,
      })) as IDataObject;
      return [[{ json: body }]];
    },
  };
  const legacy = { node: { type: 'test.legacy' } };

  const startLegacy = async (options: GatewayOptions = {}) => {
    await start(options);
    return await createHarness(gateway.credential(), { otherNodes: { 'test.legacy': LEGACY } });
  };

  test.each([
    ['send', SEND, JSON.stringify(SEND)],
    ['balance', ' {}\n', ' {}\n'],
    ['balance', Buffer.from(' {}\n'), ' {}\n'],
  ])('is signed, with the exact bytes of the body: %s, %j', async (path, body, rawBody) => {
    const { execute } = await startLegacy({
      signaturePayload: '{method}{path}{timestamp}{nonce}{body}{apiSecret}',
    });
    const url = `${gateway.baseUrl}/sendsms/${path}`;
    const { json } = await execute({ url }, [{ body }] as never, legacy);
    expect(json).toMatchObject([{ code: 0 }]);
    expect(gateway.requests).toMatchObject([{ rawBody }]);
  });

  test('does not follow a redirect with the signed headers', async () => {
    const { execute } = await startLegacy();
    gateway.fault({ kind: 'redirect', location: `${gateway.baseUrl}/sendsms/balance` });
    const url = `${gateway.baseUrl}/sendsms/send`;
    expect((await execute({ url }, [{}], legacy)).error).toBeDefined();
    expect(gateway.requests.map(({ path }) => path)).toEqual(['/sendsms/send']);
  });
});
