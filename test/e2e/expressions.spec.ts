import { startChild } from '../kit/n8n/child';
import type { Question } from './lib/searchProcess';
import { test } from './lib/test';

// Each request to the other process has a limit of its own, and is answered long before it.
test.setTimeout(0);

const SEARCHES: [title: string, what: Question['what'], total: number][] = [
  ['A field is read as the engine reads it, or refused', 'fields', 4_000],
  ['A text arrives as its author meant it, or not at all', 'texts', 2_000],
];

for (const [title, what, total] of SEARCHES) {
  test(`${title}, in ${total} random runs with production's expression engine`, async ({}, {
    outputDir,
  }) => {
    const child = await startChild<Question, number>('e2e/lib/searchProcess.ts', outputDir);
    try {
      for (let done = 0; done < total;) done += await child.ask({ what, numRuns: 100, seed: done });
    } finally {
      await child.stop();
    }
  });
}
