import {
  hasCode,
  MAX_WORDS_LENGTH,
  outerObject,
  readStatement,
} from '../../../nodes/SmsMessagingService/service/statement';

/** Code, words and request ID of an answer. */

const codeOf = (code: unknown) => readStatement({ code }).code;

// Guess: code-type
test.each([
  [0, 0],
  [7, 7],
  ['7', 7],
  [' 007 ', 7],
  ['-1', -1],
  ['E1', 'E1'],
  [' OK ', 'OK'],
  ['1.5', '1.5'],
  ['', undefined],
  [' ', undefined],
  [null, undefined],
  [true, undefined],
  [{ code: 7 }, undefined],
])('the code %p is read as %p', (code, read) => {
  expect(codeOf(code)).toBe(read);
  expect(hasCode({ code })).toBe(read !== undefined);
});

// Guess: refusal
test('only code, msg and request_id are read, and only texts are words', () => {
  const answer = { code: 7, msg: 'no', request_id: 'r', message: 'x', error: 'y', requestId: 'z' };
  expect(readStatement(answer)).toEqual({ code: 7, msg: 'no', requestId: 'r' });
  expect(readStatement({ msg: ' no\n', request_id: '' })).toEqual({ msg: 'no' });
  expect(readStatement({ msg: ' ', request_id: 17 })).toEqual({});
  expect(readStatement({ msg: ['no'], data: { code: 7, msg: 'no' } })).toEqual({});
});

test('words and codes are cut, but not inside a character', () => {
  const words = (length: number) => readStatement({ msg: 'x'.repeat(length) }).msg;
  expect(words(MAX_WORDS_LENGTH)).toHaveLength(MAX_WORDS_LENGTH);
  expect(words(MAX_WORDS_LENGTH + 1)).toBe(`${'x'.repeat(MAX_WORDS_LENGTH - 1)}…`);
  const { msg } = readStatement({ msg: `${'x'.repeat(MAX_WORDS_LENGTH - 2)}🔑🔑` });
  expect(msg).toBe(`${'x'.repeat(MAX_WORDS_LENGTH - 2)}…`);
  expect(codeOf('X'.repeat(1_000))).toHaveLength(MAX_WORDS_LENGTH);
});

const SAID = { code: 7, msg: 'no' };

// Guess: refusal
test.each<[unknown, object | undefined]>([
  [SAID, SAID],
  [{}, {}],
  [[SAID], SAID],
  [[[SAID]], SAID],
  [[[[SAID]]], SAID],
  [[[[[SAID]]]], undefined],
  // Records may have a code.
  [[{ id: 1, code: 7 }], undefined],
  [[SAID, SAID], undefined],
  [[], undefined],
  ['text', undefined],
  [null, undefined],
])('the object that says it in %j is %j', (answer, found) => {
  expect(outerObject(answer)).toEqual(found);
});
