import { startChild } from '../bench/child';
import { expect, test } from './lib/test';

const COMPARISONS = 100_000;

/** The other process answers a request of this size long before it would be killed. */
const PER_REQUEST = 5_000;

// Each request has a limit of its own.
test.setTimeout(0);

test(`What is read from the item is what production's expression engine gives, ${COMPARISONS} times`, async ({}, {
  outputDir,
}) => {
  const child = await startChild<object, number>('bench/expressions.ts', outputDir);
  try {
    let compared = 0;
    for (let seed = 1; compared < COMPARISONS; seed += 1_000)
      compared += await child.ask({ comparisons: PER_REQUEST, seed });
    expect(compared).toBeGreaterThanOrEqual(COMPARISONS);
  } finally {
    await child.stop();
  }
});
