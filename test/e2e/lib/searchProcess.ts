import { compareFields } from '../../kit/search/expressions';
import { searchTexts } from '../../kit/search/texts';
import { serve } from '../../kit/n8n/child';
import { startProductionEngine } from '../../kit/n8n/productionEngine';

/*
 * Searches with production's expression engine. The engine needs the Node.js of the pinned n8n, so this runs in a
 * process of its own.
 */
export interface Question {
  what: 'fields' | 'texts';
  numRuns: number;
  seed: number;
}

void serve<null, Question, number>(async () => {
  await startProductionEngine();
  return async ({ what, ...search }) => {
    await (what === 'fields' ? compareFields(search) : searchTexts(search));
    return search.numRuns;
  };
});
