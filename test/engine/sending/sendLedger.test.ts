import type { IExecuteContextData } from 'n8n-workflow';
import {
  CONTINUE,
  descriptionOf,
  inPairs,
  isFor,
  people,
  phone,
  RETRY,
  savedContext,
  useSendingGateway,
  TEMPLATE,
  withOptions,
} from '../harness/sends';

/** What an execution remembers of its sends, for its retries. */

const { gateway, execute, allow } = useSendingGateway();

describe('a retry sends nothing twice', () => {
  test.each([2, 3, 4, 5])('in %d tries of Retry On Fail', async (maxTries) => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(9), times: Infinity });
    gateway.fault({ kind: 'resetAfterAccept', match: isFor(2) });
    const { error } = await execute(inPairs(), people(10), {
      node: { ...RETRY, maxTries },
    });
    expect(error?.message).toMatch(
      /^Of 10 messages, 6 were accepted, 2 may have been sent and 2 were not sent: /,
    );
    expect(descriptionOf(error)).toMatch(/ What was accepted has the batch_id \d+, \d+, \d+\.$/);
    expect(gateway.requests).toHaveLength(5);
    expect(gateway.deliveries().size).toBe(8);
  });

  test('in "Retry execution", and in a second one', async () => {
    gateway.fault({ kind: 'businessCode', code: 9000, match: isFor(0), times: 2 });
    const contextData = {};
    await execute(inPairs(), people(6), { contextData });
    const second = savedContext(contextData);
    await execute(inPairs(), people(6), { contextData: second });
    const { json } = await execute(inPairs(), people(6), { contextData: savedContext(second) });
    expect(json.map(({ status, remembered }) => [status, remembered])).toEqual([
      ...Array(2).fill(['accepted', undefined]),
      ...Array(4).fill(['accepted', true]),
    ]);
    // Three batches, and then only the one that was refused.
    expect(gateway.requests).toHaveLength(3 + 1 + 1);
    expect(gateway.deliveries().size).toBe(6);
  });

  test('also when the text of the messages changes with every try', async () => {
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', match: isFor(2) });
    const parameters = {
      ...TEMPLATE,
      options: { batchSize: 2, maxConcurrency: 1, maxRetries: 0 },
      parametersJson: '={{ { code: String(Math.random()), minutes: "5" } }}',
    };
    const { json } = await execute(parameters, people(4), { node: { ...RETRY, maxTries: 2 } });
    expect(json.map(({ remembered }) => remembered)).toEqual([true, true, undefined, undefined]);
  });

  test('but the next round of a loop sends again', async () => {
    allow(2);
    gateway.fault({ kind: 'resetAfterAccept', nth: 2 });
    const { rounds } = await execute(inPairs(), people(4), {
      rounds: [people(4)],
      ...CONTINUE,
    });
    expect(rounds.map((round) => round.map(({ status }) => status))).toEqual([
      ['accepted', 'accepted', 'unknown', 'unknown'],
      ['accepted', 'accepted', 'accepted', 'accepted'],
    ]);
    expect(gateway.requests).toHaveLength(4);
  });

  test('and a request that was in flight when an earlier try ended is unknown', async () => {
    gateway.fault({ kind: 'hang', nth: 2 });
    const contextData = {};
    // n8n is stopped while the request is in flight, and has saved the execution before.
    let left: IExecuteContextData = {};
    await execute(inPairs(), people(4), {
      contextData,
      onStart: (cancel) =>
        void (async () => {
          while (gateway.requests.length < 2) await new Promise(setImmediate);
          left = savedContext(contextData);
          cancel();
        })(),
    });
    const { json } = await execute(inPairs(), people(4), {
      contextData: left,
      ...CONTINUE,
    });
    expect(json).toMatchObject([
      { status: 'accepted', remembered: true },
      { status: 'accepted', remembered: true },
      { status: 'unknown', msg: expect.stringContaining('interrupted') },
      { status: 'unknown', remembered: true },
    ]);
    expect(gateway.requests).toHaveLength(2);
  });

  test('also when one item has the same number twice', async () => {
    allow(3);
    gateway.fault({ kind: 'tooManyRequests', retryAfter: '0', nth: 2 });
    const { json } = await execute(
      withOptions({ batchSize: 1, maxConcurrency: 1, maxRetries: 0 }),
      [{ phone: [phone(1), phone(1), phone(1)], code: '1' }],
      { node: { ...RETRY, maxTries: 2, onError: 'continueRegularOutput' } },
    );
    // One was accepted in the first try and two in the second.
    expect(json).toMatchObject([{ status: 'accepted', phone_numbers: Array(3).fill(phone(1)) }]);
    expect(gateway.requests).toHaveLength(4);
    expect(gateway.deliveries().get(phone(1))).toBe(3);
  });

  test('and the context that n8n saves stays small: empty when nothing can be sent again', async () => {
    const contextData: IExecuteContextData = {};
    await execute(withOptions({}), people(1000), { contextData });
    expect(JSON.stringify(contextData)).toBe('{"node:SMS":{"sends":{}}}');

    gateway.reset();
    gateway.fault({ kind: 'businessCode', code: 9000, nth: 10 });
    await execute(withOptions({}), people(1000), { contextData });
    expect(JSON.stringify(contextData).length).toBeLessThan(19 * 1000);
  });
});
