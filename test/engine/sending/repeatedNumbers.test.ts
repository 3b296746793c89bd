import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CONTINUE, people, phone, TEMPLATE, useSendingGateway } from '../../kit/engine/sends';

/** One phone number that gets many messages of a run: a hint after the send says so. */

const { gateway, execute, allow } = useSendingGateway();

beforeEach(() => allow(Infinity));

const ONE = phone(900);
const OTHER = phone(901);
const FIXED = { ...TEMPLATE, phoneNumbers: ONE };

/** Other hints say which items have failed. */
const aboutNumbers = (hints: string[]) => hints.filter((hint) => /phone numbers? gets?/.test(hint));

const MAP =
  "'Phone Numbers' is the same for all items: if each item has a number of its own, map it there.";
const CHECK = "If that is wrong, check the expression in 'Phone Numbers'.";

/** Items of which the first have the same phone number. */
const same = (count: number, others = 0) =>
  people(count + others).map((item, index) => (index < count ? { ...item, phone: ONE } : item));

const MERGING = { duplicateNumbers: 'merge' };

test.each<[string, INodeParameters, IDataObject[], IDataObject, ...words: string[]]>([
  ['one fixed number', FIXED, people(2), {}, `One phone number gets 2 messages: ${ONE}.`, MAP],
  [
    'several fixed numbers',
    { ...TEMPLATE, phoneNumbers: `${ONE}, ${OTHER}` },
    people(3),
    {},
    `2 phone numbers get more than 1 message each, up to 3 for ${ONE}.`,
    MAP,
  ],
  [
    'an expression, for some items',
    TEMPLATE,
    [...people(3, { phone: OTHER }), ...same(30, 300), ...people(4, { phone: [OTHER, phone(5)] })],
    {},
    `2 phone numbers get more than 5 messages each, up to 30 for ${ONE}.`,
    CHECK,
  ],
  ['messages merged', FIXED, people(9), MERGING, `One phone number gets 9 messages: ${ONE}.`, MAP],
  ['a fixed number and one item', FIXED, people(1), {}],
  ['a few messages to one number', TEMPLATE, same(5, 20), {}],
  ['equal messages that are merged', FIXED, people(9, { code: '1' }), MERGING],
  ['items with the same idempotency key', FIXED, people(9), { idempotencyKey: 'same' }],
  ['a run that must send nothing', FIXED, people(9), { maxMessages: 5 }],
])('%s', async (_, parameters, items, options, ...words) => {
  const { hints } = await execute({ ...parameters, options } as INodeParameters, items, CONTINUE);
  expect(aboutNumbers(hints)).toEqual(words.length > 0 ? [words.join(' ')] : []);
});

test('what the service refuses does not count, and what it may have accepted does', async () => {
  gateway.fault({ kind: 'businessCode', code: 9000, times: Infinity });
  expect(aboutNumbers((await execute(FIXED, people(30), CONTINUE)).hints)).toEqual([]);
  gateway.clearFaults();
  gateway.fault({ kind: 'resetAfterAccept' });
  const { json, hints } = await execute(FIXED, people(30), CONTINUE);
  expect(json[0]).toMatchObject({ status: 'unknown' });
  expect(hints).toEqual([
    expect.stringContaining(`gets 30 messages: ${ONE}`),
    expect.stringMatching(/^Of 30 messages, 30 may have been sent: .* First: item 0\.$/),
  ]);
});
