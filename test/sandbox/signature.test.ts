import type { SignatureRules } from './signature';
import { SignatureCheck, expectedSignature } from './signature';
import { CODES, Refusal } from './codes';

/**
 * Test vectors. The expected values come from other tools:
 * `printf '%s' '<payload>' | sha256sum`, and `… | openssl dgst -sha256 -hmac '<secret>'`.
 */
const vectors: {
  name: string;
  rules: SignatureRules;
  timestamp: string;
  nonce: string;
  method?: string;
  path?: string;
  body?: string;
  sign: string;
}[] = [
  {
    name: 'the default payload',
    rules: { apiKey: 'sandbox-key', apiSecret: 'sandbox-secret' },
    timestamp: '1700000000',
    nonce: 'nonce-1',
    sign: 'edccba9d2dadf0fb11d77cab4424168c271b30780c980d82cc33891b31bda949',
  },
  {
    name: 'API key, API secret and nonce with non-ASCII characters',
    rules: { apiKey: 'ключ', apiSecret: '密钥-é' },
    timestamp: '1700000001',
    nonce: 'ñonce-2',
    sign: '585978d1f05ba8ec6551289572df0cf67d28ac86f55e8bc0a040f68d20f0bd40',
  },
  {
    name: 'an API secret with an emoji',
    rules: { apiKey: 'k', apiSecret: '密钥🔑s' },
    timestamp: '1700000000',
    nonce: 'n1',
    sign: 'b64e0ef4f7c0be1c5bdf19df52de2fbcafb00a7498cdf258e97e276b7eca26e2',
  },
  {
    name: 'a payload with every placeholder',
    rules: {
      apiKey: 'k',
      apiSecret: 's',
      payload: '{apiKey}.{apiSecret}.{timestamp}.{nonce}.{method}.{path}.{body}',
    },
    timestamp: '1700000000',
    nonce: 'n1',
    method: 'POST',
    path: '/sms/sendsms/send',
    body: '{"content":"您好","phone_numbers":["13800138000"],"sms_sign_id":201}',
    sign: '205b5c1d1e40c77b9c45f6692870b275c85501a1fae26f4c8f22cfac9d090589',
  },
  {
    name: 'HMAC with non-ASCII characters in the API secret',
    rules: {
      apiKey: 'k',
      apiSecret: '密钥s',
      payload: '{apiKey}{timestamp}{nonce}',
      algorithm: 'hmacSha256',
    },
    timestamp: '1700000000',
    nonce: 'n1',
    sign: '046d880114ad322aad8cc6b274ba2e986888964c6ba50ee973f43acf2af4c503',
  },
  {
    name: 'HMAC of method, path and body on separate lines',
    rules: {
      apiKey: 'k',
      apiSecret: 's',
      payload: '{method}\n{path}\n{body}',
      algorithm: 'hmacSha256',
    },
    timestamp: '1700000000',
    nonce: 'n1',
    path: '/sendsms/balance',
    body: '{}',
    sign: '716e32aa3239724609ce8f403099e1cef9b6baaa4a967b42ebf84ec65d82215f',
  },
];

describe('expectedSignature', () => {
  it.each(vectors)('computes X-Sign like other tools: $name', (vector) => {
    const { rules, timestamp, nonce, method = 'POST', path = '/', body = '', sign } = vector;
    const request = { timestamp, nonce, method, path, rawBody: Buffer.from(body, 'utf8') };
    expect(expectedSignature(rules, request)).toBe(sign);
  });

  it('does not replace a placeholder inside a value', () => {
    const rules = { apiKey: '{nonce}', apiSecret: 's', payload: '{apiKey}' };
    const request = { timestamp: '1', nonce: 'n', method: 'POST', path: '/', rawBody: Buffer.of() };
    expect(expectedSignature(rules, request)).toBe(
      'fab18a5db1a6293b0d70b7ec15584d603f5957fb8e0faddd0a49a3f77cac4201',
    );
  });
});

describe('SignatureCheck', () => {
  const rules = { apiKey: 'k', apiSecret: 's' };

  function signed(nonce: string, timestamp = String(Math.floor(Date.now() / 1000))) {
    const rawBody = Buffer.from('{}');
    const sign = expectedSignature(rules, { timestamp, nonce, method: 'POST', path: '/', rawBody });
    return {
      method: 'POST',
      path: '/',
      rawBody,
      headers: {
        'x-api-key': 'k',
        'x-timestamp': timestamp,
        'x-nonce': nonce,
        'x-sign': sign,
      } as Record<string, string>,
    };
  }

  function codeOf(action: () => void): number {
    try {
      action();
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
    return 0;
  }

  it('refuses a repeated nonce for as long as its timestamp is valid', () => {
    jest.useFakeTimers({ now: 1_700_000_000_000 });
    try {
      const check = new SignatureCheck(rules);
      // The latest accepted timestamp is 300 s in the future. It stays valid for 600 s.
      const request = signed('n1', String(1_700_000_000 + 300));
      expect(codeOf(() => check.verify(request))).toBe(0);
      for (const seconds of [1, 300, 299]) {
        jest.advanceTimersByTime(seconds * 1000);
        check.verify(signed(`other ${Date.now()}`));
        expect(codeOf(() => check.verify(request))).toBe(CODES.nonceReused);
      }
      jest.advanceTimersByTime(1000);
      expect(codeOf(() => check.verify(request))).toBe(CODES.badTimestamp);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each(['x-api-key', 'x-timestamp', 'x-nonce', 'x-sign'])('requires the header %s', (name) => {
    const request = signed('n1');
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([header]) => header !== name),
    );
    expect(codeOf(() => new SignatureCheck(rules).verify({ ...request, headers }))).toBe(
      CODES.missingHeader,
    );
  });

  it('refuses X-Sign in upper case', () => {
    const request = signed('n1');
    request.headers['x-sign'] = (request.headers['x-sign'] ?? '').toUpperCase();
    expect(codeOf(() => new SignatureCheck(rules).verify(request))).toBe(CODES.badSignature);
  });

  it('does not count the nonce of a refused request as used', () => {
    const check = new SignatureCheck(rules);
    const forged = signed('n1');
    forged.headers['x-sign'] = '0'.repeat(64);
    expect(codeOf(() => check.verify(forged))).toBe(CODES.badSignature);
    expect(codeOf(() => check.verify(signed('n1')))).toBe(0);
  });
});
