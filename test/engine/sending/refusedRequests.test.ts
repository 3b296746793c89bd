import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Gateway } from '../../sandbox/gateway';
import type { Harness } from '../harness';
import { byId } from '../harness/locators';
import {
  CONTINUE,
  CUSTOM,
  descriptionOf,
  isFor,
  people,
  phone,
  shareSendingGateway,
  TEMPLATE,
  withOptions,
} from '../harness/sends';

/** The service refuses a whole batch because of some of its messages. The others are sent all the same. */

let gateway: Gateway;
let execute: Harness['execute'];

shareSendingGateway((world) => {
  ({ gateway, execute } = world);
});

const refuse = (...indices: number[]) =>
  gateway.fault({ kind: 'businessCode', code: 2006, match: isFor(...indices), times: Infinity });

/** Sends one message to each of a number of people, and returns the statuses. */
const statusesOf = async (count: number, options: IDataObject = {}) => {
  const { json } = await execute(withOptions(options), people(count), CONTINUE);
  for (const deliveries of gateway.deliveries().values()) expect(deliveries).toBe(1);
  return json.map(({ status }) => status);
};

/** The statuses of a number of people, when some of them are refused. */
const expected = (count: number, ...refused: number[]) =>
  Array.from({ length: count }, (_, index) => (refused.includes(index) ? 'rejected' : 'accepted'));

test.each([0, 1, 50, 98, 99])('message %d of 100 is refused, and no other', async (bad) => {
  refuse(bad);
  expect(await statusesOf(100)).toEqual(expected(100, bad));
  expect(gateway.deliveries().size).toBe(99);
  // The batch, two messages alone, and then two halves on each level.
  expect(gateway.requests.length).toBeLessThanOrEqual(1 + 2 + 2 * 7);
});

test.each([2, 3])('one of %d messages is refused, and the others are sent', async (count) => {
  for (let bad = 0; bad < count; bad++) {
    gateway.reset();
    refuse(bad);
    expect(await statusesOf(count)).toEqual(expected(count, bad));
  }
});

test('several messages in several parallel batches are refused, and the others are sent', async () => {
  const bad = [3, 17, 18, 140, 199, 230];
  refuse(...bad);
  expect(await statusesOf(250)).toEqual(expected(250, ...bad));
});

test('whichever messages are refused, no others are, unless two were refused alone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 18 }), { maxLength: 6 }),
      fc.integer({ min: 0, max: 1 }),
      async (bad, first) => {
        gateway.reset();
        const all = first ? [0, ...bad] : bad;
        refuse(...all);
        expect(await statusesOf(20)).toEqual(expected(20, ...all));
      },
    ),
    { numRuns: 40 },
  );
});

test('when the service refuses the account, two more requests find that out, once in a run', async () => {
  gateway.fault({ kind: 'businessCode', code: 2008, msg: 'no balance', times: Infinity });
  expect(await statusesOf(500)).toEqual(Array(500).fill('rejected'));
  expect(gateway.requests).toHaveLength(5 + 2);
});

test('when the balance ends in the middle, the splitting ends too', async () => {
  gateway.state.balance = 130;
  expect(await statusesOf(1000, { maxConcurrency: 1 })).toEqual([
    ...Array(130).fill('accepted'),
    ...Array(870).fill('rejected'),
  ]);
  // Ten batches, and the consecutive refusals after which the splitting ends.
  expect(gateway.requests.length).toBeLessThan(10 + 90);
});

test('each outcome has the answer to its own request', async () => {
  refuse(1);
  const { json } = await execute(TEMPLATE, people(3), CONTINUE);
  expect(json).toMatchObject([
    { status: 'accepted', batch_count: 1 },
    { status: 'rejected', code: 2006, request_id: expect.any(String), http_status: 200 },
    { status: 'accepted', batch_count: 1 },
  ]);
});

test('a batch that may have been sent is never split', async () => {
  gateway.fault({ kind: 'wrongShape', body: { code: 5, batch_id: 'b', count: 2 } });
  expect(await statusesOf(4)).toEqual(Array(4).fill('unknown'));
  expect(gateway.requests).toHaveLength(1);
});

test('a part without an answer is unknown, and the rest is sent', async () => {
  refuse(3);
  gateway.fault({ kind: 'resetAfterAccept', nth: 3 });
  const statuses = await statusesOf(8);
  expect(statuses.filter((status) => status === 'unknown').length).toBeGreaterThan(0);
  expect(statuses[3]).toBe('rejected');
  expect(gateway.deliveries().size).toBe(7);
});

test('a part is sent again after a short Retry-After, and a long one ends the run', async () => {
  refuse(3);
  gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', nth: 2 });
  expect(await statusesOf(8)).toEqual(expected(8, 3));

  gateway.reset();
  refuse(3);
  gateway.fault({ kind: 'tooManyRequests', retryAfter: '3600', nth: 3 });
  const statuses = await statusesOf(8);
  expect(statuses.filter((status) => status === 'accepted').length).toBe(gateway.deliveries().size);
  expect(statuses).toContain('rejected');
});

test('a retry sends only the refused messages', async () => {
  refuse(3);
  const contextData = {};
  await execute(TEMPLATE, people(8), { contextData });
  gateway.clearFaults();
  const sentBefore = gateway.requests.length;
  const { json } = await execute(TEMPLATE, people(8), { contextData });
  expect(json.map(({ remembered }) => remembered ?? false)).toEqual(
    expected(8, 3).map((status) => status === 'accepted'),
  );
  expect(gateway.requests.slice(sentBefore)).toHaveLength(1);
  expect(gateway.deliveries()).toEqual(new Map(people(8).map((each) => [each.phone, 1])));
  expect(gateway.deliveries().get(phone(3))).toBe(1);
});

test.each([
  [
    'template',
    { ...TEMPLATE, templateId: byId(999) },
    /^The service refused the request: .* \(code 2002\)$/,
    "Are template 999 and signature 201 in this account? Choose them from their lists, and check the parameters and 'Phone Numbers'.",
  ],
  [
    'signature',
    { ...CUSTOM, content: 'x', signatureId: byId(999) },
    /^The service refused the request: .* \(code 2004\)$/,
    "Is signature 999 in this account? Choose it from its list, and check 'Content' and 'Phone Numbers'.",
  ],
])(
  'a %s that the account does not have: the error says what to look at',
  async (_, parameters, message, check) => {
    const { error } = await execute(parameters, people(1));
    expect(error?.message).toMatch(message);
    expect(descriptionOf(error)).toBe(
      `Nothing was sent. ${check} Your provider's manual lists what the code means. If every operation is refused, check the credential, also its Custom Request Signing.`,
    );
  },
);
