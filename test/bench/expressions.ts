import { createHarness } from '../engine/harness';
import { compareReadings } from '../search/expressions';
import { serve } from './child';
import { startProductionEngine } from './productionEngine';

/** Compares readings with those of production's expression engine, which needs n8n's own Node.js. */
void serve<null, Parameters<typeof compareReadings>[1], number>(async () => {
  await startProductionEngine();
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  return async (question) => compareReadings(createContext, question);
});
