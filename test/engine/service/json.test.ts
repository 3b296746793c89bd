import * as fc from 'fast-check';
import { canonicalJson, ExactNumber } from '../../../nodes/SmsMessagingService/service/json';

describe('canonical JSON', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, inner]) => [name, shuffled(inner)]),
    );
  };

  test('is the same for every order of names, and JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('tells lists in another order apart, and a long number from its digits as text', () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson({ b: new ExactNumber('12345678901234567890'), a: { d: 1, c: 2 } })).toBe(
      '{"a":{"c":2,"d":1},"b":12345678901234567890}',
    );
  });
});
