import fc from 'fast-check';
import { findPlaceholders } from '../../../nodes/SmsMessagingService/service/placeholders';

const SYNTAXES: Record<string, (name: string) => string> = {
  '${name}': (name) => `\${${name}}`,
  '{{name}}': (name) => `{{${name}}}`,
  '{name}': (name) => `{${name}}`,
  '#name#': (name) => `#${name}#`,
};

/** Names and text in any script, without the characters that mark placeholders. */
const name = fc.stringMatching(/^[^\s"{}#$]{1,12}$/u);
const chineseName = fc.stringMatching(/^[\u4e00-\u9fff\w]{1,8}$/);
const words = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map((text) => text.replace(/["{}#$]/g, ''));

/** A text with placeholders in one syntax, and text between them. */
const template = fc.record({
  write: fc.constantFrom(...Object.values(SYNTAXES)),
  start: words,
  parts: fc.array(fc.tuple(fc.oneof(name, chineseName), words), { maxLength: 8 }),
});

// Guess: marks
test.each([
  ['您的验证码是${code},${minutes}分钟内有效', ['code', 'minutes']],
  ['Hello {{ name }}, order {{order}}', ['name', 'order']],
  ['验证码{1},{2}分钟内有效', ['1', '2']],
  ['尊敬的{姓名},您的订单{订单号}已发货', ['姓名', '订单号']],
  ['您的验证码#code#,有效期#minutes#分钟', ['code', 'minutes']],
  ['系统将于今晚22:00维护,敬请谅解。', []],
  ['again ${code}: ${code}', ['code']],
  ['{{{name}}}', ['name']],
  ['an empty {} and {{}} and ${} and ##', []],
  ['{not a name} and # 1 # and {"a":1}', []],
])('finds the placeholder names in "%s"', (text, names) => {
  expect(findPlaceholders(text)).toEqual({ names, agrees: true });
});

describe('a text with more than one syntax', () => {
  const text = '#双十一#活动:{name},您的优惠码是${code},{shop}';

  test.each([
    ['the first syntax with the number of names that the service states', 2, ['name', 'shop']],
    ['the more explicit of two syntaxes with that number', 1, ['code']],
    ['all syntaxes together, if that gives the number', 4, ['双十一', 'name', 'code', 'shop']],
    ['the most explicit syntax, if the service states no number', undefined, ['code']],
  ])('is read as %s', (_, paramCount, names) => {
    expect(findPlaceholders(text, paramCount)).toEqual({ names, agrees: true });
  });

  // Guess: param-count
  test('with another number of names than the service states: agrees is false', () => {
    expect(findPlaceholders(text, 3)).toEqual({ names: ['code'], agrees: false });
    expect(findPlaceholders('no parameters', 1)).toEqual({ names: [], agrees: false });
  });
});

// Guess: param-count
test('a name that is in the text twice may count once or twice', () => {
  const text = '${code} ${code} ${minutes}';
  for (const paramCount of [2, 3])
    expect(findPlaceholders(text, paramCount)).toEqual({
      names: ['code', 'minutes'],
      agrees: true,
    });
});

test('a text without placeholders agrees with 0, also when it has such characters', () => {
  expect(findPlaceholders('plain', 0)).toEqual({ names: [], agrees: true });
  expect(findPlaceholders('#sale# today', 0)).toEqual({ names: [], agrees: true });
});

test('finds the placeholders in order, in any script and syntax', () => {
  fc.assert(
    fc.property(template, ({ write, start, parts }) => {
      const text = start + parts.map(([each, after]) => write(each) + after).join('');
      const names = [...new Set(parts.map(([each]) => each))];
      expect(findPlaceholders(text)).toEqual({ names, agrees: true });
      expect(findPlaceholders(text, names.length)).toEqual({ names, agrees: true });
    }),
    { numRuns: 300 },
  );
});
