import fc from 'fast-check';
import { createHarness } from '../kit/engine';
import { DeduplicationStore } from '../kit/engine/deduplicationStore';
import { settings } from '../kit/search/settings';
import { startGateway } from '../sandbox/gateway';
import { play } from './sends/history';
import { scenario } from './sends/scenario';

const SETTINGS = settings(40);

test(`sends: nothing is sent twice, and every outcome is true, in ${SETTINGS.numRuns} random histories`, async () => {
  const gateway = await startGateway();
  const { execute } = await createHarness(gateway.credential());
  const store = DeduplicationStore.install();
  const property = fc.asyncProperty(scenario, async (each) => {
    gateway.reset();
    store.clear();
    // No day ends in a history.
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 10, 29, 12));
    await play(each, { gateway, execute, store });
  });
  try {
    // A history that never ends is a failure, too.
    await fc.assert(property, { ...SETTINGS, timeout: 60_000 });
  } finally {
    await gateway.close();
  }
});
