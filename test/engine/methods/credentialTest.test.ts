import { testConnection } from '../../../nodes/SmsMessagingService/methods/credentialTest';
import { CODE_AS_TEXT } from '../../sandbox/deviations';
import { useGatewayPerTest } from '../harness/gateway';

const { gateway, testCredential, restart } = useGatewayPerTest();

describe('the credential test', () => {
  // Guess: credential-test
  test('passes when the balance is read', async () => {
    expect(await testCredential()).toMatchObject({ status: 'OK' });
    expect(gateway.requests.map(({ path }) => path)).toEqual(['/sendsms/balance']);
  });

  // Guess: code
  test.each([1, 1003, 9999, -1])('fails on code %d with the words of the service', async (code) => {
    gateway.fault({ kind: 'businessCode', code, msg: 'account is locked' });
    expect(await testCredential()).toEqual({
      status: 'Error',
      message: expect.stringContaining(`account is locked (code ${code})`),
    });
  });

  test('fails on a code other than 0, also when the answer has a balance', async () => {
    gateway.fault({ kind: 'wrongShape', body: { code: 7, msg: 'frozen', balance: 10 } });
    expect(await testCredential()).toMatchObject({ status: 'Error' });
  });

  // Guess: code-type
  test('passes with a code that is text', async () => {
    await restart({ deviations: [CODE_AS_TEXT] });
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
    gateway.fault(fault);
    const result = await testCredential();
    expect(result.status).toBe('Error');
    expect(result.message).toMatch(/\S/);
    expect(result.message).not.toContain('operation');
    // A redirect is not followed with the signed headers.
    expect(gateway.requests).toHaveLength(1);
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
    expect(result.message).toContain('Check API Key and API Secret.');
    // Each advice once.
    expect(result.message.match(/Custom Request Signing/g)).toHaveLength(1);
    expect(JSON.stringify(result)).not.toMatch(/wrong-secret|[\da-f]{64}/);
    expect(JSON.stringify(result)).not.toContain(gateway.apiKey);
  });
});
