import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../sandbox/faults';
import type { ExecuteResult } from '../harness';
import { isFor, people, savedContext, useSendingGateway, TEMPLATE } from '../harness/sends';

/**
 * Every fault, in the first, a middle and the last batch, with every setting of Retry On Fail and On
 * Error. No number gets a message twice, every input item has exactly one outcome, and the outcome
 * agrees with what the gateway has really accepted.
 */

const ITEMS = 8;
const BATCH_SIZE = 2;
const BATCHES = ITEMS / BATCH_SIZE;

/** Long, for a busy machine; short where no answer comes. */
const timeoutFor = ({ kind }: Fault) => (kind === 'hang' || kind === 'slow' ? 400 : 60_000);

const ITEM_LIST = people(ITEMS);

type Status = 'accepted' | 'rejected' | 'unknown';

/** The faults, and what the messages of the faulty batch then are. */
const FAULTS: Record<string, Fault & { comesTo: Status }> = {
  'a business code': { kind: 'businessCode', code: 9000, comesTo: 'rejected' },
  'HTTP 400': { kind: 'status', status: 400, comesTo: 'rejected' },
  'HTTP 401': { kind: 'status', status: 401, comesTo: 'rejected' },
  'HTTP 500': { kind: 'status', status: 500, comesTo: 'unknown' },
  'HTTP 503 after accepting': { kind: 'status', status: 503, accept: true, comesTo: 'unknown' },
  'HTTP 429 once': { kind: 'tooManyRequests', retryAfter: '0', comesTo: 'accepted' },
  'HTTP 429 for long': { kind: 'tooManyRequests', retryAfter: '3600', comesTo: 'rejected' },
  'a reset before accepting': { kind: 'resetBeforeAccept', comesTo: 'unknown' },
  'a reset after accepting': { kind: 'resetAfterAccept', comesTo: 'unknown' },
  'half an answer': { kind: 'truncatedJson', comesTo: 'unknown' },
  'half the announced bytes': { kind: 'truncatedJson', mismatchedLength: true, comesTo: 'unknown' },
  'a web page': { kind: 'html', comesTo: 'unknown' },
  'an empty answer': { kind: 'emptyBody', comesTo: 'unknown' },
  'another shape': { kind: 'wrongShape', comesTo: 'unknown' },
  'a code alone': { kind: 'wrongShape', body: { code: 0 }, comesTo: 'unknown' },
  'a redirect': { kind: 'redirect', comesTo: 'unknown' },
  'no answer': { kind: 'hang', comesTo: 'unknown' },
  'a late answer': { kind: 'slow', delayMs: 800, comesTo: 'unknown' },
  'fewer accepted than sent': { kind: 'acceptedFewer', comesTo: 'accepted' },
};

const PLACES = { first: 0, middle: 1, last: BATCHES - 1 };
/** Where no answer comes, or a late one, each run waits for the timeout: there, one place stands for all. */
const placesOf = (timeout: number) =>
  Object.entries(PLACES).filter(([place]) => timeout > 1_000 || place === 'middle');

const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

const { gateway, execute } = useSendingGateway();

beforeAll(async () => {
  // The first request takes long: n8n-core loads much for it.
  await execute({ resource: 'balance', operation: 'get' });
  gateway.reset();
});

// Guess: broken-answer
describe.each(Object.entries(FAULTS))('%s', (_, { comesTo, ...fault }) => {
  const parameters = {
    ...TEMPLATE,
    options: {
      batchSize: BATCH_SIZE,
      maxConcurrency: 2,
      maxRetries: 1,
      timeout: timeoutFor(fault),
    },
  };

  describe.each(placesOf(parameters.options.timeout))('in the %s batch', (_place, batch) => {
    const hit = ITEM_LIST.slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE).map(
      (person) => person.phone,
    );

    describe.each([
      ['with', true],
      ['without', false],
    ])('%s Retry On Fail', (_setting, retryOnFail) => {
      test.each(ON_ERROR)('and On Error "%s"', async (onError) => {
        gateway.fault({ ...fault, match: isFor(batch * BATCH_SIZE) });
        const contextData = {};
        const run = await execute(parameters, ITEM_LIST, {
          node: { onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 },
          contextData,
        });
        expectTruth(run);
        if (onError !== 'stopWorkflow') expect(run.error).toBeUndefined();
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
      if (hit.includes(phone) && fault.kind === 'acceptedFewer') return 'accepted';
      return gateway.deliveries().has(phone) ? 'accepted' : 'rejected';
    }
  });
});

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
    expect(warning !== undefined).toBe(batchId !== undefined && accepted !== sent);
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
