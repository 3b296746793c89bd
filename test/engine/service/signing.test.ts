import {
  computeSignature,
  createNonce,
  DEFAULT_SIGNATURE_PAYLOAD,
} from '../../../nodes/SmsMessagingService/service/signing';
import type { SigningInput } from '../../../nodes/SmsMessagingService/service/signing';

const input: SigningInput = {
  apiKey: 'demo-key',
  apiSecret: 'demo-secret',
  timestamp: '1767225600',
  nonce: 'n-1',
  method: 'POST',
  path: '/sendsms/balance',
  body: '{}',
};

interface Vector {
  name: string;
  payload?: string;
  algorithm?: Parameters<typeof computeSignature>[1];
  values: Partial<SigningInput>;
  sign: string;
}

/**
 * Each `sign` comes from other tools: `printf '%s' '<text>' | sha256sum`, and for HMAC
 * `printf '%s' '<text>' | openssl dgst -sha256 -hmac '<secret>'`.
 */
const vectors: Vector[] = [
  {
    // Guess: sign-text
    name: 'the default payload',
    // demo-keydemo-secret1767225600000102030405060708090a0b0c0d0e0f
    values: { nonce: '000102030405060708090a0b0c0d0e0f' },
    sign: 'b3a247c28c262027f089eb01b6e1b55b32b33afd200938ec1f3595450c0512cd',
  },
  {
    // Guess: sign-text
    name: 'a secret that is not ASCII',
    // key-密钥-ключ-🔑1767225600n-1
    values: { apiKey: 'key-', apiSecret: '密钥-ключ-🔑' },
    sign: '73397e54eb2ea7e8cba919bbea55e0130e6e91e383ec861d20776219fac50bba',
  },
  {
    // Guess: sign-values
    name: 'a payload of method, path and body',
    // POST|/sendsms/balance|1767225600|n-2|{}|demo-secret
    payload: '{method}|{path}|{timestamp}|{nonce}|{body}|{apiSecret}',
    values: { nonce: 'n-2' },
    sign: '6b676944d451a7e2809ba855bfea32126858cd1cdd2545fc511aae299acb1ae2',
  },
  {
    name: 'a body that is not ASCII',
    // demo-key1767225600n-3{"template_id":101,"note":"验证码 4821"}demo-secret
    payload: '{apiKey}{timestamp}{nonce}{body}{apiSecret}',
    values: { nonce: 'n-3', body: '{"template_id":101,"note":"验证码 4821"}' },
    sign: 'c4d7622df98fab5e1d18f480648818c0cdafd46831f772f5de812adc2aca7ec5',
  },
  {
    // Guess: sign-algorithm
    name: 'HMAC',
    // demo-key1767225600n-4
    payload: '{apiKey}{timestamp}{nonce}',
    algorithm: 'hmacSha256',
    values: { nonce: 'n-4' },
    sign: 'c103a8af1055588852a7a536af196604c963f65a6fc13aca252563d4ff28fe2c',
  },
  {
    name: 'the same with a secret that is not ASCII',
    payload: '{apiKey}{timestamp}{nonce}',
    algorithm: 'hmacSha256',
    values: { apiSecret: '密钥-demo', nonce: 'n-4' },
    sign: 'ba7c3214d7a045f6103f59d3e20900541beeaf0b2bdb498c0366eb4200422588',
  },
  {
    // Guess: sign-lines
    name: 'lines',
    // Each part on its own line, also the last: printf 'POST\n…{}\n'
    payload: '{method}\\n{path}\\n{timestamp}\\n{nonce}\\n{body}\\n',
    algorithm: 'hmacSha256',
    values: { nonce: 'n-5' },
    sign: '77ce06b818428c09c19531985142800d9d007d113ced6344de3cbdde0237a36d',
  },
  {
    name: 'values that look like placeholders and are not replaced',
    // a{nonce}bx
    payload: 'a{apiKey}b{nonce}',
    values: { apiKey: '{nonce}', nonce: 'x' },
    sign: '50c979d0522d070807098d4995b0aa2159bc3d90b465beb5f5531e0758523274',
  },
];

test.each(vectors)('computes the request signature of $name', (vector) => {
  const { payload = DEFAULT_SIGNATURE_PAYLOAD, algorithm = 'sha256', values, sign } = vector;
  expect(computeSignature(payload, algorithm, { ...input, ...values })).toBe(sign);
});

// Guess: nonce
test('a nonce has 32 hexadecimal digits, which a header can carry', () => {
  expect(createNonce()).toMatch(/^[0-9a-f]{32}$/);
});

// Guess: nonce
test('a nonce is never repeated', () => {
  const nonces = Array.from({ length: 10_000 }, createNonce);
  expect(new Set(nonces).size).toBe(nonces.length);
});
