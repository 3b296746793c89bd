import fc from 'fast-check';
import { DeduplicationStore } from '../engine/harness/deduplicationStore';
import { createHarness } from '../engine/harness';
import { startGateway } from '../sandbox/gateway';
import { play, scenario } from './checks';
import { settings } from './settings';

const SETTINGS = settings(12);

test(
  `a check sends nothing, and says what the send then does, in ${SETTINGS.numRuns} random runs`,
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
