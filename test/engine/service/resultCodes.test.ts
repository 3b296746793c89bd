import type { IDataObject } from 'n8n-workflow';
import {
  meaningOfCode,
  readResultCodes,
} from '../../../nodes/SmsMessagingService/service/resultCodes';

/** The lists of Custom Result Codes. What they mean for requests is in declared/answers. */

const codesOf = (fields: IDataObject) =>
  readResultCodes({ customResultCodes: true, ...fields } as never);

const successes = (fields: IDataObject) =>
  [...codesOf(fields).listed].flatMap(([code, meaning]) => (meaning === 'success' ? [code] : []));

test.each<[unknown, string[]]>([
  ['0', ['0']],
  ['0，200、1000；OK', ['0', '200', '1000', 'ok']],
  ['0\n200\t1000', ['0', '200', '1000']],
  ['000,-1,0', ['0', '-1']],
  [200, ['200']],
  // Without one, nothing would ever succeed.
  ['', ['0']],
])('the success codes %p are %j', (successCodes, codes) => {
  expect(successes({ successCodes } as IDataObject)).toEqual(codes);
});

test.each<[string, boolean, string[]]>([
  ['10004, none', true, ['0', '10004']],
  ['NONE', true, ['0']],
  ['10004', false, ['0', '10004']],
  ['', false, ['0']],
  ['nones', false, ['0', 'nones']],
])('with the empty codes %s, an answer without a field is empty: %p', (emptyCodes, is, codes) => {
  const read = codesOf({ emptyCodes, throttledCodes: ' ', unclearCodes: '' });
  expect([read.isNothingEmpty, [...read.listed.keys()]]).toEqual([is, codes]);
});

test('the word none means so only in Empty Codes', () => {
  expect(codesOf({ unclearCodes: 'none' }).isNothingEmpty).toBe(false);
  expect(readResultCodes({ emptyCodes: 'none' }).isNothingEmpty).toBe(false);
});

test.each([
  [undefined, 'none'],
  ['0', 'success'],
  ['ok', 'success'],
  ['0010007', 'throttled'],
  [-100, 'other'],
  ['1e2', 'other'],
])('the code %p is in the list %s', (code, meaning) => {
  expect(meaningOfCode(code, codesOf({ successCodes: '0, Ok' }))).toBe(meaning);
});

test.each<[IDataObject, string]>([
  [
    { emptyCodes: '7, 0' },
    "The credential has the code 0 in two lists: 'Success Codes' and 'Empty Codes'",
  ],
  // The default of an empty list counts.
  [
    { successCodes: '', unclearCodes: '00' },
    "The credential has the code 0 in two lists: 'Success Codes' and 'Unclear Codes'",
  ],
  [
    { throttledCodes: 'busy', unclearCodes: 'BUSY' },
    "The credential has the code busy in two lists: 'Too Fast Codes' and 'Unclear Codes'",
  ],
  [{ otherCodes: 'success' }, "The credential's 'Other Codes' must be refused or unclear"],
])('%j is an error', (fields, message) => {
  expect(() => codesOf(fields)).toThrow(message);
});
