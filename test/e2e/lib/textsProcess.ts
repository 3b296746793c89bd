import { createHarness } from '../../kit/engine';
import { DeduplicationStore } from '../../kit/engine/deduplicationStore';
import { startGateway } from '../../sandbox/gateway';
import { searchTexts } from '../../kit/search/texts';
import { serve } from '../../kit/n8n/child';
import { startProductionEngine } from '../../kit/n8n/productionEngine';

/*
 * Sends random texts with production's expression engine. The engine needs the Node.js of the pinned n8n, so
 * this runs in a process of its own.
 */
void serve<null, { numRuns: number; seed: number }, number>(async () => {
  await startProductionEngine();
  const gateway = await startGateway();
  const { execute } = await createHarness(gateway.credential());
  const store = DeduplicationStore.install();
  return async (question) => {
    await searchTexts({ gateway, execute, store }, question);
    return question.numRuns;
  };
});
