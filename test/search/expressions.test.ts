import { createHarness } from '../kit/engine';
import { compareReadings } from '../kit/search/expressions';
import { settings } from '../kit/search/settings';

/** Number of comparisons. The end-to-end suite makes 100,000 with production's expression engine. */
const COMPARISONS = Number(
  process.env.EXPRESSION_COMPARISONS ?? (process.env.SEARCH_RUNS ? 100_000 : 3_000),
);

test(`expressions that the package reads itself have the value that n8n's engine gives, ${COMPARISONS} times`, async () => {
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  const { seed } = settings(1);
  const direct = compareReadings(createContext, { comparisons: COMPARISONS, seed });
  expect(direct).toBeGreaterThanOrEqual(COMPARISONS);
}, 600_000);
