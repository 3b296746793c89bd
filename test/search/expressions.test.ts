import { createHarness } from '../kit/engine';
import { compareFields, compareReadings } from '../kit/search/expressions';
import { settings } from '../kit/search/settings';

/** Number of comparisons. The end-to-end suite makes 100,000 with production's expression engine. */
const COMPARISONS = Number(
  process.env.EXPRESSION_COMPARISONS ?? (process.env.SEARCH_RUNS ? 100_000 : 1_000),
);

test(`expressions that the package reads itself have the value that n8n's engine gives, ${COMPARISONS} times`, async () => {
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  const { seed } = settings(1);
  const direct = await compareReadings(createContext, { comparisons: COMPARISONS, seed });
  expect(direct).toBeGreaterThanOrEqual(COMPARISONS);
}, 600_000);

const FIELDS = process.env.SEARCH_RUNS ? 20_000 : 200;

test(`a field is read as n8n reads it, or refused, ${FIELDS} times`, async () => {
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  const { seed } = settings(1);
  const counts = await compareFields(createContext, { numRuns: FIELDS, seed });
  if (process.env.SEARCH_RUNS) console.log(counts);
  const { sent } = counts;
  expect(sent).toBeGreaterThan(FIELDS / 4);
}, 1_200_000);
