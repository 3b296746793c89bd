import type { Fault } from '../../sandbox/faults';
import {
  CONTINUE,
  descriptionOf,
  inPairs,
  isFor,
  people,
  phone,
  useSendingGateway,
  TEMPLATE,
} from '../harness/sends';

/** A batch whose request fails: what becomes of its items, and of the others. */

const { gateway, execute } = useSendingGateway();

describe('a request that goes wrong', () => {
  const cases: [string, Fault, 'rejected' | 'unknown'][] = [
    ['a business code', { kind: 'businessCode', code: 9000, msg: 'refused' }, 'rejected'],
    ['HTTP 400', { kind: 'status', status: 400 }, 'rejected'],
    ['HTTP 500', { kind: 'status', status: 500 }, 'unknown'],
    ['HTTP 503 after accepting', { kind: 'status', status: 503, accept: true }, 'unknown'],
    ['a reset before accepting', { kind: 'resetBeforeAccept' }, 'unknown'],
    ['a reset after accepting', { kind: 'resetAfterAccept' }, 'unknown'],
    ['half an answer', { kind: 'truncatedJson' }, 'unknown'],
    ['half the announced bytes', { kind: 'truncatedJson', mismatchedLength: true }, 'unknown'],
    ['a web page', { kind: 'html' }, 'unknown'],
    ['an empty answer', { kind: 'emptyBody' }, 'unknown'],
    ['another shape', { kind: 'wrongShape', body: { code: 0 } }, 'unknown'],
    ['a redirect', { kind: 'redirect' }, 'unknown'],
    ['no answer', { kind: 'hang' }, 'unknown'],
  ];

  // Guess: broken-answer
  test.each(cases)(
    '%s: every item has that outcome, and nothing is sent twice',
    async (_, fault, status) => {
      gateway.fault({ ...fault, match: isFor(2) });
      // Short only where it is waited for: a busy machine may need longer for an answer.
      const timeout = fault.kind === 'hang' ? 500 : 20_000;
      const { output } = await execute(inPairs({ timeout }), people(6), {
        node: {
          onError: 'continueErrorOutput',
          retryOnFail: true,
          maxTries: 2,
          waitBetweenTries: 1,
        },
      });
      // Items 2 and 3 were in the second batch. n8n does not retry the node, because its first item is accepted.
      expect(output?.[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
        [0, 1, 4, 5].map((item) => ({ item })),
      );
      expect(output?.[1]?.map(({ json }) => json)).toMatchObject([
        { error: expect.any(String), details: { status, phone_numbers: [phone(2)] } },
        { error: expect.any(String), details: { status, phone_numbers: [phone(3)] } },
      ]);
    },
  );

  // Guess: redirect
  test.each([
    [301, '/elsewhere', 'rejected'],
    [302, '/v2/sendsms/template/send', 'rejected'],
    [302, '/elsewhere', 'unknown'],
    [303, '/v2/sendsms/template/send', 'unknown'],
    [307, '/elsewhere', 'rejected'],
    [308, '/elsewhere', 'rejected'],
  ] as const)(
    'a redirect with HTTP %d to %s: the message is %s',
    async (status, location, outcome) => {
      gateway.fault({ kind: 'redirect', status, location: gateway.origin + location });
      const { json } = await execute(inPairs(), people(1), CONTINUE);
      expect(json).toMatchObject([{ status: outcome, http_status: status }]);
      expect(gateway.requests).toHaveLength(1);
    },
  );

  test('with the old setting Continue On Fail the outcome stays in the json of its item', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'refused' });
    const { json } = await execute(TEMPLATE, people(1), { node: { continueOnFail: true } });
    expect(json).toMatchObject([{ status: 'rejected', error: expect.stringContaining('refused') }]);
  });

  test('with "Stop Workflow" the error has the counts, and a retry sends only what was not sent', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, msg: 'blocked', match: isFor(0, 1) });
    gateway.fault({ kind: 'resetAfterAccept', match: isFor(2) });
    const contextData = {};
    const parameters = inPairs();
    const first = await execute(parameters, people(6), { contextData });
    expect(first.error?.message).toBe(
      '2 of 6 messages were not sent and 2 may have been: The service refused the request: blocked (code 9000)',
    );
    expect(descriptionOf(first.error)).toMatch(
      /^The other 2 were accepted \(batch_id \d+\)\. .* sends only what certainly was not sent;/,
    );

    const second = await execute(parameters, people(6), {
      contextData,
      node: { onError: 'continueErrorOutput' },
    });
    expect(second.output?.[0]?.map(({ json }) => json)).toMatchObject([
      { status: 'accepted', batch_count: 2 },
      { status: 'accepted', batch_count: 2 },
      { status: 'accepted', remembered: true },
      { status: 'accepted', remembered: true },
    ]);
    expect(second.output?.[1]).toHaveLength(2);
    expect(gateway.deliveries().size).toBe(6);
  });

  test('Retry On Fail sends a batch again that certainly was not sent, and no other', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', match: isFor(2) });
    const { json } = await execute(inPairs({ maxRetries: 0 }), people(4), {
      node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
    });
    expect(json.map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    expect(gateway.deliveries().size).toBe(4);
  });

  // Guess: lower-count
  test('fewer messages accepted than sent: the output has a warning', async () => {
    gateway.fault({ kind: 'acceptedFewer', acceptedCount: 2 });
    const { json } = await execute(TEMPLATE, people(3));
    expect(json).toMatchObject(
      Array(3).fill({
        status: 'accepted',
        batch_count: 2,
        warning: expect.stringContaining('2 of the 3'),
      }),
    );
  });
});
