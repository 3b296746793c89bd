import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { RUN_OPTIONS } from '../../../nodes/SmsMessagingService/sending/options';
import { byId } from '../harness/locators';
import {
  CONTINUE,
  CUSTOM,
  descriptionOf,
  isFor,
  messagesOf,
  people,
  RETRY,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../harness/sends';

/** The service refuses a whole request, perhaps because of one of its messages, and perhaps untruly. */

const { gateway, execute, allow } = useSendingGateway();

const refuse = (...indices: number[]) =>
  gateway.fault({
    kind: 'businessCode',
    code: 2006,
    match: isSend(isFor(...indices)),
    times: Infinity,
  });

/** Restricts a match to the sends: the balance is read between them. */
const isSend =
  (match: ReturnType<typeof isFor>): ReturnType<typeof isFor> =>
  (request) =>
    request.path.endsWith('/send') && match(request);

const sends = () => gateway.requests.filter(({ path }) => path.endsWith('/send'));

const statusesOf = async (count: number, options: IDataObject = {}) => {
  const { json } = await execute(withOptions(options), people(count), CONTINUE);
  return json.map(({ status }) => status);
};

const all = (count: number, status: string) => Array<string>(count).fill(status);

/** The statuses of a number of people, when some of them are refused. */
const expected = (count: number, ...refused: number[]) =>
  Array.from({ length: count }, (_, index) => (refused.includes(index) ? 'rejected' : 'accepted'));

describe('a refused request', () => {
  // Guess: refused-request
  test('is not sent again, and its messages are rejected', async () => {
    refuse(3);
    expect(await statusesOf(250)).toEqual([...all(100, 'rejected'), ...all(150, 'accepted')]);
    expect(sends()).toHaveLength(3);
  });

  test('is not sent again by Retry On Fail, but by "Retry execution" and a new execution', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, times: 1 });
    const contextData = {};
    const first = await execute(TEMPLATE, people(2), {
      contextData,
      node: { ...RETRY, maxTries: 5 },
    });
    expect(first.error?.message).toMatch(/^None of the 2 messages was sent: .*\(code 9000\)$/);
    expect(sends()).toHaveLength(1);
    const retried = await execute(TEMPLATE, people(2), { contextData });
    expect(retried.json).toMatchObject(all(2, '').map(() => ({ status: 'accepted' })));
    expect(retried.json[0]).not.toHaveProperty('remembered', true);
    expect(sends()).toHaveLength(2);
  });

  test('costs nobody a second message, if the service accepts a part of it under a code', async () => {
    gateway.fault({
      kind: 'wrongShape',
      accept: true,
      body: { code: 2006, msg: '号码错误' },
      times: Infinity,
    });
    const { error } = await execute(withOptions({ batchSize: 100 }), people(100), {
      node: { ...RETRY, maxTries: 3 },
    });
    expect(error?.message).toContain('None of the 100 messages');
    expect(sends()).toHaveLength(1);
  });

  test('with several messages: the advice names what helps', async () => {
    refuse(0);
    const { error } = await execute(TEMPLATE, people(3));
    expect(descriptionOf(error)).toContain(
      `'${RUN_OPTIONS.batchSize.label}' and '${RUN_OPTIONS.refusedRequests.label}' under Options`,
    );
  });
});

describe('with "Divide", a refused request', () => {
  const DIVIDE = { refusedRequests: 'divide' };

  // Guess: refused-request
  test.each([0, 1, 50, 98, 99])('costs only the message %d of 100 that is refused', async (bad) => {
    refuse(bad);
    expect(await statusesOf(100, DIVIDE)).toEqual(expected(100, bad));
    // The request, its first message alone and the others, and two halves on each level.
    expect(sends().length).toBeLessThanOrEqual(1 + 2 + 2 * 7);
    expect(gateway.maxInFlight).toBe(1);
  });

  test('costs only the refused ones, whichever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 19 }), { maxLength: 6 }),
        async (bad) => {
          gateway.reset();
          refuse(...bad);
          expect(await statusesOf(20, DIVIDE)).toEqual(expected(20, ...bad));
        },
      ),
      { numRuns: 12 },
    );
  });

  test('is divided 15 times in a row at most, and again after an acceptance', async () => {
    gateway.fault({ kind: 'businessCode', code: 2008, match: isSend(() => true), times: Infinity });
    expect(await statusesOf(500, DIVIDE)).toEqual(all(500, 'rejected'));
    // The rest of the first request, and each other request once.
    expect(sends().length).toBeLessThanOrEqual(16 + 8 + 4);

    gateway.reset();
    gateway.fault({
      kind: 'businessCode',
      code: 2008,
      match: isSend(isFor(...range(0, 100))),
      times: Infinity,
    });
    refuse(150, 250);
    const statuses = await statusesOf(300, DIVIDE);
    expect(statuses.slice(100, 200)).toEqual(all(100, 'rejected'));
    expect(statuses.slice(200)).toEqual(all(100, 'rejected'));
  });

  test('is unknown if the balance has changed, and nothing is divided any more', async () => {
    // Two of four are accepted, and paid.
    gateway.fault({
      kind: 'wrongShape',
      match: isSend(isFor(0)),
      accept: true,
      body: { code: 2006, msg: '号码错误' },
    });
    refuse(4);
    expect(await statusesOf(8, { ...DIVIDE, batchSize: 4 })).toEqual([
      ...all(4, 'unknown'),
      ...all(4, 'rejected'),
    ]);
    expect(sends()).toHaveLength(2);
  });

  test('ends with the first sign that something was sent', async () => {
    refuse(0, 6);
    // Requests with 4: all, without 0, without 1, and half of that.
    gateway.fault({ kind: 'resetAfterAccept', match: isSend(isFor(4)), nth: 4 });
    const statuses = await statusesOf(8, DIVIDE);
    expect(statuses).toEqual([...expected(2, 0), ...all(3, 'unknown'), ...all(3, 'rejected')]);
  });

  test('is not divided any more if an acceptance leaves the balance as it was', async () => {
    // A service that accepts what it refuses, and shows one balance for ever.
    const balance = { code: 0, msg: 'ok', balance: 7 };
    gateway.fault({ kind: 'wrongShape', body: balance, path: '/sendsms/balance', times: Infinity });
    const body = { code: 2006, msg: '号码错误' };
    const match = isSend((request) => messagesOf(request).length > 1);
    gateway.fault({ kind: 'wrongShape', accept: true, body, match, times: Infinity });
    const { json } = await execute(withOptions(DIVIDE), people(100), CONTINUE);
    expect(json.map(({ status }) => status)).toEqual(['accepted', ...all(99, 'rejected')]);
    const twice = [...gateway.deliveries().entries()].filter(([, count]) => count > 1);
    expect(twice).toEqual([[people(1)[0]?.phone, 2]]);
    allow(2);
  });

  test('stands if the balance cannot be read', async () => {
    gateway.fault({ kind: 'status', status: 404, path: '/sendsms/balance', times: Infinity });
    refuse(1);
    expect(await statusesOf(4, DIVIDE)).toEqual(all(4, 'rejected'));
    expect(sends()).toHaveLength(1);
  });

  test('sends only the refused messages in a retry of the execution', async () => {
    refuse(3);
    const contextData = {};
    await execute(withOptions(DIVIDE), people(8), { contextData, node: { ...RETRY, maxTries: 2 } });
    const before = sends().length;
    expect(gateway.deliveries().size).toBe(7);
    gateway.clearFaults();
    const { json } = await execute(withOptions(DIVIDE), people(8), { contextData });
    expect(json.map(({ status }) => status)).toEqual(all(8, 'accepted'));
    expect(
      sends()
        .slice(before)
        .map((request) => messagesOf(request).length),
    ).toEqual([1]);
  });

  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index);
});

test.each([
  [
    'template',
    { ...TEMPLATE, templateId: byId(999) },
    /^The service refused the request: .* \(code 2002\)$/,
    "Choose 'Template' from its list.",
  ],
  [
    'signature',
    { ...CUSTOM, content: 'x', signatureId: byId(999) },
    /^The service refused the request: .* \(code 2004\)$/,
    "Choose 'Signature' from its list.",
  ],
])(
  'a %s that the account does not have: the error says what to do about it',
  async (_, parameters, message, check) => {
    const { error } = await execute(parameters, people(1));
    expect(error?.message).toMatch(message);
    expect(descriptionOf(error)).toBe(
      `Nothing was sent. ${check} Your provider's manual lists what the code means.`,
    );
  },
);

test.each([
  [
    'signature verification failed',
    /^Nothing was sent\. (?!.*'Signature').*Custom Request Signing/,
  ],
  ['余额不足', /^Nothing was sent\. Top up the account before you send again\./],
  ['签名未报备', /^Nothing was sent\. Choose 'Signature' from its list\. (?!.*Request Signing)/],
  ['failed', /^Nothing was sent\. Are template 301 and signature 201 in this account\?/],
])('the advice fits the words "%s"', async (msg, advice) => {
  gateway.fault({ kind: 'businessCode', code: 9000, msg });
  const { error } = await execute(TEMPLATE, people(1));
  expect(descriptionOf(error)).toMatch(advice);
});
