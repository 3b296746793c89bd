import { compareFields } from '../kit/search/expressions';
import { settings } from '../kit/search/settings';

/* The end-to-end suite compares more, with production's expression engine. */

const search = settings(20);
const numRuns = 5 * search.numRuns;

test(`a field is read as n8n reads it, or refused: ${numRuns} fields`, async () => {
  const { direct, sent } = await compareFields({ ...search, numRuns });
  expect(direct).toBeGreaterThan(numRuns);
  expect(sent).toBeGreaterThan(numRuns);
});
