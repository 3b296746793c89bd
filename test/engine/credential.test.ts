import type { IDataObject, INodeType } from 'n8n-workflow';
import { startGateway } from '../sandbox/gateway';
import type { Gateway, GatewayOptions } from '../sandbox/gateway';

import { createHarness, CREDENTIAL } from './harness';
import type { Harness } from './harness';

const BALANCE = { resource: 'balance', operation: 'get' };
const SECRET = 'a-secret-that-must-not-leak';

const ECHOED_SIGNATURE = 'ab'.repeat(32);

let gateway: Gateway;

async function start(options: GatewayOptions = {}): Promise<Harness> {
  gateway = await startGateway({ apiSecret: SECRET, ...options });
  return await createHarness(gateway.credential() as never);
}

afterEach(async () => {
  expect(gateway.violations).toEqual([]);
  await gateway.close();
});

describe('the headers of §5', () => {
  test('stand on every request, with the content type even where there is no body', async () => {
    const { execute } = await start();
    const { json } = await execute(BALANCE);

    expect(json).toEqual([{ code: 0, msg: expect.any(String), balance: gateway.state.balance }]);
    expect(gateway.requests).toHaveLength(1);
    const [request] = gateway.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/sendsms/balance', rawBody: '{}' });
    expect(request?.headers).toMatchObject({
      'x-api-key': gateway.apiKey,
      'x-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-nonce': expect.stringMatching(/^[\da-f]{32}$/),
      'x-sign': expect.stringMatching(/^[\da-f]{64}$/),
      'content-type': 'application/json',
    });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  test.each<GatewayOptions>([
    { signatureAlgorithm: 'hmacSha256', signaturePayload: '{apiKey}{timestamp}{nonce}' },
    { signaturePayload: '{method}\n{path}\n{timestamp}\n{nonce}\n{body}\n{apiSecret}' },
    { signaturePayload: '{apiKey}{timestamp}{nonce}{body}{apiSecret}', prefix: '/sms/v1' },
    { apiSecret: '密钥-ключ-🔑' },
  ])('are signed the way the operator wants: %j', async (options) => {
    const { execute, testCredential } = await start(options);
    expect((await execute(BALANCE)).json).toMatchObject([{ code: 0 }]);
    expect(await testCredential()).toMatchObject({ status: 'OK' });
  });

  test('sign the exact bytes of a body', async () => {
    const { execute } = await start({
      signaturePayload: '{apiKey}{timestamp}{nonce}{body}{apiSecret}',
    });
    const { json } = await execute({
      resource: 'message',
      operation: 'sendCustom',
      signatureId: { __rl: true, mode: 'id', value: '201' },
      phoneNumbers: '13800138000',
      content: '您的包裹已到 “驿站” 🚚\n请取件',
    });
    expect(json).toMatchObject([{ status: 'accepted' }]);
  });
});

describe('the credential test', () => {
  test('passes on the balance', async () => {
    const { testCredential } = await start();
    expect(await testCredential()).toMatchObject({ status: 'OK' });
    expect(gateway.requests.map(({ path }) => path)).toEqual(['/sendsms/balance']);
  });

  test.each([1, 1003, 9999, -1])('fails on code %d with the words of the service', async (code) => {
    const { testCredential } = await start();
    gateway.fault({ kind: 'businessCode', code, msg: 'account is locked' });
    expect(await testCredential()).toEqual({
      status: 'Error',
      message: expect.stringContaining(`account is locked (code ${code})`),
    });
  });

  test('fails on a code other than 0 even when a balance stands beside it', async () => {
    const { testCredential } = await start();
    gateway.fault({ kind: 'wrongShape', body: { code: 7, msg: 'frozen', balance: 10 } });
    expect(await testCredential()).toMatchObject({ status: 'Error' });
  });

  test('takes a code that comes as text', async () => {
    const { testCredential } = await start({ codeAsText: true });
    expect(await testCredential()).toMatchObject({ status: 'OK' });
  });

  test.each([
    ['a web page', { kind: 'html' }],
    ['an unexpected answer', { kind: 'wrongShape', body: { hello: 'world' } }],
    ['half an answer', { kind: 'truncatedJson' }],
    ['HTTP 500', { kind: 'status', status: 500 }],
    ['HTTP 404', { kind: 'status', status: 404 }],
    ['a redirect', { kind: 'redirect', location: '/elsewhere' }],
  ] as const)('fails on %s', async (_, fault) => {
    const { testCredential } = await start();
    gateway.fault(fault);
    const result = await testCredential();
    expect(result.status).toBe('Error');
    expect(result.message).toMatch(/\S/);
    expect(result.message).not.toContain('operation');
  });

  test('fails on a wrong secret and keeps it to itself', async () => {
    const { testCredential } = await start();
    const result = await testCredential({ ...gateway.credential(), apiSecret: 'wrong-secret' });
    expect(result.status).toBe('Error');
    expect(result.message).toContain('Check API Key and API Secret.');
    expect(JSON.stringify(result)).not.toMatch(/wrong-secret|[\da-f]{64}/);
    expect(JSON.stringify(result)).not.toContain(gateway.apiKey);
  });
});

describe('a credential that cannot be used', () => {
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ['no base URL', { baseUrl: '' }, /has no Base URL/],
    ['a malformed base URL', { baseUrl: 'sms.example.com' }, /not a web address/],
    ['another protocol', { baseUrl: 'ftp://sms.example.com' }, /must start with https/],
    ['plain http to another machine', { baseUrl: 'http://sms.example.com' }, /plain http/],
    ['a query in the base URL', { baseUrl: 'https://sms.example.com/?a=b' }, /do not belong/],
    ['no API key', { apiKey: ' ' }, /has no API Key/],
    ['an API key that no header can carry', { apiKey: 'key-密钥' }, /cannot carry/],
    ['no API secret', { apiSecret: '' }, /has no API Secret/],
  ];

  test.each(cases)('%s: is told before any request', async (_, change, text) => {
    gateway = await startGateway();
    const { execute, testCredential } = await createHarness({
      ...gateway.credential(),
      ...change,
    } as never);
    const { error } = await execute(BALANCE);
    expect(error?.message).toMatch(text);
    expect((error as { description?: string }).description).toMatch(/\S/);
    expect(await testCredential()).toMatchObject({
      status: 'Error',
      message: expect.stringMatching(text),
    });
    expect(gateway.requests).toHaveLength(0);
  });

  test('plain http to another machine is possible when it is allowed', async () => {
    gateway = await startGateway();
    const { execute } = await createHarness({
      ...gateway.credential(),
      baseUrl: 'http://sms.invalid',
      allowHttp: true,
    } as never);
    expect((await execute(BALANCE)).error?.message).toMatch(/No connection .* could be opened/);
  });
});

test('a signed request goes nowhere but to the base URL', async () => {
  const { loader } = await start();
  const { authenticate } = loader.getCredential('smsMessagingServiceApi').type;
  if (typeof authenticate !== 'function') throw new TypeError('No authenticate()');
  await expect(
    authenticate(gateway.credential() as never, { method: 'POST', url: 'https://evil.example/x' }),
  ).rejects.toThrow(/the credential is for/);
});

describe('a node of another package that uses the credential, as the HTTP Request node does', () => {
  const SEND = { sms_sign_id: 201, phone_numbers: ['13800138000'], content: 'Grüße' };

  /** Makes the request the way the HTTP Request node does: with n8n's older helper. */
  const LEGACY: INodeType = {
    description: {
      displayName: 'Legacy',
      name: 'legacy',
      group: ['output'],
      version: 1,
      description: 'Makes a request with the credential',
      defaults: {},
      inputs: ['main'],
      outputs: ['main'],
      credentials: [{ name: CREDENTIAL }],
      properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
    },
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
    gateway = await startGateway({ apiSecret: SECRET, ...options });
    return await createHarness(gateway.credential() as never, {
      otherNodes: { 'test.legacy': LEGACY },
    });
  };

  test('has its request signed, the exact bytes of the body included', async () => {
    const { execute } = await startLegacy({
      signaturePayload: '{method}{path}{timestamp}{nonce}{body}{apiSecret}',
    });
    const url = `${gateway.baseUrl}/sendsms/send`;
    expect((await execute({ url }, [{}], legacy)).json).toMatchObject([{ code: 0, count: 1 }]);
  });

  test.each([' {}\n', Buffer.from(' {}\n')])(
    'has a body of its own kept as it is: %j',
    async (body) => {
      const { execute } = await startLegacy({
        signaturePayload: '{timestamp}{nonce}{body}{apiSecret}',
      });
      const url = `${gateway.baseUrl}/sendsms/balance`;
      const { json } = await execute({ url }, [{ body }] as never, legacy);
      expect(json).toMatchObject([{ code: 0 }]);
      expect(gateway.requests.map(({ rawBody }) => rawBody)).toEqual([' {}\n']);
    },
  );

  test('is not led elsewhere with the signed headers by a redirect', async () => {
    const { execute } = await startLegacy();
    gateway.fault({ kind: 'redirect', location: `${gateway.baseUrl}/sendsms/balance` });
    const url = `${gateway.baseUrl}/sendsms/send`;
    expect((await execute({ url }, [{}], legacy)).error).toBeDefined();
    expect(gateway.requests.map(({ path }) => path)).toEqual(['/sendsms/send']);
  });

  test('cannot take it to another host', async () => {
    const { execute } = await startLegacy();
    const { error } = await execute({ url: 'https://evil.example/x' }, [{}], legacy);
    expect(error?.message).toMatch(/the credential is for/);
  });
});

test('no key, secret or signature is in an error, not even when the service echoes them', async () => {
  const { execute } = await start();
  gateway.fault({
    kind: 'businessCode',
    code: 1002,
    msg: `bad signature ${ECHOED_SIGNATURE}`,
    times: Infinity,
  });
  for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const) {
    const { run } = await execute(BALANCE, [{}], { node: { onError } });
    const stored = JSON.stringify(run);
    expect(stored).toContain('bad signature [hidden]');
    expect(stored).not.toContain(ECHOED_SIGNATURE);
    expect(stored).not.toContain(SECRET);
    expect(stored).not.toContain(gateway.apiKey);
    for (const { headers } of gateway.requests) {
      expect(stored).not.toContain(headers['x-sign']);
    }
  }
});
