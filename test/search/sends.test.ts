import fc from 'fast-check';
import { DeduplicationStore } from '../engine/harness/deduplicationStore';
import { createHarness } from '../engine/harness';
import { startGateway } from '../sandbox/gateway';
import { settings } from './settings';
import { play } from './sends/history';
import { scenario } from './sends/scenario';

const SETTINGS = settings(10);

test(
  `sends: nothing is sent twice, and every outcome is true, in ${SETTINGS.numRuns} random histories`,
  async () => {
    const gateway = await startGateway();
    const { execute } = await createHarness(gateway.credential());
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
          ...SETTINGS,
          // A history that never ends is a failure, too.
          timeout: 60_000,
        },
      );
    } finally {
      process.stdout.write(
        `${histories} histories, ${executions} executions, seed ${SETTINGS.seed}\n`,
      );
      await gateway.close();
    }
  },
  60_000 + SETTINGS.numRuns * 2_000,
);
