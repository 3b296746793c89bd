import type { IExecuteContextData } from 'n8n-workflow';
import { createHarness } from '../../kit/engine';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { until } from '../../kit/engine/pauses';
import { byId } from '../../kit/engine/locators';
import {
  asJson,
  CONTINUE,
  descriptionOf,
  inPairs,
  isFor,
  people,
  RETRY,
  savedContext,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../../kit/engine/sends';

/**
 * Which requests an execution makes, and what it remembers of them for its retries. How long it pauses is in
 * pace.test.ts, and what each answer comes to in declared/answers.test.ts.
 */

const { gateway, execute, allow } = useSendingGateway();

const all = (count: number, status: string) => Array<string>(count).fill(status);

test('with the old setting Continue On Fail, a refusal stays in the json of its item', async () => {
  gateway.fault({ kind: 'businessCode', code: 9000, msg: 'refused' });
  const { json } = await execute(TEMPLATE, people(1), { node: { continueOnFail: true } });
  expect(json).toMatchObject([{ status: 'rejected', error: expect.stringContaining('refused') }]);
});

// Guess: repeat
describe('a request that sent nothing', () => {
  const NOT_THROUGH = expect.stringMatching(
    /^Not sent: an earlier request of this run did not get through \(/,
  );

  test('is made again up to Max Retries times; then the rest of the run is not sent', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: Infinity });
    const { json } = await execute(inPairs({ maxRetries: 2 }), people(6), CONTINUE);
    expect(json).toMatchObject([
      ...Array<object>(2).fill({ status: 'rejected', http_status: 429, code: expect.any(Number) }),
      ...Array<object>(4).fill({ status: 'rejected', msg: NOT_THROUGH, code: json[0]?.code }),
    ]);
    expect(gateway.requests).toHaveLength(3);
    const { error } = await execute(inPairs({ maxRetries: 0 }), people(2));
    expect(error?.message).toMatch(/^None of the 2 messages was sent: The service asks to slow/);
    expect(descriptionOf(error)).toContain("'Max Concurrency' under Options");
  });

  test('is the reason that is shown, also if the first items were not tried for it', async () => {
    DeduplicationStore.install();
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', times: Infinity });
    const parameters = {
      ...inPairs({ maxRetries: 0, idempotencyKey: '={{ $json.key }}' }),
      signatureId: byId('={{ $json.signature }}'),
    };
    // The second item is not sent, like the first one. The first request that is full has the others.
    const items = people(4).map((each, index) => ({
      ...each,
      ...(index < 2 ? { signature: 202, key: 'same' } : { signature: 201, key: each.code }),
    }));
    const { error } = await execute(parameters, items);
    expect(error?.message).toMatch(/^None of the 4 messages was sent: The service asks to slow/);
    expect(error).toMatchObject({ context: { service: { http_status: 429 } } });
    const { json, hints } = await execute(parameters, items, CONTINUE);
    expect(json[0]).toMatchObject({ status: 'rejected', msg: NOT_THROUGH });
    expect(hints.join()).toMatch(
      /^None of the 4 messages was sent: The service asks .* First: item 2\.$/,
    );
  });

  test('for nobody listens: the rest of the run is not tried', async () => {
    const dead = await createHarness({ ...gateway.credential(), baseUrl: 'http://127.0.0.1:1' });
    const { json } = await dead.execute(inPairs({ maxRetries: 1 }), people(50), CONTINUE);
    const refused = { status: 'rejected', msg: expect.stringMatching(/^No conn.*ECONNREFUSED/) };
    expect(json).toMatchObject([
      ...Array<object>(2).fill(refused),
      ...Array<object>(48).fill({ status: 'rejected', msg: NOT_THROUGH }),
    ]);
  });
});

test('a cancelled execution makes no further request, and says what was not sent', async () => {
  gateway.fault({ kind: 'hang', nth: 2 });
  const contextData = {};
  // As n8n has saved it, if it is stopped while the request is in flight.
  let interrupted: IExecuteContextData = {};
  const { run, json } = await execute(inPairs(), people(8), {
    contextData,
    ...CONTINUE,
    onStart: (cancel) => {
      const isInFlight = () => gateway.requests[1] && gateway.requests[1].outcome !== 'pending';
      void until(() => isInFlight() === true).then(() => {
        interrupted = savedContext(contextData);
        cancel();
      });
    },
  });
  expect(run.status).toBe('canceled');
  const unclear = { status: 'unknown', msg: expect.stringContaining('cancelled before') };
  const msg = 'The execution was cancelled';
  expect(json).toMatchObject([
    ...Array<object>(2).fill({ status: 'accepted' }),
    ...Array<object>(2).fill(unclear),
    ...Array<object>(4).fill({ status: 'rejected', msg }),
  ]);
  expect(gateway.requests).toHaveLength(2);

  for (const [context, reason] of [
    [interrupted, 'was interrupted while'],
    [savedContext(contextData), 'cancelled before'],
  ] as const) {
    const retried = await execute(inPairs(), people(4), { contextData: context, ...CONTINUE });
    expect(retried.json).toMatchObject([
      ...Array<object>(2).fill({ status: 'accepted', remembered: true }),
      ...Array<object>(2).fill({ status: 'unknown', msg: expect.stringContaining(reason) }),
    ]);
  }
  expect(gateway.requests).toHaveLength(2);
});

describe('a retry sends nothing twice', () => {
  test('also when the text of the messages changes with every try', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', match: isFor(2) });
    const parametersJson = '={{ { code: String(Math.random()), minutes: "5" } }}';
    const parameters = { ...inPairs({ maxRetries: 0 }), ...asJson(parametersJson) };
    const { json } = await execute(parameters, people(4), { node: { ...RETRY, maxTries: 2 } });
    expect(json.map(({ remembered }) => remembered)).toEqual([true, true, undefined, undefined]);
  });

  test('but the next round of a loop sends again', async () => {
    allow(2);
    gateway.fault({ kind: 'resetAfterAccept', nth: 2 });
    const { rounds } = await execute(inPairs(), people(4), { rounds: [people(4)], ...CONTINUE });
    expect(rounds.map((round) => round.map(({ status }) => status))).toEqual([
      ['accepted', 'accepted', 'unknown', 'unknown'],
      all(4, 'accepted'),
    ]);
    expect(gateway.requests).toHaveLength(4);
  });

  test('and the context that n8n saves stays small: empty when nothing can be sent again', async () => {
    DeduplicationStore.install();
    const contextData: IExecuteContextData = {};
    const keyed = withOptions({ idempotencyKey: '={{ $json.code }}' });
    await execute(keyed, people(1000), { contextData });
    expect(JSON.stringify(contextData)).toBe('{"node:SMS":{"sends":{},"notes":{}}}');

    gateway.reset();
    gateway.fault({ kind: 'businessCode', code: 9000, nth: 10 });
    await execute(withOptions({}), people(1000), { contextData });
    expect(JSON.stringify(contextData).length).toBeLessThan(19 * 1000);
  });
});
