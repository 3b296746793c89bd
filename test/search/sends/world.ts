import fc from 'fast-check';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { createHarness } from '../../kit/engine';
import type { Harness } from '../../kit/engine';
import { startGateway } from '../../sandbox/gateway';
import type { Gateway } from '../../sandbox/gateway';
import { settings } from '../../kit/search/settings';

/** What random sends have: the service, n8n, and its store of keys. */
export interface World {
  gateway: Gateway;
  execute: Harness['execute'];
  store: DeduplicationStore;
}

const SETTINGS = settings(40);

/** A test that plays random scenarios. Each begins with an empty world. */
export function searchSends<Scenario>(
  promise: string,
  scenario: fc.Arbitrary<Scenario>,
  play: (each: Scenario, world: World) => Promise<void>,
): void {
  test(
    `${promise}, in ${SETTINGS.numRuns} random histories`,
    async () => {
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
    },
    60_000 + SETTINGS.numRuns * 2_000,
  );
}
