import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../sandbox/faults';
import type { ExecuteResult } from '../harness';
import { isFor, people, savedContext, useSendingGateway, withOptions } from '../harness/sends';

/**
 * Every way in which a request can end, with every setting of Retry On Fail and On Error, and each in the
 * first, a middle and the last batch. No number gets a message twice, every input item has exactly one
 * outcome, and the outcome agrees with what the gateway has really accepted. What else an answer can be is
 * in declared/.
 */

const ITEMS = 8;
const BATCH_SIZE = 2;

const ITEM_LIST = people(ITEMS);

type Status = 'accepted' | 'rejected' | 'unknown';

/** The faults, and what the messages of the faulty batch then are. */
const FAULTS: Record<string, Fault & { comesTo: Status }> = {
  'a code that refuses': { kind: 'businessCode', code: 9000, comesTo: 'rejected' },
  'HTTP 400': { kind: 'status', status: 400, comesTo: 'rejected' },
  'a code of Too Fast': { kind: 'businessCode', code: 10007, comesTo: 'accepted' },
  'HTTP 429 once': { kind: 'tooManyRequests', retryAfter: '0', comesTo: 'accepted' },
  'HTTP 429 for long': { kind: 'tooManyRequests', retryAfter: '3600', comesTo: 'rejected' },
  'HTTP 500': { kind: 'status', status: 500, comesTo: 'unknown' },
  'HTTP 503 after accepting': { kind: 'status', status: 503, accept: true, comesTo: 'unknown' },
  'a reset before accepting': { kind: 'resetBeforeAccept', comesTo: 'unknown' },
  'a reset after accepting': { kind: 'resetAfterAccept', comesTo: 'unknown' },
  'half an answer': { kind: 'truncatedJson', comesTo: 'unknown' },
  'an empty answer': { kind: 'emptyBody', comesTo: 'unknown' },
  'a code alone': { kind: 'wrongShape', body: { code: 0 }, comesTo: 'accepted' },
  'fewer accepted than sent': { kind: 'acceptedFewer', comesTo: 'accepted' },
};

/** Each setting, with the number of the faulty batch: each batch meets every setting of On Error. */
const SETTINGS = [true, false].flatMap((retryOnFail) =>
  (['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const).map(
    (onError, index) => ({
      onError,
      retryOnFail,
      batch: [0, 1, 3][(index + +retryOnFail) % 3] ?? 0,
    }),
  ),
);

const { gateway, execute } = useSendingGateway();

// Guess: broken-answer
describe.each(Object.entries(FAULTS))('%s', (_, { comesTo, ...fault }) => {
  const parameters = withOptions({ batchSize: BATCH_SIZE, maxConcurrency: 2, maxRetries: 1 });
  const isRefusal = comesTo === 'rejected' && fault.kind !== 'tooManyRequests';

  describe.each(SETTINGS)('$onError, Retry On Fail $retryOnFail', ({ batch, ...settings }) => {
    const hit = ITEM_LIST.slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE).map(
      (person) => person.phone,
    );

    test(`in batch ${batch}`, async () => {
      gateway.fault({ ...fault, match: isFor(batch * BATCH_SIZE) });
      const contextData = {};
      const run = await execute(parameters, ITEM_LIST, {
        node: { ...settings, maxTries: 2, waitBetweenTries: 1 },
        contextData,
      });
      expectTruth(run);
      // Neither the run nor Retry On Fail sends again what was refused.
      if (isRefusal) expect(hit.filter(isDelivered)).toEqual([]);
      if (settings.onError !== 'stopWorkflow') expect(run.error).toBeUndefined();
      if (!run.error) return;

      // "Retry execution" sends what was refused, and nothing else.
      gateway.clearFaults();
      const retried = await execute(parameters, ITEM_LIST, {
        node: { onError: 'continueErrorOutput' },
        contextData: savedContext(contextData),
      });
      expectTruth(retried);
      expect([...outcomesOf(retried).values()]).not.toContain('rejected');
    });

    /** No number got two messages, and the run's outcomes are what the gateway knows. */
    function expectTruth(run: ExecuteResult): void {
      for (const count of gateway.deliveries().values()) expect(count).toBe(1);
      const truth = new Map(ITEM_LIST.map((person) => [person.phone, statusOf(person.phone)]));
      if (run.error) expect(countsOf(run.error)).toEqual(countsIn(truth));
      else expect(outcomesOf(run)).toEqual(truth);
    }

    /** What the outcome of a number must be. Without an answer the node cannot know what the gateway knows. */
    function statusOf(phone: string): Status {
      if (hit.includes(phone) && comesTo === 'unknown') return 'unknown';
      // Nobody knows which of the batch it was.
      if (hit.includes(phone) && fault.kind === 'acceptedFewer') return 'accepted';
      return isDelivered(phone) ? 'accepted' : 'rejected';
    }
  });
});

const isDelivered = (phone: string) => gateway.deliveries().has(phone);

/** Phone number → status, from all outputs; every number exactly once. */
function outcomesOf({ output }: ExecuteResult): Map<string, Status> {
  const outcomes = new Map<string, Status>();
  const items = (output ?? []).flatMap((branch) => branch ?? []);
  const all = items.map(({ json }) => (json.details ?? json) as IDataObject);
  for (const [index, outcome] of all.entries()) {
    const { pairedItem } = items[index] ?? {};
    const [phone = ''] = outcome.phone_numbers as string[];
    expect(pairedItem).toEqual({ item: ITEM_LIST.findIndex((person) => person.phone === phone) });
    expect(outcomes.has(phone)).toBe(false);
    const { batch_id: batchId, batch_count: accepted, warning } = outcome;
    const sent = all.filter((other) => other.batch_id === batchId).length;
    const isWhole = batchId !== undefined && accepted === sent;
    expect(warning !== undefined).toBe(outcome.status === 'accepted' && !isWhole);
    outcomes.set(phone, outcome.status as Status);
  }
  return outcomes;
}

function countsIn(truth: Map<string, Status>): Record<Status, number> {
  const counts = { accepted: 0, rejected: 0, unknown: 0 };
  for (const status of truth.values()) counts[status] += 1;
  return counts;
}

/** The counts in "Of 8 messages, 5 were accepted, 2 may have been sent and 1 was not sent: …". */
function countsOf({ message }: { message: string }): Record<Status, number> {
  const numberIn = (pattern: RegExp) => Number(pattern.exec(message)?.[1] ?? 0);
  const none = numberIn(/^None of the (\d+) messages was sent: /);
  return {
    accepted: numberIn(/^Of 8 messages,.*? (\d+) (?:was|were) accepted/),
    rejected: none + numberIn(/^Of 8 messages,.*? (\d+) (?:was|were) not sent/),
    unknown: numberIn(/^Of 8 messages,.*? (\d+) may have been sent/),
  };
}
