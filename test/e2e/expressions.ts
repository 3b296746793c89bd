import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Child } from '../bench/child';
import type { Step } from './lib/step';

const COMPARISONS = 100_000;

/** One question must not take longer than the other process is waited for. */
const AT_ONCE = 5_000;

export const expressions: Step[] = [
  {
    name: `What is read from the item is what production's expression engine gives, ${COMPARISONS} times`,
    async run() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'sms-expressions-'));
      const child = await Child.start<object, number>('bench/expressions.ts', null, folder);
      try {
        let compared = 0;
        for (let seed = 1; compared < COMPARISONS; seed += 1_000)
          compared += await child.ask({ comparisons: AT_ONCE, seed });
        assert.ok(compared >= COMPARISONS);
      } finally {
        await child.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];
