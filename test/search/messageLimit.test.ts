import fc from 'fast-check';
import { createHarness } from '../engine/harness';
import { people, withOptions } from '../engine/harness/sends';
import { startGateway } from '../sandbox/gateway';
import type { Fault } from '../sandbox/gateway';
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

/** The rounds of a loop: numbers of items, and what goes wrong in one request. */
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
});

test(
  `Max Messages per Run holds over all rounds of a loop, in ${SETTINGS.numRuns} random executions`,
  async () => {
    const gateway = await startGateway();
    const { execute } = await createHarness(gateway.credential());
    try {
      await fc.assert(
        fc.asyncProperty(
          scenario,
          async ({ rounds, maxMessages, batchSize, onError, retryOnFail, faults }) => {
            gateway.reset();
            for (const { fault, nth } of faults) gateway.fault({ ...fault, nth });
            const all = people(rounds.reduce((sum, count) => sum + count, 0));
            const [first = [], ...others] = rounds.map((count) => all.splice(0, count));
            const parameters = withOptions({ maxMessages, batchSize, maxConcurrency: 2 });
            const node = { onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 } as const;
            await execute(parameters, first, { rounds: others, node });
            const accepted = [...gateway.deliveries().values()].reduce(
              (sum, count) => sum + count,
              0,
            );
            expect(accepted).toBeLessThanOrEqual(maxMessages);
            if (faults.length > 0) return;
            // Each round is sent whole, or not at all.
            let sent = 0;
            for (const count of rounds) if (sent + count <= maxMessages) sent += count;
            expect(accepted).toBe(sent);
          },
        ),
        SETTINGS,
      );
    } finally {
      await gateway.close();
    }
  },
  60_000 + SETTINGS.numRuns * 2_000,
);
