import { afterRefusal, costOf } from '../../../dist/nodes/SmsMessagingService/sending/divide';
import type { Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';

/** Refused Requests "Divide": what follows the refusal of a request. */

const many = (count: number) =>
  Array.from({ length: count }, (_, itemIndex) => ({ itemIndex }) as Recipient);

test.each([
  [2, [1, 1]],
  [3, [2, 1]],
  [100, [50, 50]],
])('a request with %d messages is divided into halves: %j', (count, sizes) => {
  const all = many(count);
  const step = afterRefusal(all, 'nothing', 1);
  const parts = step.kind === 'divide' ? step.parts : [];
  expect(parts.map(({ length }) => length)).toEqual(sizes);
  expect(parts.flat()).toEqual(all);
});

test.each([
  ['one message', 1, 'nothing', 1],
  ['a balance that cannot be read', 100, 'unknown', 1],
  ['the sixteenth refusal in a row, which is about the account', 100, 'nothing', 16],
] as const)('the refusal of %s stands', (_, count, cost, inARow) => {
  expect(afterRefusal(many(count), cost, inARow)).toEqual({ kind: 'refuse' });
});

test.each([1, 2, 100])(
  'a request with %d messages that has cost something is in doubt',
  (count) => {
    expect(afterRefusal(many(count), 'something', 1)).toEqual({ kind: 'doubt' });
  },
);

test.each([
  [10, 10, 'nothing'],
  [10, 9, 'something'],
  [10, 11, 'something'],
  [undefined, 10, 'unknown'],
  [10, undefined, 'unknown'],
] as const)('a balance of %j and then %j: the request has cost %s', (before, after, cost) => {
  expect(costOf(before, after)).toBe(cost);
});
