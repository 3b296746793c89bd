import { findPlaceholders } from '../../../nodes/SmsMessagingService/service/placeholders';

// Guess: marks
test.each([
  ['您的验证码是${code},${minutes}分钟内有效', ['code', 'minutes']],
  ['Hello {{ name }}, order {{order}}', ['name', 'order']],
  ['验证码{1},{2}分钟内有效', ['1', '2']],
  ['尊敬的{姓名},您的订单{订单号}已发货', ['姓名', '订单号']],
  ['Здравствуйте {имя}, {é😀-ñ.1_2,very_long}', ['имя', 'é😀-ñ.1_2,very_long']],
  ['您的验证码#code#,有效期#minutes#分钟', ['code', 'minutes']],
  ['系统将于今晚22:00维护,敬请谅解。', []],
  ['again ${code}: ${code}', ['code']],
  ['{{{name}}}', ['name']],
  ['an empty {} and {{}} and ${} and ##', []],
  ['{not a name} and # 1 # and {"a":1}', []],
])('finds the placeholder names in "%s"', (text, names) => {
  expect(findPlaceholders(text)).toEqual({ names, agrees: true });
});

test.each([
  // A name that is there twice may count once or twice.
  ['${code} ${code} ${minutes}', 2, ['code', 'minutes']],
  ['${code} ${code} ${minutes}', 3, ['code', 'minutes']],
  ['plain', 0, []],
  ['#sale# today', 0, []],
])('"%s" agrees with %d names', (text, paramCount, names) => {
  expect(findPlaceholders(text, paramCount)).toEqual({ names, agrees: true });
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

  test('with another number of names than the service states: agrees is false', () => {
    expect(findPlaceholders(text, 3)).toEqual({ names: ['code'], agrees: false });
    expect(findPlaceholders('no parameters', 1)).toEqual({ names: [], agrees: false });
  });
});
