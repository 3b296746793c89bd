import { startChild } from '../kit/n8n/child';
import { expect, test } from './lib/test';

// Each request to the other process has a limit of its own, and is answered long before it.
test.setTimeout(0);

/** Asks a script for random cases, with other seeds, until it has answered for so many. */
async function search(
  script: string,
  userFolder: string,
  { total, ask }: { total: number; ask: (seed: number) => object },
): Promise<number> {
  const child = await startChild<object, number>(script, userFolder);
  try {
    let done = 0;
    for (let seed = 1; done < total; seed += 1_000) done += await child.ask(ask(seed));
    return done;
  } finally {
    await child.stop();
  }
}

const COMPARISONS = 100_000;

test(`What is read from the item is what production's expression engine gives, ${COMPARISONS} times`, async ({}, {
  outputDir,
}) => {
  const compared = await search('e2e/lib/expressionsProcess.ts', outputDir, {
    total: COMPARISONS,
    ask: (seed) => ({ comparisons: 500, seed }),
  });
  expect(compared).toBeGreaterThanOrEqual(COMPARISONS);
});

const TEXTS = 4_000;

test(`A text of random codes is what production's expression engine reads, ${TEXTS} times`, async ({}, {
  outputDir,
}) => {
  const sent = await search('e2e/lib/expressionsProcess.ts', outputDir, {
    total: TEXTS,
    ask: (seed) => ({ fields: 500, seed }),
  });
  expect(sent).toBeGreaterThanOrEqual(TEXTS);
});

const RUNS = 2_000;

test(`A text arrives as its author meant it, or not at all, in ${RUNS} random runs with production's expression engine`, async ({}, {
  outputDir,
}) => {
  const played = await search('e2e/lib/textsProcess.ts', outputDir, {
    total: RUNS,
    ask: (seed) => ({ numRuns: 100, seed }),
  });
  expect(played).toBe(RUNS);
});
