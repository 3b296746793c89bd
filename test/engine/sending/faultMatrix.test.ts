import type { IDataObject } from 'n8n-workflow';
import { startGateway } from '../../sandbox/gateway';
import type { Fault } from '../../sandbox/faults';
import type { Gateway } from '../../sandbox/gateway';
import { createHarness } from '../harness';
import type { ExecuteResult, Harness } from '../harness';
import { isFor } from '../harness/sends';

/**
 * Every fault, in the first, a middle and the last request, under every setting of Retry On Fail and
 * On Error: no number ever gets a message twice, every input item has exactly one outcome, and the
 * outcome is true when compared with what the gateway really accepted.
 */

const ITEMS = 8;
const BATCH_SIZE = 2;
const BATCHES = ITEMS / BATCH_SIZE;

const PARAMETERS = {
  resource: 'message',
  operation: 'sendTemplate',
  templateId: { __rl: true, mode: 'id', value: '301' },
  signatureId: { __rl: true, mode: 'id', value: '201' },
  phoneNumbers: '={{ $json.phone }}',
  parameterMode: 'json',
  parametersJson: '{"code": "1234", "minutes": "5"}',
};

/** Long for a machine that is busy, short where the answer does not come. */
const timeoutFor = ({ kind }: Fault) => (kind === 'hang' || kind === 'slow' ? 400 : 60_000);

const people = Array.from({ length: ITEMS }, (_, index) => ({ phone: `138${10_000_000 + index}` }));

type Status = 'accepted' | 'rejected' | 'unknown';

/** What the request that meets the fault comes to when it is made once. */
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
  'a redirect': { kind: 'redirect', comesTo: 'unknown' },
  'no answer': { kind: 'hang', comesTo: 'unknown' },
  'a late answer': { kind: 'slow', delayMs: 800, comesTo: 'unknown' },
  'fewer accepted than sent': { kind: 'acceptedFewer', comesTo: 'accepted' },
};

const PLACES = { first: 0, middle: 1, last: BATCHES - 1 };
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

let gateway: Gateway;
let execute: Harness['execute'];

beforeAll(async () => {
  gateway = await startGateway();
  ({ execute } = await createHarness(gateway.credential() as never));
  // The first request takes long, since n8n-core loads much for it.
  await execute({ resource: 'balance', operation: 'get' });
  gateway.reset();
});

afterEach(() => {
  expect(gateway.violations).toEqual([]);
  gateway.reset();
});

afterAll(() => gateway.close());

describe.each(Object.entries(FAULTS))('%s', (_, { comesTo, ...fault }) => {
  const parameters = {
    ...PARAMETERS,
    options: {
      batchSize: BATCH_SIZE,
      maxConcurrency: 2,
      maxRetries: 1,
      timeout: timeoutFor(fault),
    },
  };

  describe.each(Object.entries(PLACES))('in the %s request', (_place, batch) => {
    const hit = people
      .slice(batch * BATCH_SIZE, (batch + 1) * BATCH_SIZE)
      .map((person) => person.phone);

    describe.each([
      ['with', true],
      ['without', false],
    ])('%s Retry On Fail', (_setting, retryOnFail) => {
      test.each(ON_ERROR)('and On Error "%s"', async (onError) => {
        gateway.fault({ ...fault, match: isFor(batch * BATCH_SIZE) });
        const contextData = {};
        const run = await execute(parameters, people, {
          node: { onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 },
          contextData,
        });
        expectTruth(run);
        if (onError !== 'stopWorkflow') expect(run.error).toBeUndefined();
        if (!run.error) return;

        // Then a person presses "Retry execution": what was refused goes out, and nothing else.
        gateway.clearFaults();
        const retried = await execute(parameters, people, {
          node: { onError: 'continueErrorOutput' },
          contextData: JSON.parse(JSON.stringify(contextData)),
        });
        expectTruth(retried);
        expect([...outcomesOf(retried).values()]).not.toContain('rejected');
      });
    });

    /** No number got two messages, and what the run says of each is what the gateway knows. */
    function expectTruth(run: ExecuteResult): void {
      const deliveries = gateway.deliveries();
      for (const count of deliveries.values()) expect(count).toBe(1);
      const truth = new Map(people.map((person) => [person.phone, statusOf(person.phone)]));
      if (run.error) expect(countsOf(run.error)).toEqual(countsIn(truth));
      else expect(outcomesOf(run)).toEqual(truth);
    }

    /** What an honest client can say of a number: only here it cannot know what the gateway knows. */
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
  for (const { json, pairedItem } of (output ?? []).flatMap((items) => items ?? [])) {
    const outcome = (json.details ?? json) as IDataObject;
    const [phone = ''] = outcome.phone_numbers as string[];
    expect(pairedItem).toEqual({ item: people.findIndex((person) => person.phone === phone) });
    expect(outcomes.has(phone)).toBe(false);
    expect(outcome.warning !== undefined).toBe(
      outcome.count !== outcome.sent && isAccepted(outcome),
    );
    outcomes.set(phone, outcome.status as Status);
  }
  return outcomes;
}

function isAccepted({ status }: IDataObject): boolean {
  return status === 'accepted';
}

function countsIn(truth: Map<string, Status>): Record<Status, number> {
  const counts = { accepted: 0, rejected: 0, unknown: 0 };
  for (const status of truth.values()) counts[status] += 1;
  return counts;
}

/** "Of all recipients: 6 accepted, 2 refused, 0 unknown" */
function countsOf(error: unknown): Record<Status, number> {
  const { description = '' } = error as { description?: string };
  const [, accepted, rejected, unknown] =
    /(\d+) accepted, (\d+) refused, (\d+) unknown/.exec(description) ?? [];
  return { accepted: Number(accepted), rejected: Number(rejected), unknown: Number(unknown) };
}
