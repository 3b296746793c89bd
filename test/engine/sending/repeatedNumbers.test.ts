import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CONTINUE, people, phone, TEMPLATE, useSendingGateway } from '../../kit/engine/sends';

/** One phone number that gets many messages of a run: a hint after the send says so. */

const { gateway, execute, allow } = useSendingGateway();

beforeEach(() => allow(Infinity));

const ONE = phone(900);
const OTHER = phone(901);
const FIXED = { ...TEMPLATE, phoneNumbers: ONE };

/** What a send says of the numbers of a run. */
async function wordsOf(
  parameters: INodeParameters,
  items: IDataObject[],
  options: IDataObject = {},
): Promise<string | undefined> {
  const send = await execute({ ...parameters, options } as INodeParameters, items, CONTINUE);
  const after = aboutNumbers(send.hints);
  expect(after.length).toBeLessThan(2);
  return after[0];
}

/** Other hints say which items have failed. */
const aboutNumbers = (hints: string[]) => hints.filter((hint) => /phone numbers? gets?/.test(hint));

const MAP =
  "'Phone Numbers' is the same for all items: if each item has a number of its own, map it there.";
const CHECK = "If that is wrong, check the expression in 'Phone Numbers'.";
const MERGE = "If the texts are equal, set 'Duplicate Numbers' to 'Merge': then only one is sent.";

/** Items of which the first have the same phone number. */
const same = (count: number, others = 0) =>
  people(count + others).map((item, index) => (index < count ? { ...item, phone: ONE } : item));

test.each<[string, INodeParameters, IDataObject[], string]>([
  [
    'one fixed number',
    FIXED,
    people(30),
    `One phone number gets 30 messages: ${ONE}. ${MAP} ${MERGE}`,
  ],
  [
    'a fixed number and two items',
    FIXED,
    people(2),
    `One phone number gets 2 messages: ${ONE}. ${MAP} ${MERGE}`,
  ],
  [
    'several fixed numbers',
    { ...TEMPLATE, phoneNumbers: `${ONE}, ${OTHER}` },
    people(3),
    `2 phone numbers get more than 1 message each, up to 3 for ${ONE}. ${MAP} ${MERGE}`,
  ],
  [
    'an expression',
    TEMPLATE,
    same(6),
    `One phone number gets 6 messages: ${ONE}. ${CHECK} ${MERGE}`,
  ],
  [
    'an expression, for some items',
    TEMPLATE,
    [...people(3, { phone: OTHER }), ...same(30, 300), ...people(4, { phone: [OTHER, phone(5)] })],
    `2 phone numbers get more than 5 messages each, up to 30 for ${ONE}. ${CHECK} ${MERGE}`,
  ],
])('%s: a hint says it', async (_, parameters, items, words) => {
  expect(await wordsOf(parameters, items)).toBe(words);
});

test.each<[string, INodeParameters, IDataObject[], IDataObject]>([
  ['a fixed number and one item', FIXED, people(1), {}],
  ['a few messages to one number', TEMPLATE, same(5, 20), {}],
  ['each number once', TEMPLATE, people(300), {}],
  [
    'equal messages that are merged',
    FIXED,
    people(30, { code: '1' }),
    { duplicateNumbers: 'merge' },
  ],
  ['items with the same idempotency key', FIXED, people(30), { idempotencyKey: 'same' }],
  ['messages that cannot be sent', FIXED, people(30, { code: '' }), {}],
])('%s: no word', async (_, parameters, items, options) => {
  expect(await wordsOf(parameters, items, options)).toBeUndefined();
});

test('where messages are merged already, that is no advice', async () => {
  const words = `One phone number gets 30 messages: ${ONE}. ${MAP}`;
  expect(await wordsOf(FIXED, people(30), { duplicateNumbers: 'merge' })).toBe(words);
});

test('a run that must send nothing has no word', async () => {
  expect(await wordsOf(FIXED, people(30), { maxMessages: 5 })).toBeUndefined();
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
