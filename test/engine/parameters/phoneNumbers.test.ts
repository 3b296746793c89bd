import {
  describeInvalid,
  parsePhoneNumbers,
} from '../../../nodes/SmsMessagingService/parameters/phoneNumbers';
import { MIXED, MOBILE, NO_MOBILES, SPELLINGS } from '../../kit/phoneCells';

type Format = Parameters<typeof parsePhoneNumbers>[1];

const read = (value: unknown) => parsePhoneNumbers(value, 'mainlandMobile');
const readAny = (value: unknown) => parsePhoneNumbers(value, 'any');

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

describe('the phone number format "any"', () => {
  // Guess: phone-numbers, phone-form
  test.each([
    ['+85261234567', ['85261234567']],
    ['10086,138001', ['10086', '138001']],
    ['85261234567 85261234568', ['85261234567', '85261234568']],
    ['12000000000', ['12000000000']],
    ['+86 138 0013 8000', ['13800138000']],
    ['12345678901234567890', ['12345678901234567890']],
    ['0085261234567 tel:+85261234567 85261234567', Array<string>(3).fill('85261234567')],
    ['008613800138000,+86-138-0013-8000', ['13800138000', '13800138000']],
    ['0012125550123,+12125550123', ['12125550123', '12125550123']],
    ['00861012345678', ['861012345678']],
    ['["85261234567", 10086]', ['85261234567', '10086']],
  ])('takes 5 to 20 digits: %s', (text, valid) => {
    expect(readAny(text)).toMatchObject({ valid, invalid: [] });
  });

  test.each<[string, unknown[]]>([
    [
      'another number of digits',
      ['1008', '123456789012345678901', '1008x', '001234', '+001234567'],
    ],
    [
      'groups',
      ['+852 6123 45678', '61234567 1', '+852-6123-4567', '(021)61234567', '10086 138001'],
    ],
    ['a country code apart', ['00852 61234567', '00852,61234567', '852,61234567', '00852']],
    ['a trunk prefix', ['01512 3456789', '90123 45678', '+44207 9460958', '+44(0)2079460958']],
    // Without its plus, it is a number of the mainland.
    [
      '+1',
      [
        ...['+13800138000', '0013800138000', '+16502530000', 'tel:+16502530000', '1-380-013-8000'],
        '+1-415-555-0123',
      ],
    ],
    [
      'an amount',
      ['61234567.0', '61234567,0', '61234567²', '1,234,567.00', '1.234.567', '-61234567'],
    ],
    ['a date or an address', ['192.168.100.200', '2026-01-01', '31-12-2026']],
    ['a range or an extension', ['61234567-61234570', '0755-12345678-8001', '61234567转8001']],
    ['a number that JavaScript cannot hold', [61234567.5, 2 ** 53]],
  ])('does not take %s', (_, values) => {
    for (const value of values) {
      expect(readAny(value)).toMatchObject({ valid: [], invalid: [String(value)] });
    }
  });

  test('does not take a number that JavaScript cannot hold from a list in JSON', () => {
    expect(readAny('[12345678901234567891, 9007199254740993, "61234567"]')).toMatchObject({
      valid: ['61234567'],
      invalid: ['12345678901234567000', '9007199254740992'],
    });
  });
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
