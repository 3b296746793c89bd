import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { createHarness } from '../engine/harness';
import type { ExecuteResult, Harness } from '../engine/harness';
import { DeduplicationStore } from '../engine/harness/deduplicationStore';
import type { StoreFailure } from '../engine/harness/deduplicationStore';
import { people, withOptions } from '../engine/harness/sends';
import { startGateway } from '../sandbox/gateway';
import type { Fault, Gateway } from '../sandbox/gateway';
import { outcomeOf } from './sends/claims';
import { settings } from './settings';

const SETTINGS = settings(10);

/** Refusals and answers that do not say what was sent. */
const FAULTS: Fault[] = [
  { kind: 'businessCode', code: 9000 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503, accept: true },
  { kind: 'resetAfterAccept' },
  { kind: 'tooManyRequests', retryAfter: '0' },
];

const storeFailure: fc.Arbitrary<StoreFailure> = fc.record({
  operation: fc.constantFrom('check', 'remove'),
  when: fc.constantFrom('before', 'after'),
  nth: fc.integer({ min: 1, max: 3 }),
});

/** The rounds of a loop: numbers of items, and what goes wrong in one request, or in n8n's store of keys. */
const scenario = fc.record({
  rounds: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 6 }),
  maxMessages: fc.integer({ min: 1, max: 12 }),
  batchSize: fc.integer({ min: 1, max: 4 }),
  onError: fc.constantFrom('continueRegularOutput', 'continueErrorOutput'),
  retryOnFail: fc.boolean(),
  faults: fc.array(
    fc.record({ fault: fc.constantFrom(...FAULTS), nth: fc.integer({ min: 1, max: 5 }) }),
    { maxLength: 3 },
  ),
  hasKeys: fc.boolean(),
  /** Which items an earlier execution has sent, one after the other. */
  sentBefore: fc.array(fc.boolean(), { maxLength: 20 }),
  storeFailures: fc.oneof(
    { arbitrary: fc.constant<StoreFailure[]>([]), weight: 3 },
    { arbitrary: fc.array(storeFailure, { minLength: 1, maxLength: 2 }), weight: 1 },
  ),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

interface World {
  gateway: Gateway;
  execute: Harness['execute'];
  store: DeduplicationStore;
}

test(
  `Max Messages per Run holds over all rounds of a loop, in ${SETTINGS.numRuns} random executions`,
  async () => {
    const gateway = await startGateway();
    const { execute } = await createHarness(gateway.credential());
    const store = await DeduplicationStore.install();
    try {
      await fc.assert(
        fc.asyncProperty(scenario, (each) => play(each, { gateway, execute, store })),
        SETTINGS,
      );
    } finally {
      await gateway.close();
    }
  },
  60_000 + SETTINGS.numRuns * 2_000,
);

async function play(each: Scenario, { gateway, execute, store }: World): Promise<void> {
  const { rounds, maxMessages, batchSize, onError, retryOnFail, hasKeys } = each;
  gateway.reset();
  store.clear();
  const all = people(rounds.reduce((sum, count) => sum + count, 0));
  const options = { batchSize, maxConcurrency: 2, ...(hasKeys && { idempotencyKey: KEY }) };
  const isSentBefore = (index: number) => hasKeys && each.sentBefore[index] === true;
  const sentBefore = all.filter((_, index) => isSentBefore(index));
  if (sentBefore.length > 0) await execute(withOptions(options), sentBefore);

  for (const { fault, nth } of each.faults) gateway.fault({ ...fault, nth });
  for (const failure of each.storeFailures) store.fail(failure);
  const left = [...all];
  const [first = [], ...others] = rounds.map((count) => left.splice(0, count));
  const node = { onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 } as const;
  const result = await execute(withOptions({ ...options, maxMessages }), first, {
    rounds: others,
    node,
  });

  const deliveries = [...gateway.deliveries().values()];
  const accepted = deliveries.reduce((sum, count) => sum + count, 0) - sentBefore.length;
  expect(accepted).toBeLessThanOrEqual(maxMessages);
  if (hasKeys) expectKeys(result, store, sentBefore);
  if (each.faults.length > 0 || (hasKeys && each.storeFailures.length > 0)) return;
  // Each round is sent whole, or not at all.
  let sent = 0;
  let index = 0;
  for (const count of rounds) {
    const indices = Array.from({ length: count }, () => index++);
    const wanted = indices.filter((one) => !isSentBefore(one)).length;
    if (sent + wanted <= maxMessages) sent += wanted;
  }
  expect(accepted).toBe(sent);
}

/**
 * The store holds the keys of what was or may have been sent, and others only if the output says so.
 *
 * @param sentBefore what an earlier execution has sent
 */
function expectKeys(
  { run }: ExecuteResult,
  store: DeduplicationStore,
  sentBefore: IDataObject[],
): void {
  const codes = new Map(people(40).map(({ phone, code }) => [phone as unknown, code]));
  const items = (run.data.resultData.runData.SMS ?? []).flatMap(({ data }) => data?.main ?? []);
  for (const outcome of items.flatMap((each) => (each ?? []).map(outcomeOf))) {
    const { phone_number: number, status, msg, warning } = outcome;
    if (/may hold|not known who/.test(`${String(warning)} ${String(msg)}`)) continue;
    const isHeld = store.values().includes(`smsMessagingService:${String(codes.get(number))}`);
    const mustBeHeld = status !== 'rejected' || sentBefore.some(({ phone }) => phone === number);
    expect([outcome, isHeld]).toEqual([outcome, mustBeHeld]);
  }
}

const KEY = '={{ $json.code }}';
