import { Division } from '../../../nodes/SmsMessagingService/sending/divide';
import type { Recipient } from '../../../nodes/SmsMessagingService/sending/outcome';

/** Refused Requests "Divide": what follows the refusal of a request. */

const many = (count: number) =>
  Array.from({ length: count }, (_, itemIndex) => ({ itemIndex }) as Recipient);

/** A division that reads these balances, one after the other. The last one stays. */
function divisionWith(...balances: (string | undefined)[]) {
  let reads = 0;
  const read = async () => {
    const balance = balances[Math.min(reads, balances.length - 1)];
    reads += 1;
    return balance;
  };
  return { division: new Division(true, read), reads: () => reads };
}

/** A division whose balance an acceptance has changed. */
async function proven(...balances: (string | undefined)[]) {
  const made = divisionWith('9', ...balances);
  await made.division.accept('10');
  return made;
}

async function sizesAfter(division: Division, count: number, before: string | undefined) {
  const step = await division.refuse(many(count), before);
  return step.kind === 'divide' ? step.parts.map(({ length }) => length) : step.kind;
}

test.each([
  [2, [1, 1]],
  [3, [2, 1]],
  [100, [50, 50]],
])('a request with %d messages is divided into halves: %j', async (count, sizes) => {
  const { division } = await proven();
  expect(await sizesAfter(division, count, '9')).toEqual(sizes);
});

test('no message is lost or doubled', async () => {
  const { division } = await proven();
  const all = many(7);
  const step = await division.refuse(all, '9');
  expect(step.kind === 'divide' && step.parts.flat()).toEqual(all);
});

test('before an acceptance has changed the balance, one message is tried alone', async () => {
  const { division } = divisionWith('9');
  expect(await sizesAfter(division, 100, '9')).toEqual([1, 99]);
});

test('after an acceptance that left the balance as it was, nothing is divided', async () => {
  const { division } = divisionWith('9');
  await division.accept('9');
  expect(division.isAllowed).toBe(false);
  expect(await sizesAfter(division, 100, '9')).toBe('refuse');
});

test('the refusal of one message stands', async () => {
  expect(await sizesAfter((await proven()).division, 1, '9')).toBe('refuse');
});

test.each([1, 2, 100])(
  'a refusal of %d messages that changed the balance is in doubt',
  async (count) => {
    const { division } = await proven('8');
    expect(await sizesAfter(division, count, '9')).toBe('doubt');
    expect(division.isAllowed).toBe(false);
  },
);

test('after a doubt nothing is divided, and a balance that changed is still seen', async () => {
  const { division } = await proven('9', '8');
  division.doubt();
  expect(await sizesAfter(division, 100, '9')).toBe('refuse');
  expect(await sizesAfter(division, 100, '9')).toBe('doubt');
});

test('a balance that cannot be read is asked for once, and divides nothing', async () => {
  const { division, reads } = divisionWith(undefined);
  const before = await division.balance();
  expect(await sizesAfter(division, 100, before)).toBe('refuse');
  expect(await sizesAfter(division, 100, await division.balance())).toBe('refuse');
  expect(reads()).toBe(1);
});

test('16 refusals in a row are about the account, until a message is accepted', async () => {
  const { division } = await proven();
  const steps = [];
  for (let count = 0; count < 17; count++) steps.push(await sizesAfter(division, 2, '9'));
  expect(steps).toEqual([...Array<number[]>(15).fill([1, 1]), 'refuse', 'refuse']);
  await division.accept('10');
  expect(await sizesAfter(division, 2, '9')).toEqual([1, 1]);
});

test('one that the user did not choose reads no balance', async () => {
  const division = new Division(false, () => Promise.reject(new Error('read')));
  expect(await division.balance()).toBeUndefined();
  await division.accept(undefined);
  expect(await sizesAfter(division, 100, undefined)).toBe('refuse');
});
