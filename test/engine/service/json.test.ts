import { canonicalJson, ExactNumber } from '../../../nodes/SmsMessagingService/service/json';

test('canonical JSON has the same names in the same order, and tells lists in another order apart', () => {
  const exact = new ExactNumber('12345678901234567890');
  expect(canonicalJson({ b: exact, a: { d: [{ f: 1, e: [2, 1] }], c: '{"h":1,"g":2}' } })).toBe(
    '{"a":{"c":"{\\"h\\":1,\\"g\\":2}","d":[{"e":[2,1],"f":1}]},"b":12345678901234567890}',
  );
});
