/** Functions that the builder prints into expressions, in n8n's engine. */
import { callOf } from '../../builder/expression';
import { evaluate } from '../kit/workflows/expression';

const DAYS = "$('Days').all().map(({ json }) => json)";

const counted = (days: object[]) =>
  evaluate(`={{ ${callOf('desk/src/common/records/days', 'countedTo', DAYS, "'inbox_id'")} }}`, {
    nodes: { Days: days },
  });

test.each([
  [[{}], 0],
  [[{ inbox_id: null }, { inbox_id: 7 }, { inbox_id: 3 }], 7],
])('of %j, what is counted ends at %j', (days, last) => {
  expect(counted(days)).toBe(last);
});

test.each([
  [{ query: { lang: 'zh' }, headers: {} }, 'zh'],
  [{ query: {}, headers: { 'accept-language': 'zh-CN,zh;q=0.9' } }, 'zh'],
  [{ query: { lang: 'en' }, headers: { 'accept-language': 'zh-CN' } }, 'en'],
  [{}, 'en'],
])('the language of %j is %s', (request, lang) => {
  const expression = `={{ ${callOf('builder/code/lang', 'langOf', '$json')} }}`;
  expect(evaluate(expression, { $json: request })).toBe(lang);
});

test('what n8n’s engine reads in another way is refused', () => {
  const module = 'test/templates/optionalName';
  expect(() => callOf(module, 'valueOf', '$json')).toThrow('No expression has ?.[name]');
});
