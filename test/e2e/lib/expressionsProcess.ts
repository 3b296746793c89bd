import { createHarness } from '../../kit/engine';
import { compareReadings } from '../../kit/search/expressions';
import { serve } from '../../kit/n8n/child';
import { startProductionEngine } from '../../kit/n8n/productionEngine';

/*
 * Compares how the package reads expressions with production's expression engine. The engine needs
 * the Node.js of the pinned n8n, so this runs in a process of its own.
 */
void serve<null, Parameters<typeof compareReadings>[1], number>(async () => {
  await startProductionEngine();
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  return async (question) => compareReadings(createContext, question);
});
