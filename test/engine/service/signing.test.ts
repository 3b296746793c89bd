import { createHash, createHmac } from 'node:crypto';
import {
  computeSignature,
  createNonce,
  DEFAULT_SIGNATURE_PAYLOAD,
} from '../../../nodes/SmsMessagingService/service/signing';
import type { SigningInput } from '../../../nodes/SmsMessagingService/service/signing';

const INPUT: SigningInput = {
  apiKey: 'demo-key',
  apiSecret: 'demo-secret',
  timestamp: '1767225600',
  nonce: 'n-1',
  method: 'POST',
  path: '/sendsms/balance',
  body: '{}',
};

// Guess: sign-text, sign-algorithm
test.each<[payload: string, values: Partial<SigningInput>, text: string]>([
  [DEFAULT_SIGNATURE_PAYLOAD, {}, 'demo-keydemo-secret1767225600n-1'],
  [DEFAULT_SIGNATURE_PAYLOAD, { apiSecret: '密钥-ключ-🔑' }, 'demo-key密钥-ключ-🔑1767225600n-1'],
  ['{method}|{path}|{nonce}|{apiSecret}', {}, 'POST|/sendsms/balance|n-1|demo-secret'],
  ['{apiKey}{timestamp}{body}', { body: '"验证码"' }, 'demo-key1767225600"验证码"'],
  // Each part on its own line, also the last.
  ['{method}\\n{path}\\n{body}\\n', {}, 'POST\n/sendsms/balance\n{}\n'],
  // Values that look like placeholders are not replaced.
  ['a{apiKey}b{nonce}', { apiKey: '{nonce}', nonce: 'x' }, 'a{nonce}bx'],
])('%j with %j: the request signature is the hash of %j', (payload, values, text) => {
  const input = { ...INPUT, ...values };
  const sha256 = createHash('sha256').update(text).digest('hex');
  const hmac = createHmac('sha256', input.apiSecret).update(text).digest('hex');
  expect(computeSignature(payload, 'sha256', input)).toBe(sha256);
  expect(computeSignature(payload, 'hmacSha256', input)).toBe(hmac);
});

test('other tools compute the same: sha256sum, and openssl dgst -sha256 -hmac', () => {
  const nonce = '000102030405060708090a0b0c0d0e0f';
  expect(computeSignature(DEFAULT_SIGNATURE_PAYLOAD, 'sha256', { ...INPUT, nonce })).toBe(
    'b3a247c28c262027f089eb01b6e1b55b32b33afd200938ec1f3595450c0512cd',
  );
  const payload = '{apiKey}{timestamp}{nonce}';
  expect(computeSignature(payload, 'hmacSha256', { ...INPUT, nonce: 'n-4' })).toBe(
    'c103a8af1055588852a7a536af196604c963f65a6fc13aca252563d4ff28fe2c',
  );
});

test('a nonce is never repeated', () => {
  const nonces = Array.from({ length: 10_000 }, createNonce);
  expect(new Set(nonces).size).toBe(nonces.length);
});
