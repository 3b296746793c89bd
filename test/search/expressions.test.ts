import { createHarness } from '../engine/harness';
import { compareReadings } from './expressions';
import { settings } from './settings';

/** So many in `npm test`; the end-to-end suite compares as many in production's engine. */
const COMPARISONS = Number(process.env.EXPRESSION_COMPARISONS ?? 100_000);

test(`what is read from the item is what the engine gives, ${COMPARISONS} times`, async () => {
  const { createContext } = await createHarness({ baseUrl: 'http://localhost', apiKey: 'k' });
  const { seed } = settings(1);
  const direct = compareReadings(createContext, { comparisons: COMPARISONS, seed });
  expect(direct).toBeGreaterThanOrEqual(COMPARISONS);
}, 600_000);
