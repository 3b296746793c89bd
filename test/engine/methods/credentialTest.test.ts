import { testConnection } from '../../../nodes/SmsMessagingService/methods/credentialTest';
import { useGatewayPerTest } from '../../kit/engine/gateway';

const { gateway, testCredential } = useGatewayPerTest();

describe('the credential test', () => {
  test('passes when the balance is read', async () => {
    expect(await testCredential()).toMatchObject({ status: 'OK' });
    expect(gateway.requests.map(({ path }) => path)).toEqual(['/sendsms/balance']);
  });

  test('goes by the Custom Result Codes of the credential, also with a code that is text', async () => {
    gateway.fault({ kind: 'wrongShape', body: { code: '200', balance: 10 } });
    const codes = { customResultCodes: true, successCodes: '200' };
    const credential = { ...gateway.credential(), ...codes };
    expect(await testCredential(credential)).toMatchObject({ status: 'OK' });
  });

  // Guess: code
  test.each([
    ['a negative code', { kind: 'businessCode', code: -1, msg: 'locked' }, 'locked (code -1)'],
    ['a code beside a balance', { kind: 'wrongShape', body: { code: 7, balance: 10 } }, '(code 7)'],
    ['a web page', { kind: 'html' }, 'a web page'],
    ['an unexpected answer', { kind: 'wrongShape', body: { hello: 'world' } }, 'shape'],
    ['half an answer', { kind: 'truncatedJson' }, 'cut off'],
    ['HTTP 404', { kind: 'status', status: 404 }, 'HTTP 404'],
    ['a redirect', { kind: 'redirect', location: '/elsewhere' }, 'redirects'],
  ] as const)('fails on %s', async (_, fault, words) => {
    gateway.fault(fault);
    const result = await testCredential();
    expect(result).toEqual({ status: 'Error', message: expect.stringContaining(words) });
    expect(result.message).not.toContain('operation');
    // A redirect is not followed with the signed headers.
    expect(gateway.requests).toHaveLength(1);
  });

  test.each([
    ['a wrong key', { code: 1, message: '登录授权有误' }, false],
    ['a code beside a balance', { code: 7, msg: 'ok', balance: 10 }, true],
    ['a code that repeats the HTTP status', { code: 200, msg: 'ok' }, true],
  ])('has one advice for %s', async (_, body, isSuccess) => {
    gateway.fault({ kind: 'wrongShape', body });
    const { message } = await testCredential();
    const { code, msg, message: words = msg } = body as { code: number; [name: string]: unknown };
    expect(message).toContain(`The service rejected the request: ${words} (code ${code}). `);
    expect(message.includes("'Success Codes'")).toBe(isSuccess);
    expect(message.includes('Custom Request Signing')).toBe(!isSuccess);
    expect(message).not.toContain('Empty Codes');
  });

  // Guess: timeouts
  test('has a time limit of its own', async () => {
    const answer = { statusCode: 200, headers: {}, body: '{"code":0,"balance":1}' };
    const request = jest.fn().mockResolvedValue(answer);
    const credential = { data: gateway.credential() };
    await testConnection.call({ helpers: { request } } as never, credential as never);
    expect(request).toHaveBeenCalledWith(expect.objectContaining({ timeout: 15_000 }));
  });

  test('fails on a wrong secret, and masks it', async () => {
    const result = await testCredential({ ...gateway.credential(), apiSecret: 'wrong-secret' });
    expect(result.status).toBe('Error');
    expect(result.message).toContain('Check API Key, API Secret and ');
    // Each advice once.
    expect(result.message.match(/Custom Request Signing/g)).toHaveLength(1);
    expect(JSON.stringify(result)).not.toMatch(/wrong-secret|[\da-f]{64}/);
    expect(JSON.stringify(result)).not.toContain(gateway.apiKey);
  });
});
