import { createHarness } from '../../kit/engine';
import { compareFields, compareReadings } from '../../kit/search/expressions';
import { serve } from '../../kit/n8n/child';
import { startProductionEngine } from '../../kit/n8n/productionEngine';

/*
 * Compares how the package reads expressions with production's expression engine. The engine needs
 * the Node.js of the pinned n8n, so this runs in a process of its own.
 */
/** How many values of paths, or fields with any codes, are compared. */
interface Question {
  seed: number;
  comparisons?: number;
  fields?: number;
}

void serve<null, Question, number>(async () => {
  await startProductionEngine();
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  return async ({ seed, comparisons, fields }) => {
    if (comparisons) return await compareReadings(createContext, { comparisons, seed });
    const { sent } = await compareFields(createContext, { numRuns: fields ?? 0, seed });
    return sent;
  };
});
