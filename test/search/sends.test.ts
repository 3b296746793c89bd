import fc from 'fast-check';
import { DeduplicationStore } from '../engine/harness/deduplicationStore';
import { createHarness } from '../engine/harness';
import { startGateway } from '../sandbox/gateway';
import { settings } from './settings';
import { play } from './sends/history';
import { scenario } from './sends/scenario';

const SETTINGS = settings(40);

test(
  `sends: nothing is sent twice, and every outcome is true, in ${SETTINGS.numRuns} random histories`,
  async () => {
    const gateway = await startGateway();
    const { execute } = await createHarness(gateway.credential());
    const store = DeduplicationStore.install();
    try {
      await fc.assert(
        fc.asyncProperty(scenario, (each) => play(each, { gateway, execute, store })),
        // A history that never ends is a failure, too.
        { ...SETTINGS, timeout: 60_000 },
      );
    } finally {
      await gateway.close();
    }
  },
  60_000 + SETTINGS.numRuns * 2_000,
);
