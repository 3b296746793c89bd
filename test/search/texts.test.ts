import { createHarness } from '../kit/engine';
import { DeduplicationStore } from '../kit/engine/deduplicationStore';
import { startGateway } from '../sandbox/gateway';
import { settings } from '../kit/search/settings';
import { searchTexts } from '../kit/search/texts';

const SETTINGS = settings(60);

test(
  `a text arrives as its author meant it, or not at all, in ${SETTINGS.numRuns} random runs`,
  async () => {
    const gateway = await startGateway();
    try {
      const { execute } = await createHarness(gateway.credential());
      const store = DeduplicationStore.install();
      await searchTexts({ gateway, execute, store }, { ...SETTINGS, timeout: 60_000 });
    } finally {
      await gateway.close();
    }
  },
  60_000 + SETTINGS.numRuns * 2_000,
);
