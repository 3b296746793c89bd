/** Functions that the builder prints into expressions, in n8n's engine. */
import { callOf } from '../../builder/expression';
import { evaluate } from '../kit/workflows/expression';

const held = (rows: object[]) =>
  evaluate(
    `={{ ${callOf('desk/src/common/messages/thresholds', 'thresholdsIn', "$('Thresholds').all()")}.keep_days }}`,
    { nodes: { Thresholds: rows } },
  );

test.each([
  [[{}], 90],
  [[{ name: 'keep_days', value: 7 }, { name: 'keep_days' }], 7],
])('with %j, rows are kept for %j days', (rows, days) => {
  expect(held(rows)).toBe(days);
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
