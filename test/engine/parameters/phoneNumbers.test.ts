import {
  describeInvalid,
  parsePhoneNumbers,
} from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import { MIXED, MOBILE, NO_MOBILES, SPELLINGS } from '../../kit/phoneCells';

type Format = Parameters<typeof parsePhoneNumbers>[1];

const read = (value: unknown) => parsePhoneNumbers(value, 'mainlandMobile');

describe('a mainland mobile number', () => {
  // Guess: phone-form
  test.each(SPELLINGS)('may be written %s', (_, values) => {
    for (const value of values) {
      expect(read(value)).toMatchObject({ valid: [MOBILE], invalid: [] });
    }
  });

  // Guess: phone-numbers
  test.each(NO_MOBILES)('is not %s', (_, values) => {
    for (const value of values) {
      expect(read(value)).toMatchObject({ valid: [], invalid: [String(value)] });
    }
  });

  test.each(MIXED)('is found among other texts: %p', (value, valid, invalid) => {
    expect(read(value)).toMatchObject({ valid, invalid });
  });
});

// Guess: phone-numbers, phone-form
test.each<[cell: unknown, valid: string[], invalid: string[]]>([
  ['+85261234567,10086', ['85261234567', '10086'], []],
  ['+86-138-0013-8000', [MOBILE], []],
  ['+852-6123-4567', [], ['+852-6123-4567']],
  // test/search/ reads many cells in both formats. Of these it makes few.
  ['12345678901234567890', ['12345678901234567890'], []],
  ['123456789012345678901', [], ['123456789012345678901']],
  ['1008', [], ['1008']],
  ['+001234567', [], ['+001234567']],
  [2 ** 53, [], ['9007199254740992']],
  ['[12345678901234567891, "61234567"]', ['61234567'], ['12345678901234567000']],
])('the phone number format "any" takes 5 to 20 digits: of %p %j', (cell, valid, invalid) => {
  expect(parsePhoneNumbers(cell, 'any')).toMatchObject({ valid, invalid });
});

describe('an error', () => {
  const describe = (value: unknown, format: Format = 'any') =>
    describeInvalid(parsePhoneNumbers(value, format).invalid, format);

  test('shows what cannot be seen', () => {
    const { message } = describe(
      '138\u008500138000, 13800138000\u0000, 13800138000\udb40',
      'mainlandMobile',
    );
    expect(message).toBe(
      `'Phone Numbers' has "138[U+0085]00138000", "13800138000[U+0000]", "13800138000[U+DB40]", which are not mobile numbers`,
    );
  });

  test.each(['+16502530000', '0016502530000', 'tel:+16502530000', '+16502530000 +19995550123'])(
    'says why %s is not taken',
    (text) => {
      for (const format of ['any', 'mainlandMobile'] as const) {
        const { description } = describe(text, format);
        const [word] = text.split(' ');
        expect(description).toContain(
          `as digits ${word} would be a mobile number of mainland China`,
        );
        expect(description).not.toMatch(/A number has/);
      }
    },
  );

  test.each([
    ...['+1234', '+1650-2530000', '+1-650-253-0000', '16502530000x', '-16502530000'],
    '+16502530000,50',
  ])('says of %s only how a number is written', (text) => {
    expect(describe(text).description).toMatch(/^A number has 5 to 20 digits/);
  });
});

describe('a text that is no list of phone numbers', () => {
  const LENGTH = 300_000;
  test.each([
    ['words with digits', '1380 '],
    ['amounts', '1,380,'],
    ['one long number', '1'],
    ['groups that are nearly a number', '138 0013 800 '],
    ['spaces', ' '],
    ['full-width words', 'ｘ　'],
    ['invisible characters', '\u200b'],
    ['a country code', '+86 '],
  ])('comes to an end: 300 kB of %s', (_, part) => {
    const text = part.repeat(LENGTH / part.length);
    for (const format of ['mainlandMobile', 'any'] as const) {
      expect(parsePhoneNumbers(text, format).valid).toEqual([]);
    }
  });

  test.each([',', ' ', ', ', '\n', '，', '、', ' \n'])(
    'is not one of 100,000 phone numbers, separated by %j',
    (separator) => {
      const numbers = Array.from({ length: 100_000 }, (_, index) => `138${10_000_000 + index}`);
      expect(read(numbers.join(separator))).toEqual({ valid: numbers, invalid: [] });
    },
  );
});
