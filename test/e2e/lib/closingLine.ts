import type { FullConfig, FullResult, Reporter, Suite } from '@playwright/test/reporter';

import { floorError } from '../../tools/floors.cjs';
import { chosen } from '../groups';

/** Anything after the command, such as a pattern, makes a run a part of it. */
const WHOLE = ['test', '--config', 'test/e2e/playwright.config.ts'];

export const isWhole = () => process.argv.slice(2).join(' ') === WHOLE.join(' ');

/**
 * Ends a run with one plain line, `N passed, N failed`, for people and for CI to read. A whole run fails if
 * it has fewer tests than test/floors.json says.
 */
export default class ClosingLine implements Reporter {
  private suite?: Suite;
  private errors = 0;

  onBegin(_config: FullConfig, suite: Suite): void {
    this.suite = suite;
  }

  /** An error outside the tests, for instance in the setup. It counts as a failed test. */
  onError(): void {
    this.errors += 1;
  }

  /** An interrupted run gets no line, because it has no result. */
  async onEnd({ status }: FullResult) {
    if (status === 'interrupted') return;
    const { passed, failed, skipped } = countsOf(this.suite);
    const tooFew = isWhole() ? floorError(`e2e:${chosen}`, { passed, skipped }) : undefined;
    if (tooFew) console.log(`\n${tooFew}`);
    const more = skipped > 0 ? `, ${skipped} skipped` : '';
    console.log(`\n${passed} passed, ${failed + this.errors + (tooFew ? 1 : 0)} failed${more}`);
    if (tooFew) return { status: 'failed' as const };
  }

  printsToStdio(): boolean {
    return true;
  }
}

/** How many tests of a run have passed, failed and been skipped. */
export function countsOf(suite?: Suite): { passed: number; failed: number; skipped: number } {
  const outcomes = (suite?.allTests() ?? []).map((test) => test.outcome());
  const count = (wanted: string) => outcomes.filter((each) => each === wanted).length;
  return { passed: count('expected'), failed: count('unexpected'), skipped: count('skipped') };
}
