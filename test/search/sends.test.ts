import fc from 'fast-check';
import { DeduplicationStore } from '../engine/deduplication';
import { createHarness } from '../engine/harness';
import { startGateway } from '../sandbox/gateway';
import { play, scenario } from './sends';

/** `npm run search` runs many, with a seed of its own; `npm test` always the same few. */
const RUNS = Number(process.env.SEARCH_RUNS ?? 60);
const SEED = Number(process.env.SEARCH_SEED ?? 1);

test(
  `sends keep their promises in ${RUNS} random histories`,
  async () => {
    const gateway = await startGateway();
    const { execute } = await createHarness(gateway.credential() as never);
    const store = await DeduplicationStore.install();
    const world = { gateway, execute, store };
    let executions = 0;
    let histories = 0;
    try {
      await fc.assert(
        fc.asyncProperty(scenario, async (each) => {
          histories += 1;
          executions += await play(each, world);
        }),
        {
          numRuns: RUNS,
          seed: SEED,
          ...(process.env.SEARCH_PATH && { path: process.env.SEARCH_PATH }),
        },
      );
    } finally {
      process.stdout.write(`${histories} histories, ${executions} executions, seed ${SEED}\n`);
      await gateway.close();
    }
  },
  60_000 + RUNS * 2_000,
);
