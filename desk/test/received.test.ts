/** A message as the customer reads it. */
import { received, segmentsOf } from '../src/common/messages/received';

test('the parameters are filled in, and the signature comes before the text', () => {
  const content = 'Dear ${name}, order ${order} of ${date}';
  const values = { name: 'Li', order: 7, date: null };
  expect(received(content, values, 'Shop')).toBe('【Shop】Dear Li, order 7 of ');
  expect(received(content, JSON.stringify(values), '【Shop】')).toBe(
    '【Shop】Dear Li, order 7 of ',
  );
});

test('what is not known stays out, and a value is not filled in again', () => {
  expect(received('Code ${code}', {})).toBe('Code ${code}');
  expect(received('Code ${code}', 'no JSON')).toBe('Code ${code}');
  expect(received('${a} ${b}', { a: '${b}', b: '$&' })).toBe('${b} $&');
  expect(received('Up to 50 %', undefined, 'Shop')).toBe('【Shop】Up to 50 %');
});

test('70 characters are one segment, and a longer text has 67 in each', () => {
  expect([0, 70, 71, 134, 135].map((length) => segmentsOf('好'.repeat(length)))).toEqual([
    1, 1, 2, 2, 3,
  ]);
});
