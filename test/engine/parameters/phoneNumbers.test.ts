import fc from 'fast-check';
import { parsePhoneNumbers } from '../../../dist/nodes/SmsMessagingService/parameters/phoneNumbers';

const read = (value: unknown) => parsePhoneNumbers(value, 'mainlandMobile');
const readAny = (value: unknown) => parsePhoneNumbers(value, 'any');

describe('a mainland mobile number', () => {
  test.each([
    '13800138000',
    13800138000,
    '+8613800138000',
    '+86 13800138000',
    '86 13800138000',
    '0086-13800138000',
    '138 0013 8000',
    '138-0013-8000',
    '138.0013.8000',
    '+86 138 0013 8000',
    '+86-138-0013-8000',
    '(+86) 138-0013-8000',
    '+86 138-00138000',
    '(138) 0013-8000',
    ' 13800138000. ',
    '１３８００１３８０００',
    '\u202d13800138000\u202c',
    '\ufeff138\u00a00013\u00a08000',
    ['13800138000'],
  ])('may be written as %p', (value) => {
    expect(read(value)).toEqual({ valid: ['13800138000'], invalid: [] });
  });

  test.each([
    '12000000000',
    '+13800138000',
    '1380013800',
    '138001380000',
    '1380013800x',
    '1390013 1390',
    '10086 138001',
    '1380 013 8000',
    '138 00138000',
    '138 0013 80001',
    'x138 0013 8000',
    13800138000.5,
    10n,
    true,
  ])('is not %p', (value) => {
    expect(read(value)).toEqual({ valid: [], invalid: [String(value)] });
  });

  test.each([
    [
      '13800138000 1390013900 13700137000 13600136000',
      ['13800138000', '13700137000', '13600136000'],
      ['1390013900'],
    ],
    ['138 0013 8000 139 0013 9000', ['13800138000', '13900139000'], []],
    ['+86 13800138000 +86 13900139000', ['13800138000', '13900139000'], []],
    [
      '13800138000,13900139000;13700137000、x',
      ['13800138000', '13900139000', '13700137000'],
      ['x'],
    ],
    ['13800138000，13900139000；13700137000', ['13800138000', '13900139000', '13700137000'], []],
    [['13800138000', ['13900139000 y']], ['13800138000', '13900139000'], ['y']],
    [[{ a: 1 }, null, undefined, ''], [], ['{"a":1}']],
  ])('is found among other texts: %p', (value, valid, invalid) => {
    expect(read(value)).toEqual({ valid, invalid });
  });

  test('is never joined from parts of several numbers', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(digits, { maxLength: 6 }), (words) => {
        const { valid, invalid } = read(words.join(' '));
        const grouped = words.flatMap((_, index) => {
          const group = words.slice(index, index + 3);
          return group.map(({ length }) => length).join() === '3,4,4' ? [group.join('')] : [];
        });
        for (const number of valid) {
          const isWord = words.some((word) =>
            [number, `86${number}`, `0086${number}`].includes(word),
          );
          expect(isWord || grouped.includes(number)).toBe(true);
        }
        // The two lists together have every digit.
        const count = (texts: string[]) => texts.join('').replace(/\D/g, '').length;
        expect(count(valid) + count(invalid)).toBeGreaterThanOrEqual(
          count(words) - 4 * valid.length,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('is found in a text of 12,000 words without delay', () => {
    const { valid, invalid } = read(`${'1380 '.repeat(12_000)}13800138000`);
    expect(valid).toEqual(['13800138000']);
    expect(invalid).toEqual(['1380 '.repeat(12_000).trim()]);
  });
});

describe('the phone number format "any"', () => {
  test.each([
    ['+85261234567', ['85261234567']],
    ['+852-6123-4567', ['85261234567']],
    ['10086 138001', ['10086', '138001']],
    ['12000000000', ['12000000000']],
    ['+86 138 0013 8000', ['13800138000']],
    ['12345678901234567890', ['12345678901234567890']],
  ])('takes 5 to 20 digits: %s', (text, valid) => {
    expect(readAny(text)).toEqual({ valid, invalid: [] });
  });

  test.each(['1008', '123456789012345678901', '1008x', '+852 6123 45678'])(
    'does not take %s',
    (text) => {
      expect(readAny(text)).toEqual({ valid: [], invalid: [text] });
    },
  );

  test('takes only whole mobile numbers beside a fragment of a number', () => {
    expect(readAny('+852 13800138000 6123 45678')).toEqual({
      valid: ['13800138000'],
      invalid: ['+852', '6123 45678'],
    });
  });
});
